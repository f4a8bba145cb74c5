"""Reading the real texts that tests find through CHRFECT_DATA."""


def read_tsv(path):
    """Return the rows of a TSV file as dicts: split on LF and TAB alone, no quoting."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    head, *rows = [line.split("\t") for line in lines if line]
    return [dict(zip(head, row, strict=True)) for row in rows]
