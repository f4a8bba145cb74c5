import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chrfect import ContractError, catalogue

REFUSED = {
    "nothing": b"",
    "truncated": b'{"a": [1',
    "two documents": b"{} {}",
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "latin-1": '{"a":"é"}'.encode("latin-1"),
    "an encoded surrogate": b'{"a":"\xed\xa0\xbd"}',
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "a trailing comma": b"[1,]",
    "single quotes": b"{'a': 1}",
    "a control character": b'"a\nb"',
    "65 levels": b"[" * 65 + b"]" * 65,
    "65 mixed levels": b'{"a":[' * 32 + b'{"a":1}' + b"]}" * 32,
    "100,000 open brackets": b"[" * 100_000,
    "a number of 4,301 digits": b"1" * 4_301,
    "a fraction of 4,301 digits": b"0." + b"1" * 4_300,
}


@pytest.mark.parametrize("name", REFUSED)
def test_rejects_invalid_json(name):
    with pytest.raises(ContractError) as caught:
        catalogue.loads(REFUSED[name])
    assert (caught.value.code, caught.value.pointer) == ("invalid_json", "")


ACCEPTED = {
    "a byte order mark": (b"\xef\xbb\xbf[1]", [1]),
    "64 levels": (b"[" * 64 + b"]" * 64, None),
    "brackets inside strings": (json.dumps(["[" * 200 + '\\"' + "{" * 200]).encode(), ["[" * 200 + '\\"' + "{" * 200]),
    "4,300 digits": (b"1" * 4_300, int("1" * 4_300)),
    "a lone surrogate as an escape": (b'"\\ud83d"', "\ud83d"),
    "a surrogate pair as escapes": (b'"\\ud83d\\ude00"', "😀"),
    "a duplicate key": (b'{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
    "a number beyond floats": (b"1e400", float("inf")),
    "a whole float": (b"2.0", 2.0),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_valid_json_is_read(name):
    data, value = ACCEPTED[name]
    assert value is None or catalogue.loads(data) == value


values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.text(st.characters(exclude_categories=["Cs"]))
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text('ab"\\[{é'), inner, max_size=4)),
    max_leaves=20,
)


@given(values)
def test_written_json_round_trips(value):
    assert catalogue.loads(catalogue.dumps(value).encode()) == value


def test_the_serialisation_is_compact_and_leaves_characters_alone():
    assert catalogue.dumps({"b": ["é", 1, None], "a": "\u2028"}) == '{"b":["é",1,null],"a":"\u2028"}'


@pytest.mark.parametrize("text", ['{"a":1,}', "[1,]", "[1,\n2 , \n]", '{"a":[1,2],\n}'])
def test_a_trailing_comma_has_the_same_position_on_every_python(text):
    with pytest.raises(ContractError) as caught:
        catalogue.loads(text.encode())
    comma = text.rindex(",")
    line, column = text.count("\n", 0, comma) + 1, comma - text.rfind("\n", 0, comma)
    assert f": Illegal trailing comma at line {line}, column {column}. " in caught.value.detail


def test_error_names_the_position_of_an_unterminated_string():
    with pytest.raises(ContractError, match="Unterminated string starting at line 1, column 2"):
        catalogue.loads(b'["a')
