"""The prompts of the MCP server, which tell a model which tools to call and how to read the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from chrfect import catalogue
from chrfect.errors import shown, without_surrogates

Call = tuple[str, dict[str, Any]]
"""A tool and its input."""

METRICS = ("chrF", "chrF++", "BLEU")
"""The metrics of the prompts; the first is the default."""

EXPLAIN = """\
Explain the {metric} score of this translation.

{calls}

Then write:

1. The score, and what it means that the score is between 0 and 100.
2. The n-gram orders at which the translation matches its reference well and badly{balance}.
3. The words or passages that cost most: those of the translation that the reference lacks, and those of the reference
   that the translation lacks. Quote them.

Take every number from the results, and compute none. A score compares surface forms: say where the translation is right
although it differs from the reference."""

COMPARE = """\
Compare two translations of the same text by {metric}.

{calls}

Then write:

1. Both scores, and their difference.
2. The passages at which the better one is closer to the reference. Quote them.
3. Whether the difference reflects quality, or another choice of words that is as good.

Take every number from the results, and compute none. Scores of single segments vary widely: for a judgement of two
systems, whole test sets and a significance test are needed (`chrfect compare` on the command line)."""


def prompts() -> list[Prompt]:
    """Return the prompts."""
    reference = PromptArgument(name="reference", title="Reference", description="The reference.", required=True)
    listed = ", ".join(METRICS)
    metric = PromptArgument(
        name="metric", title="Metric", description=f"One of {listed} (default: {METRICS[0]}).", required=False
    )
    return [
        Prompt(
            name="explain-score",
            title="Explain this score",
            description="Score a translation against its reference, and explain the score.",
            arguments=[
                PromptArgument(name="translation", title="Translation", description="The translation.", required=True),
                reference,
                metric,
            ],
        ),
        Prompt(
            name="compare-translations",
            title="Compare two translations",
            description="Score two translations of a text against its reference, and compare them.",
            arguments=[
                PromptArgument(name="first", title="First translation", description="A translation.", required=True),
                PromptArgument(name="second", title="Second translation", description="Another one.", required=True),
                reference,
                metric,
            ],
        ),
    ]


def get(name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """Return the message of a prompt; raise MCPError if the name or an argument is invalid."""
    known = {prompt.name: prompt for prompt in prompts()}
    if name not in known:
        _reject(f"Unknown prompt {shown(name)}. The prompts are {', '.join(known)}.")
    prompt = known[name]
    declared = {argument.name: argument.required for argument in prompt.arguments or []}
    expected = ", ".join(declared)
    for key in arguments:
        if key not in declared:
            _reject(f"{shown(key)} is not an argument of this prompt. The arguments are {expected}.")
    for key, required in declared.items():
        if required and key not in arguments:
            _reject(f"The argument {key!r} is missing. The arguments of this prompt are {expected}.")
    metric = arguments.get("metric") or METRICS[0]
    if metric not in METRICS:
        _reject(f"The metric is {shown(metric)}; one of {', '.join(METRICS)} was expected.")
    write = _explain if name == "explain-score" else _compare
    text = without_surrogates(write(metric, arguments))
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )


def _explain(metric: str, arguments: Mapping[str, str]) -> str:
    translation, reference = arguments["translation"], arguments["reference"]
    calls: list[Call]
    if metric == "BLEU":
        hypothesis, references = translation.split(), [reference.split()]
        score = {"hypothesis": hypothesis, "references": references, "smoothing": "method2"}
        counts = {"hypotheses": [hypothesis], "references": [references], "clipping_tables": True}
        calls = [("bleu-sentence-compute", score), ("bleu-ngrams-count", counts)]
        balance = ", and what the brevity penalty takes away"
    else:
        value = {"hypotheses": [translation], "references": [reference], "word_order": 2 if metric == "chrF++" else 0}
        calls = [("chrf-components", value)]
        balance = ", and whether precision or recall is lower"
    return EXPLAIN.format(metric=metric, calls=_calls(calls), balance=balance)


def _compare(metric: str, arguments: Mapping[str, str]) -> str:
    reference = arguments["reference"]
    calls: list[Call] = []
    for translation in (arguments["first"], arguments["second"]):
        if metric == "BLEU":
            tokens = {"hypothesis": translation.split(), "references": [reference.split()], "smoothing": "method2"}
            calls.append(("bleu-sentence-compute", tokens))
        else:
            id = "chrf-compute" if metric == "chrF" else "chrf-plus-plus-compute"
            calls.append((id, {"hypotheses": [translation], "references": [reference]}))
    return COMPARE.format(metric=metric, calls=_calls(calls))


def _calls(calls: list[Call]) -> str:
    """Return the request to call tools with these inputs."""
    lines = [
        json.dumps({"id": id, "version": catalogue.newest(id), "input": input}, ensure_ascii=False)
        for id, input in calls
    ]
    times = "once" if len(calls) == 1 else "twice"
    return "\n\n".join([f"Call the tool `execute` {times}, with these arguments:", *lines])


def _reject(text: str) -> None:
    raise MCPError(INVALID_PARAMS, text)
