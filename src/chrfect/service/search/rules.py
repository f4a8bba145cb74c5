"""The rules that choose tools by the concepts in a need."""

from __future__ import annotations

import tomllib
from bisect import bisect
from collections import defaultdict
from functools import cache
from importlib import resources

from chrfect.service.search.match import BREAKS, COLON, Matcher, Span

CHRF = "chrf-compute"
CHRF_PP = "chrf-plus-plus-compute"
COMPONENTS = "chrf-components"
NGRAMS = "bleu-ngrams-count"
STATISTICS = "bleu-sentence-components"
SENTENCE = "bleu-sentence-compute"
CORPUS = "bleu-corpus-compute"

NAMES = frozenset({"bleu", "blue", "chrf", "chrfpp", "chrfplus", "colour", "not_misspelled", "past", "sacrebleu"})
"""The concepts that do not show whether a metric is named for its score; the topics do not either."""

MAX_CUES = 100
"""The number of cues, such as `already`, that are read in a need."""

METRICS = frozenset({"bleu", "chrf", "chrfpp", "chrfplus"})

DESCRIBING = frozenset(
    {"brevity", "character", "character_level", "evaluate", "ngram", "precision", "recall", "smoothing"}
)
"""Concepts that describe a metric without its name."""

NEGATED_WITHIN = 2
"""The number of words between a negation and what it negates."""

LISTED_WITHIN = 4
"""The number of words from BLEU to chrF in a list of metrics, such as `BLEU, then chrF`."""

ALONE = 6
"""The maximum number of other words around a metric without context; a single character is half of a word."""

EARLY = 8
"""The number of first words among which a request to translate is taken as the need."""

Topic = dict[str, str]


def choose(given: list[str]) -> tuple[list[str], list[Topic]]:
    """Return the ids of the tools that serve a need, the best first, and the topics of it that none supports."""
    return Need(given).answer()


