"""Real texts for tests, from the folder in CHRFECT_DATA."""

import lzma


def read_tsv(path):
    """Return the rows of a TSV file as dicts: split on LF and TAB alone, no quoting."""
    lines = path.read_bytes().decode("utf-8").split("\n")
    head, *rows = [line.split("\t") for line in lines if line]
    return [dict(zip(head, row, strict=True)) for row in rows]


def texts(folder):
    """Return every distinct cell of the TSV files and every line of the others, in all languages, in a fixed order."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".md", ".json"):
            content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
            for line in content.decode("utf-8").split("\n"):
                found.update(dict.fromkeys(line.split("\t")))
    return list(found)
