"""Bodies for tools, mutated from examples, including invalid JSON."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from chrfect import catalogue

CONFORMANCE = Path(__file__).parent / "conformance"
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[\[\]{}:,]|\s+', re.DOTALL)
NUMBERS = b"2 2.0 20e-1 -0 0 1 16 17 02 1e400 NaN -Infinity 2. +2".split()
STRINGS = [
    *rb'"\ud800" "\ud83d\ude00" "\udc00\ud800" "\ud83d\u0041" "\u0000" "\t" "\q" "\u00e9" "\u2028" "\u006eone"'.split(),
    *b'"" "none" "method3" "keep" "per_order_f" "\xed\xa0\x80" "\xff" "\x7f" "\x00" "\xc3\xa9" "e\xcc\x81"'.split(b" "),
    *(b'"a b"', b'"\t"', b'"\xc2\x85"', b'"\xe3\x80\x80"'),
]
PIECES = [
    *(*NUMBERS, b"9" * 20, b"9" * 4_301, b"2." + b"0" * 4_300),
    *(*STRINGS, b"true", b"false", b"null", b"True", b"[]", b"{}", b"[[]]", b"[" * 70, b"]" * 70),
    *(b"\xef\xbb\xbf", b" ", b"\n", b"\r\t", b"\x0b", b"\xc2\xa0", b"//", b"/**/", b",", b",,", b":"),
]
KEYS = [b'"beta"', b'"lowercase"', b'"max_order"', b'"char_order"', b'"\\u0062eta"', b'"Beta"', b'"x"', b'"hypotheses"']


def cases() -> list[tuple[str, bytes]]:
    """Return the tools and inputs that bodies are mutated from: short examples and conformance cases."""
    found = [
        (id, json.dumps(example["input"], ensure_ascii=False).encode())
        for id in catalogue.ids()
        for example in catalogue.newest_contract(id)["examples"]
    ]
    for path in sorted(CONFORMANCE.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            body = json.dumps(case["input"]).encode()
            if len(body) < 1_000:
                found.append((case["tool"], body))
    return found


def mutated(draw: random.Random, body: bytes) -> bytes:
    """Return a body with one to three mutations."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        kind = draw.randrange(6)
        tokens = TOKEN.findall(body)
        at = draw.randrange(len(tokens)) if tokens else 0
        if kind == 0 and body:  # one byte
            place = draw.randrange(len(body))
            put = draw.choice((b"", bytes([draw.randrange(256)]), bytes([body[place] ^ 1 << draw.randrange(8)])))
            body = body[:place] + put + body[place + 1 :]
        elif kind == 1 and tokens:  # another token
            body = b"".join([*tokens[:at], draw.choice(PIECES), *tokens[at + 1 :]])
        elif kind == 2 and tokens:  # one more
            body = b"".join([*tokens[:at], draw.choice(PIECES), *tokens[at:]])
        elif kind == 3 and tokens:  # tokens twice, or without them
            stop = at + draw.randrange(1, 6)
            body = b"".join(tokens[:at] + draw.choice((tokens[at:stop] * 2, [])) + tokens[stop:])
        elif kind == 4 and body.rstrip().endswith(b"}"):  # one more member, perhaps of a key that is there
            member = draw.choice(KEYS) + b":" + draw.choice(PIECES)
            body = body.rstrip()[:-1] + b"," + member + b"}"
        elif kind == 5 and body.count(b'"') > 1:  # within a string
            place = draw.choice([found.start() for found in re.finditer(b'"', body)]) + 1
            body = body[:place] + draw.choice(PIECES).strip(b'"') + body[place:]
    return body


def bodies(seed: int, number: int) -> Iterator[tuple[str, bytes]]:
    """Return so many tools with a body; an eighth of the bodies are not mutated."""
    draw = random.Random(seed)
    known = cases()
    for _ in range(number):
        id, body = draw.choice(known)
        yield id, body if draw.random() < 0.125 else mutated(draw, body)
