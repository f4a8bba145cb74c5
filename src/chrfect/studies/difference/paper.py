"""The study of differences written as a short paper; every number in it is computed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from chrfect.report.document import Block, Document, Heading, Paragraph
from chrfect.report.table import Cell, Table
from chrfect.studies.difference.study import (
    BEST,
    COARSE,
    CURVE_RESAMPLES,
    EDGES,
    LEVELS,
    MAIN,
    MARGINS,
    PUBLISHED,
    RESAMPLES,
    SEED,
    SEGMENT_TEST,
    published,
)
from chrfect.studies.testsets import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chrfect.studies.difference.study import Needed, Share, Study


def paper(study: Study) -> Document:
    """Return the short paper."""
    overall = study.overall["chrF"]
    systems = sum(len(one.systems) for one in study.counted)
    bins = study.bins["chrF"]
    below, above = bins[1], bins[6]
    blocks: list[Block] = [
        Heading("What does a difference of one chrF mean?", 1),
        Paragraph(
            "A paper reports that one system has 0.6 chrF more than another. How likely do humans prefer it? We "
            f"compare {overall.pairs:,} pairs of {systems} systems on {len(study.counted)} test sets of WMT 2018 and "
            f"2019. The share of pairs on which chrF agrees with humans is {_share(overall)}. It depends on the size "
            f"of the difference: {_share(below)} at differences of 0.5 to 1, and {_share(above)} at 4 to 6."
        ),
        Heading("Quick reference"),
        Paragraph(
            "How often humans prefer the system with the higher score, by the difference in corpus score. In "
            "parentheses: 95% intervals for other test sets and systems. Where the metric agrees with humans on every "
            "pair, the bootstrap interval shrinks to a point. This does not mean certainty: resampling cannot produce "
            "a disagreement that the data do not contain."
        ),
        quick_reference(study),
        needed_table(study, MAIN),
        Heading("Data and method"),
        Paragraph(
            "The test sets are newstest2018 and newstest2019 with all system outputs and the official system-level "
            "direct assessments, standardised by rater. Scores are corpus scores against one reference. BLEU uses the "
            "tokenizer 13a, or zh for Chinese. A metric agrees with humans on a pair if both give the higher score to "
            "the same system. Pairs with equal human scores are left out; a tie in the metric counts as disagreement."
        ),
        Paragraph(
            "Pairs are not independent: each system is in many pairs, and all pairs of a test set share its "
            "segments and raters. For the intervals, we therefore resample test sets, and systems within each test set "
            f"({RESAMPLES:,} resamples, seed {SEED}), and weight each pair by how often both systems were drawn. The "
            "difference needed for a level of agreement is computed by a monotone (isotonic) regression of agreement "
            f"on the difference, and its interval from the first {CURVE_RESAMPLES} of the resamples. Intervals are not "
            "corrected for the number of bins or metrics."
        ),
        Paragraph(
            "Human scores are noisy, and these data lack the single ratings that would be needed to separate this "
            "noise from errors of the metric. Part of the disagreement is therefore due to the human scores. We repeat "
            "the analysis without pairs whose human scores differ by little. This removes noise, but also pairs that "
            "are truly close, so it overstates agreement."
        ),
        margin_table(study),
        Heading("Metrics and their parameters"),
        metric_table(study),
        Paragraph(_metrics(study)),
        needed_table(study, tuple(study.needed)),
        Heading("Which pairs"),
        group_table(study),
        Paragraph(_groups(study)),
        target_table(study),
        Heading("Significance on the test set"),
        Paragraph(_significance(study)),
        Heading("Compared with published curves"),
        published_table(study),
        Paragraph(_published(study)),
        Heading("What a comparison should report"),
        Paragraph(
            "Report the metric with its full signature, the scores of both systems, and the difference with its "
            "confidence interval or test on the test set. A significant difference means that the higher score is "
            "unlikely to be due to the choice of segments. It does not mean that humans prefer the system; for that, "
            f"look up the size of the difference above. {_advice(study)} Do not compare differences of different "
            "metrics or parameters without the table, and do not apply the table to other domains, to document-level "
            "evaluation, or to other kinds of systems, such as large language models: these data contain none."
        ),
        Heading("Limits"),
        Paragraph(
            "The data are news texts with one reference, systems of 2018 and 2019, and eleven target languages, most "
            "of them with one test set. Some systems of a test set are variants of one system. The human scores are "
            "official averages of different numbers of ratings, partly by researchers and partly by crowd workers, "
            "with the source or the reference shown depending on the language pair."
        ),
    ]
    return Document(blocks)


def _share(share: Share) -> str:
    if share.value is None:
        return "–"
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"


def _overlap(one: Share, two: Share) -> bool:
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return True
    return one.low <= two.high and two.low <= one.high


def _bin(low: float, high: float) -> str:
    return f"{low:g} and more" if math.isinf(high) else f"{low:g} to {high:g}"


def _edges(edges: Sequence[float]) -> list[str]:
    return [_bin(low, high) for low, high in pairwise(edges)]


def quick_reference(study: Study) -> Table:
    """Return the table that readers can keep."""
    rows: list[list[Cell]] = []
    for at, name in enumerate(_edges(EDGES)):
        row: list[Cell] = [name]
        for metric in MAIN:
            share = study.bins[metric][at]
            row += [share.pairs, _share(share)]
        rows.append(row)
    columns = ["difference", *(cell for metric in MAIN for cell in ("pairs", metric))]
    return Table(columns, rows, 2, "Share of pairs that humans order as the metric does")


def _written(needed: Needed) -> str:
    value, low, high = ("more than any" if x is None else f"{x:.1f}" for x in (needed.value, needed.low, needed.high))
    return value if needed.value is None else f"{value} ({low} to {high})"


def needed_table(study: Study, metrics: Sequence[str]) -> Table:
    """Return the difference needed for each level of agreement."""
    rows: list[list[Cell]] = [[metric, *map(_written, study.needed[metric])] for metric in metrics]
    return Table(["metric", *(f"{level:.0%}" for level in LEVELS)], rows, 1, "Difference needed for this agreement")


def margin_table(study: Study) -> Table:
    """Return the agreement of chrF without pairs whose human scores are close."""
    rows: list[list[Cell]] = [
        [
            name,
            *(
                cell
                for margin in MARGINS
                for cell in (study.margins[margin][at].pairs, _share(study.margins[margin][at]))
            ),
        ]
        for at, name in enumerate(_edges(EDGES))
    ]
    columns = ["difference", *(cell for margin in MARGINS for cell in ("pairs", f"human difference from {margin:g}"))]
    return Table(columns, rows, 2, "chrF: agreement without pairs whose human scores are closer")


def metric_table(study: Study) -> Table:
    """Return the agreement of every metric on all pairs."""
    rows: list[list[Cell]] = []
    for metric, share in study.overall.items():
        gain = study.gains.get(metric)
        rows.append([metric, f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})"])
        rows[-1].append("–" if gain is None else f"{gain[0]:+.3f} ({gain[1]:+.3f} to {gain[2]:+.3f})")
    return Table(["metric", "agreement", "minus chrF"], rows, 3, "Agreement on all pairs")


def _metrics(study: Study) -> str:
    apart = {name: gain for name, gain in study.gains.items() if gain[1] > 0 or gain[2] < 0}
    better = [name for name, gain in apart.items() if gain[0] > 0]
    worse = [name for name, gain in apart.items() if gain[0] < 0]
    found = (
        f"For {len(apart)} of {len(study.gains)} other metrics and parameters, the interval of the difference from "
        f"chrF excludes 0: above chrF {', '.join(better) or 'none'}; below {', '.join(worse) or 'none'}."
        if apart
        else f"For none of {len(study.gains)} other metrics and parameters does the interval of the difference from "
        "chrF exclude 0."
    )
    return (
        f"{found} One interval in twenty is expected to exclude 0 by chance. The metrics have different scales: the "
        "difference needed for the same agreement depends on the metric, as the next table shows."
    )


def group_table(study: Study) -> Table:
    """Return the agreement of chrF by group of pairs and size of difference."""
    rows: list[list[Cell]] = [
        [name, sum(share.pairs for share in shares), *map(_share, shares)] for name, shares in study.groups.items()
    ]
    return Table(
        ["pairs of systems", "pairs", *_edges(COARSE)], rows, 2, "chrF: agreement by difference and kind of pair"
    )


def _groups(study: Study) -> str:
    similar, dissimilar = study.groups["similar outputs"], study.groups["dissimilar outputs"]
    best = study.groups[f"both among the {BEST} best systems"]
    overlap = "; the intervals overlap" if _overlap(similar[2], dissimilar[2]) else ""
    return (
        "Outputs are similar if chrF between them is above the median of all pairs. At differences of 2 to 4, "
        f"agreement is {_share(similar[2])} for similar and {_share(dissimilar[2])} for dissimilar outputs{overlap}. "
        f"Among the {BEST} best systems of each test set, agreement is {_share(best[0])} at differences below 1 and "
        f"{_share(best[1])} at 1 to 2. These systems are the best by human score. Their human scores are close, and "
        "the choice depends on the noise in them, so part of this disagreement is due to the human scores."
    )


def target_table(study: Study) -> Table:
    """Return the agreement of chrF by target language."""
    rows: list[list[Cell]] = [
        [LANGUAGES[code], sum(one.target == code for one in study.counted), share.pairs, _share(share)]
        for code, share in study.targets.items()
    ]
    columns = ["target", "test sets", "pairs", "agreement"]
    return Table(columns, rows, 2, "chrF: agreement on all pairs by target (one test set: the interval is of systems)")


def _significance(study: Study) -> str:
    yes, no = study.groups["significant on the test set"], study.groups["not significant on the test set"]
    total = sum(share.pairs for share in yes)
    return (
        f"By a {SEGMENT_TEST}, {total:,} of {study.overall['chrF'].pairs:,} differences in chrF are significant at "
        f".05. At differences below 1, agreement is {_share(yes[0])} if the difference is significant and "
        f"{_share(no[0])} if it is not. Of the differences of 1 to 2, {yes[1].pairs} of {yes[1].pairs + no[1].pairs} "
        f"are significant; agreement on these is {_share(yes[1])}. On test sets of one to four thousand segments, "
        "nearly every difference of more than one point is significant. For such differences, significance adds "
        "little to what the size says about human preference."
    )


def published_table(study: Study) -> Table:
    """Return our agreement beside the published curves."""
    rows: list[list[Cell]] = []
    for at, name in enumerate(_edges(EDGES)):
        row: list[Cell] = [name]
        for metric in PUBLISHED:
            share = study.bins[metric][at]
            expected = None if share.difference is None else published(metric, share.difference)
            row += [_share(share), "–" if expected is None else f"{expected:.2f}"]
        rows.append(row)
    columns = ["difference", *(cell for metric in PUBLISHED for cell in (metric, "published"))]
    return Table(columns, rows, 2, "Agreement here, and by the curves of Kocmi et al. (2024) at the mean difference")


def _published(study: Study) -> str:
    inside = total = 0
    for metric in PUBLISHED:
        for share in study.bins[metric]:
            if share.low is not None and share.high is not None and share.difference is not None:
                total += 1
                inside += share.low <= published(metric, share.difference) <= share.high
    return (
        "Kocmi, Zouhar, Federmann and Post (2024) fit such curves to a larger, private collection of pairs of "
        f"systems. Their curve is within our interval in {inside} of {total} bins. For large differences it approaches "
        f"{PUBLISHED['chrF'][0]:.0%} for chrF and {PUBLISHED['BLEU'][0]:.0%} for BLEU; here, the agreement of chrF is "
        f"{_share(study.bins['chrF'][-2])} at differences of 6 to 10. Their systems, texts and human scores differ "
        "from these, so the curves need not be equal."
    )


def _advice(study: Study) -> str:
    at_90 = study.needed["chrF"][LEVELS.index(0.9)]
    small = study.groups["into English"][0], study.groups["into other languages"][0]
    return (
        f"On these data, 90% agreement needs a difference of {_written(at_90)} chrF. At differences below one point, "
        f"agreement is {_share(small[0])} into English and {_share(small[1])} into other languages, so such a "
        "difference alone is weak evidence."
    )