class Need:
    """The concepts in a text.

    Parameters
    ----------
    given : list of str
        The tokens of the text.
    """

    def __init__(self, given: list[str]) -> None:
        spans = _matcher().find(given)
        covered = {place for span in spans for place in range(span.start, span.end)}
        self._given = given
        self._others = [(place, word) for place, word in enumerate(given) if place not in covered]
        contrasts = [span.start for span in spans if span.concept == "but"]
        self._breaks = sorted([*contrasts, *(place for place, token in enumerate(given) if token in BREAKS)])
        terms = [span for span in spans if not span.concept.startswith("not") and span.concept != "but"]
        excluded, idle = _excluded(terms, spans, given)
        self._named = {span.concept for span in terms}
        self._spans: dict[str, list[Span]] = {}
        for span in terms:
            if span not in excluded:
                self._spans.setdefault(span.concept, []).append(span)
        cues = [*self._spans.get("past", ()), *self._spans.get("aside", ()), *idle]
        self._asides = self._mentioned(cues, contrasts)

    def answer(self) -> tuple[list[str], list[Topic]]:
        """Return tools and unsupported topics."""
        metrics = self._topics("metric", negated=True)
        tasks = self._topics("task") or self._unreferenced()
        if tasks:
            return [], tasks + metrics
        unsupported = not self._aside(*(topic["topic"] for topic in self._topics("metric")))
        families = self._families() or ([] if unsupported else self._described())
        if not families and self._topics("metric"):
            return [], metrics
        other = self._other(families)
        if other and (not families or "translation" in {topic["topic"] for topic in other}):
            return [], other + metrics
        in_passing = self._aside(*METRICS)
        described = "chrf" in families and not self._has("chrf", "chrfpp", "chrfplus")
        if (
            in_passing
            and self._has(*METRICS)
            and not described
            and not self._aside(*(topic["topic"] for topic in metrics + other))
        ):
            return [], other + metrics
        options = self._topics("option") if families else []
        if "several-references" in self._spans and families != ["bleu"]:
            several = self._topics("chrf")
            if families:
                tools = self._bleu() if "bleu" in families else []
                return tools, several + options + other + metrics
            families = ["bleu"]
        tools = [tool for family in families for tool in (self._bleu() if family == "bleu" else self._chrf())]
        if not families and self._evaluates():
            tools = [CHRF, CHRF_PP, SENTENCE if self._single() else CORPUS]
        return list(dict.fromkeys(tools)), options + other + metrics

    def _has(self, *concepts: str) -> bool:
        """Return whether the need has one of the concepts and does not exclude it."""
        return any(concept in self._spans for concept in concepts)

    def _first(self, *concepts: str) -> int | None:
        return min((span.start for name in concepts for span in self._spans.get(name, ())), default=None)

    def _topics(self, kind: str, negated: bool = False) -> list[Topic]:
        named = self._named if negated else self._spans
        return [topic for topic in _topics() if topic["kind"] == kind and topic["topic"] in named]

    def _evaluates(self) -> bool:
        """Return whether the need is to score machine translations, or translations against others."""
        compared = self._has("reference") and self._has("translations", "outputs")
        several = len(self._spans.get("translations", ())) > 1
        return self._has("evaluate") and (self._has("machine") or compared or several)

    def _unreferenced(self) -> list[Topic]:
        """Return the topic of scores without a reference, if the need excludes references."""
        if (
            "reference" in self._named
            and not self._has("reference")
            and self._has("translations", "machine", "outputs")
        ):
            return _named("quality-estimation")
        return []

    def _families(self) -> list[str]:
        """Return the metrics that are named, the one that is needed first."""
        chrf, bleu = self._first("chrf", "chrfpp", "chrfplus"), self._first("bleu")
        if chrf is None and "chrf" in self._named:
            chrf = self._first("pluses")  # `not just chrF, the one with two pluses`
        if chrf is None and bleu is not None:
            chrf = self._by_characters()
        if chrf is not None and bleu is not None:
            listed = 0 < chrf - bleu <= LISTED_WITHIN  # else BLEU is the background
            past = {"bleu": self._past(bleu), "chrf": self._past(chrf)}
            return sorted(("bleu", "chrf") if listed else ("chrf", "bleu"), key=lambda family: past[family])
        place = bleu if chrf is None else chrf
        if place is None or not self._in_context(place):
            return []
        return ["bleu"] if chrf is None else ["chrf"]

    def _in_context(self, place: int) -> bool:
        """Return whether a metric is named for a score: as in papers, with other terms, or among few other words."""
        if (
            self._given[place].startswith(("chrF", "BLEU"))
            or self._has("chrfpp")
            or self._spans.keys() - NAMES - {topic["topic"] for topic in _topics()}
        ):
            return True
        clause = self._clause(place)
        others = [word for at, word in self._others if self._clause(at) == clause and word not in BREAKS]
        return sum(1 if len(word) > 1 else 0.5 for word in others) <= ALONE

    def _described(self) -> list[str]:
        """Return the metric that is described without its name."""
        if self._has("sacrebleu") or (self._has("blue") and self._has("reference", "tokenized")):
            return ["bleu"]
        if "bleu" in self._named and self._has(
            "evaluate", "character", "character_level", "no_words"
        ):  # a metric other than BLEU
            return ["chrf"]
        translated = self._has("translations", "machine", "reference")
        if self._has("character_level") and (translated or self._has("evaluate", "ngram")):
            return ["chrf"]
        rated = self._evaluates() or (self._has("evaluate") and self._has("translations"))
        if self._has("character", "no_words") and (rated or self._has("ngram", "f_score")):
            return ["chrf"]
        counted = self._has("ngram") and (translated or self._has("count", "statistics", "clip"))
        if (
            counted
            or self._has("which_ngrams", "brevity", "sentence_counts")
            or (self._has("clip") and (self._has("reference") or (self._has("count") and self._has("per_segment"))))
        ):
            return ["bleu"]
        scored = translated or self._has("ngram", "per_order")
        if self._has("smoothing") and (scored or (self._has("sentence") and self._has("evaluate"))):
            return ["bleu"]
        return ["chrf"] if self._has("per_order") and self._has("breakdown", "precision", "recall") else []

    def _by_characters(self) -> int | None:
        """Return the place of a score of characters, unless it is BLEU of characters."""
        bleu = self._spans["bleu"]
        spans = [span for name in ("character", "character_level") for span in self._spans.get(name, ())]
        own = any(one.end + 1 >= span.start and span.end + 1 >= one.start for one in bleu for span in spans)
        return None if own else min((span.start for span in spans), default=None)

    def _mentioned(self, cues: list[Span], contrasts: list[int]) -> set[Span]:
        """Return the metrics and topics that are mentioned in passing, with those that are listed beside them.

        These are the nearest to a cue in its clause, and what precedes a contrast that something follows.
        """
        names = METRICS | {topic["topic"] for topic in _topics()}
        subjects = sorted((span for name in names & self._spans.keys() for span in self._spans[name]), key=_start)
        starts = [span.start for span in subjects]
        found: set[Span] = set()
        for cue in cues[:MAX_CUES]:
            after = bisect(starts, cue.start)
            near = [at for at in (after - 1, after) if 0 <= at < len(starts)]
            near = [at for at in near if self._clause(starts[at]) == self._clause(cue.start)]
            if near:
                found |= self._listed(subjects, min(near, key=lambda at: abs(starts[at] - cue.start)))
        for place in contrasts:
            if 0 < (after := bisect(starts, place)) < len(starts):
                found |= self._listed(subjects, after - 1)
        return found

    def _listed(self, spans: list[Span], at: int) -> set[Span]:
        """Return a span and those in a row with it in its clause, such as `BLEU and chrF`."""

        def joined(one: Span, next: Span) -> bool:
            return next.start - one.end <= LISTED_WITHIN - 2 and self._clause(one.start) == self._clause(next.start)

        first = last = at
        while first > 0 and joined(spans[first - 1], spans[first]):
            first -= 1
        while last + 1 < len(spans) and joined(spans[last], spans[last + 1]):
            last += 1
        return set(spans[first : last + 1])

    def _past(self, place: int) -> bool:
        return any(span.start == place for span in self._asides)

    def _aside(self, *concepts: str) -> bool:
        """Return whether all that the need says of the concepts is in passing."""
        return all(span in self._asides for concept in concepts for span in self._spans.get(concept, ()))

    def _other(self, families: list[str]) -> list[Topic]:
        """Return tasks that are not to score."""
        topics = self._topics("other")
        early = self._first("translation")
        found = []
        for topic in topics:
            if topic["topic"] == "translation":
                asked = not self._evaluates() or (early is not None and early < EARLY)
                if asked and not self._has("reference") and (not families or self._in_text_to_translate()):
                    found.append(topic)
            elif topic["topic"] != "tokenization" or families != ["chrf"]:  # chrF takes plain text
                found.append(topic)
        if "tokenization" in self._named and self._has("bleu") and not self._has("tokenization"):
            found += _named("tokenization")
        return found

    def _in_text_to_translate(self) -> bool:
        """Return whether metrics are named or described only after the colon of a request to translate."""
        named = [span.start for name in METRICS | DESCRIBING for span in self._spans.get(name, ())]
        request = self._first("translation") or 0
        colon = next((at for at in self._breaks if at > request and self._given[at] in BREAKS), None)
        return bool(named) and colon is not None and self._given[colon] == COLON and colon < min(named)

    def _chrf(self) -> list[str]:
        combined = self._has("single_figure") or (self._has("f_score") and self._has("weighted"))
        parts = (
            self._has("breakdown", "per_order", "chrfplus", "settings")
            or (self._has("precision") and not combined)
            or (self._has("recall") and not self._has("weighted") and not combined)
            or (
                self._has("ngram")
                and self._has("count")
                and not combined
                and not self._has("f_score", "counting_metric")
            )
        )
        if parts and not self._has("word_tokens"):
            return [COMPONENTS]
        if self._has("chrfpp", "word_tokens", "pluses"):
            if (
                self._has("chrf")
                and not self._has("pluses")
                and not self._has("word")
                and (self._first("chrf") or 0) < (self._first("chrfpp") or 0)
            ):
                return [CHRF, CHRF_PP]
            return [CHRF_PP, CHRF] if self._has("chrf") else [CHRF_PP]
        if self._counts_words() and (self._has("word_ngrams") or not self._has("no_words")):
            return [CHRF_PP]
        return [CHRF]

    def _counts_words(self) -> bool:
        """Return whether a metric without a name counts words, according to the clause about characters."""
        if self._has("chrf"):
            return self._has("word", "word_ngrams")
        if self._has("word_ngrams"):
            return self._has("character", "character_level")
        characters = [span for name in ("character", "character_level") for span in self._spans.get(name, ())]
        clauses = {self._clause(span.start) for span in characters}
        return any(self._clause(span.start) in clauses for span in self._spans.get("word", ()))

    def _clause(self, place: int) -> int:
        """Return the number of the clause of a place."""
        return bisect(self._breaks, place)

    def _single(self) -> bool:
        return self._has("sentence") and not self._has("corpus")

    def _bleu(self) -> list[str]:
        counts = not self._has("brevity")  # the tool that counts n-grams has no brevity penalty
        if self._has("which_ngrams") and counts:
            return [NGRAMS]
        if self._has("integers") and self._has("sentence", "sentence_counts") and not self._has("brevity"):
            return [STATISTICS]
        if self._has("smoothing") or (self._has("zero") and self._single()):
            return [SENTENCE]
        if self._has("statistics", "count") and self._has("per_segment") and counts:
            return [NGRAMS]
        if self._has("sentence_counts", "statistics") and not self._has("corpus"):
            if self._has("sentence_counts", "sentence"):
                return [STATISTICS]
            if not (self._has("ngram") and self._has("count") and counts) or self._has("bleu"):
                return [STATISTICS, CORPUS]
        computed = [SENTENCE] if self._single() else [CORPUS] if self._has("corpus") else [CORPUS, SENTENCE]
        if self._has("brevity") and self._single():
            return [SENTENCE, STATISTICS]
        if self._has("brevity") or (self._has("precision") and not self._has("count")):
            return computed
        counted = self._has("ngram") and (self._has("count") or not self._has("bleu", "evaluate"))
        if counts and (self._has("clip") or counted):
            return [CORPUS, NGRAMS] if self._has("corpus") and self._has("evaluate") else [NGRAMS]
        return computed


