"""ETags and Cache-Control: contracts are cached forever, listings for a minute, answers never."""

import hashlib

import pytest

from serving import call, raw

TOOL = "/v1/tools/chrf-compute/versions/1.0.0"


def test_a_contract_is_immutable_and_its_tag_is_its_sha256(address):
    status, headers, body = call(address, "GET", TOOL)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert headers["etag"] == f'"{hashlib.sha256(body).hexdigest()}"'
    assert headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize("form", ["{}", "W/{}", '"x", {}', "*"])
def test_unchanged_contract_returns_304(address, form):
    etag = call(address, "GET", TOOL)[1]["etag"]
    status, headers, body = call(address, "GET", TOOL, If_None_Match=form.format(etag))
    assert (status, headers["etag"], body) == (304, etag, b"")
    assert "immutable" in headers["cache-control"]


def test_tags_may_be_in_several_header_lines(address):
    etag = call(address, "GET", TOOL)[1]["etag"]
    head = f'GET {TOOL} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: "x"\r\nIf-None-Match: {etag}\r\n'
    assert raw(address, f"{head}Connection: close\r\n\r\n".encode()).startswith(b"HTTP/1.1 304 ")


def test_a_contract_with_another_tag_is_sent(address):
    assert call(address, "GET", TOOL, If_None_Match='"x", "y"')[0] == 200


@pytest.mark.parametrize("path", ["/v1/tools", "/v1/tools/chrf-compute", "/docs", "/openapi.json", "/static/style.css"])
def test_mutable_resources_may_be_cached_for_a_minute(address, path):
    headers = call(address, "GET", path)[1]
    assert headers["cache-control"] == "public, max-age=60"
    assert call(address, "GET", path, If_None_Match=headers["etag"])[0] == 304


def test_results_are_not_cached(address):
    body = b'{"hypotheses":["a"],"references":["a"]}'
    for content in (body, b"{}"):
        headers = call(address, "POST", f"{TOOL}/execute", content, Content_Type="application/json")[1]
        assert headers["cache-control"] == "no-store"
