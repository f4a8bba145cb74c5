"""Every file is either read or rejected with an error message; no other exception occurs."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chrfect.errors import UsageError
from chrfect.meta.sources import Request, gather, read_sheet, read_wmt

cell = st.sampled_from(
    ["A", "B", "1", "2", "-3.5", "1e400", "nan", "None", "", " ", "x\u2028", '"', '{"errors": []}', "é,", "[1]"]
)
row = st.lists(cell, max_size=9).map("\t".join)
text = st.one_of(
    st.lists(row, max_size=6).map("\n".join).map(str.encode),
    st.lists(st.lists(cell, max_size=4).map(",".join), max_size=6).map("\n".join).map(str.encode),
    st.binary(max_size=40),
    st.lists(
        st.sampled_from(['{"a": 1}', '{"a": NaN}', '{"a": {}}', '{"a": true, "system": null}', "[]", "1"]), max_size=4
    )
    .map("\n".join)
    .map(str.encode),
)
quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def write(tmp_path):
    def to(name, data):
        path = tmp_path / name
        path.write_bytes(data)
        return str(path)

    return to


def attempt(read, *arguments):
    """Return the result and no refusal, or no result and the refusal's words."""
    try:
        return read(*arguments), ""
    except UsageError as error:
        return None, str(error)


@pytest.mark.filterwarnings("ignore::chrfect.errors.ChrfectWarning")
@quiet
@given(text, st.sampled_from([".tsv", ".csv", ".jsonl", ".parquet"]))
def test_any_table_is_read_or_rejected_with_an_input_error(write, data, suffix):
    path = write(f"t{suffix}", data)
    sheet, refusal = attempt(read_sheet, path)
    assert (sheet is None) == (path in refusal)
    if sheet is None:
        return
    assert all(len(r) == len(sheet.columns) for r in sheet.rows)
    first, last = sheet.columns[0], sheet.columns[-1]
    for request in (
        Request(tables=[path], human=first, scores=[last]),
        Request(ratings=path, human=first, scores=[f"m={path}"]),
        Request(tables=[path], human=first, hypothesis=last, references=[first], metrics=["chrF"]),
    ):
        gathered, refusal = attempt(gather, request)
        assert (gathered is None) == bool(refusal)
        assert gathered is None or all(panel.cells > 0 for panel in gathered[0])


@pytest.mark.filterwarnings("ignore::chrfect.errors.ChrfectWarning")
@quiet
@given(text, st.sampled_from([".seg.score", ".sys.score", ".seg.rating"]))
def test_any_wmt_file_is_read_or_rejected_with_an_input_error(write, data, suffix):
    path = write(f"t{suffix}", data)
    found, refusal = attempt(read_wmt, path)
    assert (found is None) == (path in refusal)
    assert found is None or all(scores.values for scores in found)
