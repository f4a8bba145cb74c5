"""The call of a tool as a person or a program writes it."""

from __future__ import annotations

import json
import shlex
from typing import Any

from chrfect import catalogue

LONGEST = 4_000
"""The longest input, as JSON, that is written into a call; a longer one is read from a file."""


def calls(base: str, id: str, version: str, input: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the name, the language and the text of each way to make a call.

    Parameters
    ----------
    base : str
        The base of the server's URLs.

    Examples
    --------
    >>> print(calls("http://localhost", "chrf-compute", "1.0.0", {"hypotheses": ["it's"], "references": ["it"]})[2][2])
    chrfect run chrf-compute 1.0.0 --input - <<'JSON'
    {"hypotheses":["it's"],"references":["it"]}
    JSON
    """
    compact = catalogue.dumps(input)
    whole = len(compact) <= LONGEST
    url = f"{base}/v1/tools/{id}/versions/{version}/execute"
    data = shlex.quote(compact) if whole else "@input.json"
    curl = f'curl -X POST {url} \\\n  -H "Content-Type: application/json" \\\n  -d {data}'
    value = repr(input) if whole else 'json.load(open("input.json", encoding="utf-8"))'
    imports = "import chrfect" if whole else "import json\n\nimport chrfect"
    python = f'{imports}\n\nresult = chrfect.run("{id}", "{version}", {value})'
    command = f"chrfect run {id} {version} --input "
    command += f"- <<'JSON'\n{compact}\nJSON" if whole else "input.json"
    execute = {"id": id, "version": version, "input": input if whole else "… the JSON of input.json …"}
    return [
        ("curl", "sh", curl),
        ("Python", "python", python),
        ("Command line", "sh", command),
        ("MCP: execute", "json", json.dumps(execute, ensure_ascii=False, indent=2)),
    ]
