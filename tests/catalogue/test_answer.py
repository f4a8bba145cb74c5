"""Calls from bytes to bytes: the typed reader does not change any answer or error."""

import json
import subprocess
import sys

import pytest

from chrfect import ContractError, catalogue
from chrfect.catalogue import jsontext, typed
from mutations import bodies, cases


def outcome(answer, id, body):
    """Return the bytes of an answer, or of the problem in its place."""
    try:
        return answer(id, body)
    except ContractError as error:
        return catalogue.dumps(catalogue.problem(error)).encode()


def answered(id, body):
    return catalogue.answer(id, "1.0.0", body)


def strictly(id, body):
    return catalogue.dumps({"result": catalogue.run(id, "1.0.0", catalogue.loads(body))}).encode()


def differences(seed, number):
    """Return the bodies whose answers differ, and how many the typed reader read."""
    found, read = [], 0
    for id, body in bodies(seed, number):
        if typed.read(id, "1.0.0", body) is None:
            continue  # `answer` reads it strictly
        read += 1
        if outcome(answered, id, body) != outcome(strictly, id, body):
            found.append((id, body))
    return found, read


def test_mutated_bodies_get_the_same_bytes_as_without_the_typed_reader():
    found, read = differences(seed=12, number=4_000)
    assert not found
    assert read > 400


def test_bodies_that_the_typed_reader_skips_get_the_same_bytes():
    left = [(id, body) for id, body in bodies(13, 2_000) if typed.read(id, "1.0.0", body) is None]
    assert len(left) > 500
    for id, body in left:
        assert outcome(answered, id, body) == outcome(strictly, id, body)


def test_the_typed_reader_reads_every_example():
    for id in catalogue.ids():
        for example in catalogue.newest_contract(id)["examples"]:
            assert typed.read(id, "1.0.0", json.dumps(example["input"]).encode()) == example["input"]


BASE = b'{"hypotheses":["a"],"references":["a"]%s}'


@pytest.mark.parametrize(
    "body",
    [
        BASE % b',"beta":2.0',
        BASE % b',"beta":"2"',
        BASE % b',"beta":true',
        BASE % b',"beta":null',
        BASE % b',"x":1',
        BASE % (b',"beta":' + b"9" * 5_000),
        BASE % b',"beta":"\xff","beta":2',
        b"\xef\xbb\xbf" + BASE % b"",
        BASE % b"" + b"x",
        BASE.replace(b'"a"', b'"\\ud800"', 1) % b"",
        BASE.replace(b'"a"', b'"\xed\xa0\x80"', 1) % b"",
        BASE.replace(b'"a"', b'"\t"', 1) % b"",
        b'{"hypotheses":["a"]}',
        b"[]",
        b"",
    ],
)
def test_ambiguous_bodies_are_left_to_the_strict_reader(body):
    assert typed.read("chrf-compute", "1.0.0", body) is None


@pytest.mark.parametrize("last", [b"3", b"99"])
def test_last_of_duplicate_keys_is_used(last):
    body = BASE % (b',"beta":2,"\\u0062eta":' + last)
    assert typed.read("chrf-compute", "1.0.0", body) == catalogue.loads(body)


def test_every_character_is_written_as_json_writes_it():
    for start in range(0, 0x110000, 0x1000):
        text = "".join(chr(c) for c in range(start, start + 0x1000) if not 0xD800 <= c < 0xE000)
        assert (
            jsontext.encode({text: [text, None, True, -1]}) == jsontext.dumps({text: [text, None, True, -1]}).encode()
        )


def test_answers_are_the_same_without_msgspec():
    chosen = cases()[::40]
    code = """
import json, sys
sys.modules["msgspec"] = None
from chrfect import ContractError, catalogue
for id, body in json.load(sys.stdin):
    try:
        print(json.dumps(catalogue.answer(id, "1.0.0", body.encode()).decode()))
    except ContractError as error:
        print(json.dumps(catalogue.dumps(catalogue.problem(error))))
"""
    given = json.dumps([(id, body.decode()) for id, body in chosen])
    done = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, text=True, check=True)
    printed = [json.loads(line).encode() for line in done.stdout.splitlines()]
    assert printed == [outcome(answered, id, body) for id, body in chosen]
