"""The answers to the form of the interactive page: a page, a part of it, or JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from urllib.parse import parse_qs

from chrfect import catalogue
from chrfect.errors import ContractError
from chrfect.service import pages
from chrfect.service.playground import trial
from chrfect.service.playground.calls import calls
from chrfect.service.playground.examples import EXAMPLES
from chrfect.service.playground.form import NAMES, FieldError, Form

HTML = "text/html; charset=utf-8"
JSON = "application/json"

Answer = tuple[tuple[int, dict[str, str]], Iterator[bytes]]
"""The status and the headers of a response, and its body in pieces."""


def answer(body: bytes, base: str) -> Answer:
    """Return the answer to a form that was sent.

    A field ``part`` asks for the result without its page, ``download`` for the JSON of an input or a result. With
    ``json``, that is the input.

    Raises
    ------
    ContractError
        If the form cannot be read, or an input in JSON is rejected.
    """
    form, given = Form.read(body)
    if "json" in given:
        return _answer(catalogue.answer(form.tool, form.version, given["json"].encode()), JSON)
    found, problem = _run(form)
    kind, _, side = given.get("download", "").partition("-")
    for system in found.systems if found else ():
        if system.side == side and kind in ("input", "result"):
            value = system.input if kind == "input" else {"result": system.result}
            return _answer(catalogue.encode(value), JSON, attachment=f"{kind}.json")
    if "part" in given:
        return _answer(_render("result.html", form, found, problem, base), HTML)
    return _answer(_render("try.html", form, found, problem, base), HTML, status=422 if problem else 200)


def example(query: bytes, base: str) -> Answer:
    """Return the page with the example that a query string names."""
    name = parse_qs(query.decode("latin-1")).get("example", [""])[0]
    if name not in EXAMPLES:
        detail = f"There is no such example; choose one of {', '.join(EXAMPLES)}."
        raise ContractError("not_found", detail, None)
    form = EXAMPLES[name][1]
    return _answer(_render("try.html", form, *_run(form), base), HTML)


def _run(form: Form) -> tuple[trial.Trial | None, FieldError | None]:
    if not form.entered:
        return None, None
    try:
        return trial.run(form), None
    except FieldError as error:
        return None, error


def _render(template: str, form: Form, found: trial.Trial | None, problem: FieldError | None, base: str) -> bytes:
    context = pages.form_context(form) | {
        "title": f"Try {NAMES[form.tool]}",
        "alternate": None,
        "trial": found,
        "problem": problem,
        "part": template == "result.html",
        "difference": trial.difference,
        "calls": partial(calls, base, form.tool, form.version),
    }
    return pages.render(template, context).encode("utf-8", "replace")


def _answer(body: bytes, media_type: str, status: int = 200, attachment: str = "") -> Answer:
    headers = {"Content-Type": media_type, "Cache-Control": "no-store"}
    if attachment:
        headers["Content-Disposition"] = f'attachment; filename="{attachment}"'
    return (status, headers), iter((body,))