def _start(span: Span) -> int:
    return span.start


def _excluded(terms: list[Span], spans: list[Span], given: list[str]) -> tuple[set[Span], list[Span]]:
    """Return the terms that a negation near them and in their clause excludes, and the negations without a term."""
    starting: dict[int, list[Span]] = defaultdict(list)
    ending: dict[int, list[Span]] = defaultdict(list)
    for span in terms:
        if span.concept != "compute":  # `do not want BLEU`
            starting[span.start].append(span)
            ending[span.end].append(span)
    excluded: set[Span] = set()
    idle = []
    for negation in spans:
        if not negation.concept.startswith("not") or negation.concept == "not_misspelled":
            continue
        ends = negation.end == len(given) or given[negation.end] in BREAKS  # `BLEU no, chrF yes`
        if negation.concept == "not" and not ends:
            places = range(negation.end, min(negation.end + NEGATED_WITHIN + 1, len(given)))
            object = found = _nearest(starting, places, [given[place] for place in places])
            while found and not excluded.issuperset(found):  # what is listed without a word between is excluded too
                excluded |= set(found)
                found = [next for span in found for next in starting[span.end] if next.concept == span.concept]
        else:
            places = range(negation.start, max(negation.start - NEGATED_WITHIN - 1, 0), -1)
            object = _nearest(ending, places, [given[place - 1] for place in places])
            excluded |= set(object)
        if not object:
            idle.append(negation)
    return excluded, idle


def _nearest(spans: dict[int, list[Span]], places: range, crossed: list[str]) -> list[Span]:
    """Return the spans at the first of the places that has some, unless a break must be crossed before."""
    for place, token in zip(places, crossed, strict=True):
        if place in spans:
            return spans[place]
        if token in BREAKS:
            break
    return []


def _named(name: str) -> list[Topic]:
    return [topic for topic in _topics() if topic["topic"] == name]


@cache
def _topics() -> list[Topic]:
    return [{"topic": name, **topic} for name, topic in _table("topics.toml").items()]


@cache
def _matcher() -> Matcher:
    terms: dict[str, list[str]] = {}
    for table in (_table("terms.toml"), _table("topics.toml")):
        for concept, lines in table.items():
            listed = [line for key, line in lines.items() if key not in ("kind", "operation", "elsewhere")]
            terms[concept] = [term for line in listed for term in line.split(", ")]
    return Matcher(terms)


def _table(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))
