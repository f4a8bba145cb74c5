"""Parsing of server responses."""

import json


def problem(answer, status, code, pointer=None):
    """Check a rejection; return its headers and detail."""
    got, headers, body = answer
    value = json.loads(body)
    assert (got, headers["content-type"]) == (status, "application/problem+json"), body
    assert list(value) == ["type", "title", "status", "detail", "code", "pointer"]
    assert (value["status"], value["code"], value["pointer"]) == (status, code, pointer)
    assert len(value["detail"]) > 20
    return headers, value["detail"]


def split(answer):
    """Return status, headers and body of an answer that came as bytes."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body
