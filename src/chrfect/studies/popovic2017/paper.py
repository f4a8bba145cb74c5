"""The reproduction told as a short paper; every number in it is computed."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from chrfect.report.document import Block, Document, Heading, Image, Paragraph
from chrfect.studies.popovic2017 import tables
from chrfect.studies.popovic2017.cells import count_equal
from chrfect.studies.popovic2017.gains import RESAMPLES, SEED
from chrfect.studies.popovic2017.pictures import CAPTIONS
from chrfect.studies.popovic2017.published import ENGLISH, RUSSIAN, TEXTS

if TYPE_CHECKING:
    from chrfect.studies.popovic2017.gains import Question
    from chrfect.studies.popovic2017.study import Study

BYTES = ("byte", "byte")
PRINTED = ("codepoint", "byte")
"""What the paper compares: combinations on code points with plain chrF on bytes."""


def paper(study: Study, *, images: Collection[str] = tuple(CAPTIONS)) -> Document:
    """Return the short paper, with those of its figures that `images` names; the long tables stand at its end."""
    parts = [_question(study), _data(study), _method(), _cells(study), _units(study), _holds(study), _not(study)]
    parts += [_claims(study), _unprinted(study), _follows(study), _appendix(study)]
    blocks = [block for part in parts for block in part]
    return Document([block for block in blocks if not isinstance(block, Image) or block.name in images])


def _image(name: str) -> Image:
    return Image(name, CAPTIONS[name])


def _interval(question: Question) -> str:
    return f"{question.mean:+.3f} (95% interval {question.low:+.3f} to {question.high:+.3f})"


def _texts(question: Question) -> str:
    more = f"higher on {question.better} of {len(question.gains)} texts"
    return f"{more}, significantly different on {question.significant}"


def _question(study: Study) -> list[Block]:
    english, russian = (study.question("c6w2", "chrF2", target) for target in ("English", "Russian"))
    return [
        Heading("Does chrF++ agree better with humans than chrF? Popović (2017) computed again", 1),
        Paragraph(
            "Popović (2017), “chrF++: words helping character n-grams”, is the paper that made chrF++: it adds word "
            "unigrams and bigrams to the character n-grams of chrF because the correlation with direct human "
            "assessments rises. It prints no test of significance and no interval. Here every legible cell of its "
            "three tables is computed again, the differences are tested, and what the text says beside the tables is "
            "checked."
        ),
        Paragraph(
            f"Result: {study.verdict}, if plain chrF is taken on UTF-8 bytes and everything else on code points. With "
            f"one unit on both sides the gain of chrF++ over chrF holds for English, {_interval(english)} in Pearson's "
            f"r, and is gone for Russian, {_interval(russian)}."
        ),
    ]


def _data(study: Study) -> list[Block]:
    segments = sum(len(text.human) for text in study.texts)
    return [
        Heading("Data"),
        Paragraph(
            f"The {len(TEXTS)} texts with segment-level direct assessments of the WMT 2015 and 2016 news tasks: "
            f"{len(ENGLISH)} with English as target, {len(RUSSIAN)} with Russian, {segments:,} segments in all, each "
            "with one reference and one human score, standardised by rater."
        ),
    ]


def _method() -> list[Block]:
    return [
        Heading("Method"),
        Paragraph(
            "Each segment is counted once, characters 1 to 10 and words 1 to 4; every row of every table is a "
            "weighting of these orders. As in the paper's tool the F-scores of all orders are averaged "
            "(`per_order_f`), and beta is 2 unless a row says otherwise. Agreement is Pearson's r of segment scores "
            "with human scores, one text at a time."
        ),
        Paragraph(
            "Differences of two correlations on the same text are tested by Williams's test, two-sided, corrected by "
            "Holm over the texts of a target language; “significant” means below .05 after that. Intervals are 95% "
            f"percentile bootstrap intervals over segments ({RESAMPLES:,} resamples, seed {SEED}). A mean difference "
            "is the mean over texts, its interval resampling the segments of every text."
        ),
    ]


def _cells(study: Study) -> list[Block]:
    return [
        Heading("The paper's tables"),
        Paragraph(
            "One line for each row of the paper's Tables 1 to 3: the mean over the texts as printed, recomputed with "
            "characters that are code points or UTF-8 bytes, and how many of its legible single-text cells come out "
            "at three decimals. Cell by cell they stand in the appendix."
        ),
        tables.summary_table(study),
        _image("figure1.svg"),
        _image("figure2.svg"),
    ]


def _units(study: Study) -> list[Block]:
    plain = tables.GROUPS["chrF, beta 1 to 3"]
    code_points, bytes_ = (count_equal(study.cells, reading, plain) for reading in ("codepoint", "byte"))
    others = tuple(
        row for name, rows in tables.GROUPS.items() if "word" not in name for row in rows if row not in plain
    )
    others_equal = [count_equal(study.cells, reading, others)[0] for reading in ("codepoint", "byte")]
    return [
        Heading("Code points or bytes"),
        tables.equal_table(study),
        Paragraph(
            f"The rows of plain chrF come out on bytes ({bytes_[0]} of {bytes_[1]} cells) and not on code points "
            f"({code_points[0]} of {code_points[1]}). The single character orders and the combinations are the other "
            f"way round: {others_equal[0]} cells on code points against {others_equal[1]} on bytes. So the paper "
            "compares chrF++ on code points with chrF on bytes. In English text hardly any character has more than "
            "one byte; in Russian almost every letter has two, so that a byte 6-gram spans three letters."
        ),
        tables.unequal_table(study),
        Paragraph(
            "The cells that differ even so are all of one text and off by little more than a thousandth, so this text "
            "was probably read slightly differently."
        ),
    ]


def _holds(study: Study) -> list[Block]:
    plus_plus, plus = (study.question(row, "chrF2", "English") for row in ("c6w2", "c6w1"))
    between = study.question("c6w2", "c6w1", "English")
    return [
        Heading("What holds: the gain for English"),
        Paragraph(
            f"On code points chrF++ gains {_interval(plus_plus)} over chrF; it is {_texts(plus_plus)}. The gain is "
            "small: most texts alone are too small to show it, ten together do. Bigrams add to what unigrams alone "
            f"give, {_interval(between)}. On bytes the differences are nearly the same, for English is nearly all "
            "ASCII."
        ),
        tables.questions_table([plus_plus, plus, between], "English as target, code points"),
        _image("gains.svg"),
    ]


def _not(study: Study) -> list[Block]:
    plus_plus, plus = (study.question(row, "chrF2", "Russian") for row in ("c6w2", "c6w1"))
    on_bytes = study.question("c6w2", "chrF2", "Russian", BYTES)
    printed = study.question("c6w2", "chrF2", "Russian", PRINTED)
    unit = study.question("chrF2", "chrF2", "Russian", PRINTED)
    between = study.question("c6w2", "c6w1", "Russian")
    return [
        Heading("What does not hold: the gain for Russian"),
        Paragraph(
            f"The paper's comparison, chrF++ on code points with chrF on bytes, gives {_interval(printed)}. On code "
            f"points alone chrF++ gains nothing: {_interval(plus_plus)}. What the print shows is the step from bytes "
            f"to code points, which alone is worth {_interval(unit)}. With bytes on both sides words do help, "
            f"{_interval(on_bytes)}: they restore what short byte n-grams lack."
        ),
        tables.questions_table([printed, unit, on_bytes, plus_plus, plus, between], "Russian as target"),
        Paragraph(
            f"That chrF+ suits Russian better than chrF++ holds: chrF++ over chrF+ is {_interval(between)}, lower on "
            "both texts. But what chrF+ keeps over chrF is too little to tell from nothing. Two texts of one language "
            "are few; the paper says so itself."
        ),
    ]


def _claims(study: Study) -> list[Block]:
    first, last = study.spreads[0], study.spreads[-1]
    at = {(v.name, v.beta): v for v in study.precision}
    drop = {v.name: v for v in study.unigrams}
    whole, none = (drop[f"chrF, weight of chr1 {share}"] for share in ("1", "0"))
    return [
        Heading("What the text says beside its tables"),
        Paragraph(
            "Section 3: for poorly rated segments chrF and word F spread alike, for well rated ones chrF spreads less, "
            "and the more so the better the rating. It holds, and word F even spreads less where ratings are low. "
            f"In the lowest quarter the deviations are {first.chrf_deviation:.1f} (chrF) and "
            f"{first.wordf_deviation:.1f} (word F), in the highest {last.chrf_deviation:.1f} and "
            f"{last.wordf_deviation:.1f}; word F is the wider one on {first.wider} of {len(TEXTS)} texts in the "
            f"lowest quarter and on {last.wider} in the highest."
        ),
        tables.spread_table(study),
        _image("spread.svg"),
        Paragraph(
            "Section 4.1: weight on precision is not good, and beta 2 and 3 are alike. It holds: over all texts chrF "
            f"has {at['chrF', 0.5].mean:.3f} at beta 0.5, {at['chrF', 1.0].mean:.3f} at 1, "
            f"{at['chrF', 2.0].mean:.3f} at 2 and {at['chrF', 3.0].mean:.3f} at 3."
        ),
        tables.beta_table(study),
        Paragraph(
            "Section 4.2: removing character unigrams or weighing them less brings no consistent improvement. It "
            f"holds: dropping them moves chrF by {none.mean - whole.mean:+.4f} over all texts."
        ),
        tables.unigram_table(study),
    ]


def _unprinted(study: Study) -> list[Block]:
    english, russian = (tables.best(study, target) for target in ("english", "russian"))
    at = {v.name: v for v in study.sweep if (v.unit, v.beta) == ("codepoint", 2.0)}
    return [
        Heading("What nobody printed: orders, units, averaging"),
        Paragraph(
            f"Of all numbers of orders up to ten characters and four words, `{english.name}` (characters, words) is "
            f"best for English with {english.english:.3f} and `{russian.name}` for Russian with "
            f"{russian.russian:.3f}. chrF++ is {english.english - at['c6w2'].english:.3f} below the best for English; "
            "every character order beyond six lowers the correlation for both languages, whatever the words. Both "
            "sweeps stand in the appendix, those of other units and betas in `summary.json`."
        ),
        tables.unit_table(study),
        tables.averaging_table(study),
    ]


def _follows(study: Study) -> list[Block]:
    averaged = {(v.name, v.averaging): v for v in study.averagings}
    f_first, means_first = (averaged["chrF++", a].mean for a in ("per_order_f", "mean_precision_recall"))
    beta = study.question("chrF2", "chrF1", "English")
    return [
        Heading("What follows for users"),
        Paragraph(
            f"Beta: 2. Below 2 agreement falls (beta 2 over beta 1: {_interval(beta)} for English), above it hardly "
            "changes."
        ),
        Paragraph(
            "Orders: chrF++ for English; chrF+ or chrF for Russian, with no gain to expect from bigrams. Other "
            "languages rich in word forms are not tested here."
        ),
        Paragraph(
            f"Averaging: either. Over all texts chrF++ has {f_first:.3f} with the F-scores averaged and "
            f"{means_first:.3f} with precision and recall averaged first; but the scores are different numbers and "
            "must not be mixed."
        ),
        Paragraph(
            "Units: code points. Bytes shorten the n-grams of every script beyond ASCII and cost Russian agreement; a "
            "comparison across units measures the unit."
        ),
    ]


def _appendix(study: Study) -> list[Block]:
    gains = [[study.question(row, "chrF2", target) for target in ("English", "Russian")] for row in ("c6w2", "c6w1")]
    return [
        Heading("Appendix: every cell"),
        Paragraph("A dash is a cell that cannot be read in the print. A row of words alone is the same on bytes."),
        *(tables.paper_table(study, number) for number in (1, 2, 3)),
        Heading("Appendix: every comparison"),
        *(tables.gains_table(questions) for questions in gains),
        tables.questions_table(study.questions, "All comparisons"),
        Heading("Appendix: every number of orders"),
        tables.sweep_table(study, "english"),
        tables.sweep_table(study, "russian"),
    ]
