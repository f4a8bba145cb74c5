"""The study written as a short paper; every number in it is computed."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from chrfect.report.document import Block, Document, Heading, Image, Paragraph
from chrfect.studies.popovic2017 import layouts
from chrfect.studies.popovic2017.cells import PLAIN_CHRF, count_equal
from chrfect.studies.popovic2017.gains import RESAMPLES, SEED
from chrfect.studies.popovic2017.pictures import CAPTIONS
from chrfect.studies.popovic2017.published import ENGLISH, MEAN, RUSSIAN, TEXTS, UNSEEN

if TYPE_CHECKING:
    from chrfect.studies.popovic2017.gains import Question
    from chrfect.studies.popovic2017.study import Study

BYTES = ("byte", "byte")
PRINTED = ("codepoint", "byte")
"""What the paper compares: combinations on code points with plain chrF on bytes."""

WORD_ROWS = ("wordF1", "wordF2", "wordF3", "word2F")
COMBINATIONS = ("c6w4", "c6w3", "c6w2", "c6w1")
OTHER_TEXTS = "English, unseen"


def paper(study: Study, *, images: Collection[str] = tuple(CAPTIONS)) -> Document:
    """Return the short paper, with those of its figures that `images` names; long tables are at its end."""
    parts = [_abstract(study), _data(study), _method(), _cells(study), _units(study), _formula(study)]
    parts += [_english(study), _unseen(study), _russian(study), _span(study), _claims(study), _more(study)]
    parts += [_related(), _limits(), _advice(study), _appendix(study)]
    blocks = [block for part in parts for block in part]
    return Document([block for block in blocks if not isinstance(block, Image) or block.name in images])


def _image(name: str) -> Image:
    return Image(name, CAPTIONS[name])


def _interval(question: Question) -> str:
    return f"{question.mean:+z.4f} (95% interval {question.low:+z.4f} to {question.high:+z.4f})"


def _over_texts(question: Question) -> str:
    bounds = f"{question.texts_low:+z.4f} to {question.texts_high:+z.4f}"
    return f"if texts are resampled as well, {bounds}; p = {question.texts_p:.3f} with texts as units"


def _abstract(study: Study) -> list[Block]:
    english, russian, unseen = (study.question("c6w2", "chrF2", group) for group in ("English", "Russian", OTHER_TEXTS))
    plus = study.question("c6w1", "chrF2", OTHER_TEXTS)
    return [
        Heading("Does chrF++ agree better with humans than chrF? Popović (2017) computed again", 1),
        Paragraph(
            "Popović (2017), “chrF++: words helping character n-grams”, introduced chrF++: it adds word unigrams and "
            "bigrams to the character n-grams of chrF because the correlation with direct human assessments rises. It "
            "leaves open whether unigrams alone (chrF+) are the better choice, and prefers both for English. The paper "
            "has neither significance tests nor intervals. We compute every legible cell of its three tables "
            "again, test the differences, repeat the main comparison on texts that the paper does not use, and check "
            "the claims of its text."
        ),
        Paragraph(
            f"Results. {study.verdict}, if plain chrF is computed on UTF-8 bytes and everything else on code points. "
            "With the same unit on both sides, the gain of chrF++ over chrF in Pearson's r is "
            f"{_interval(english)} on the ten texts with English as target, and {_interval(russian)} on the two with "
            f"Russian. On seven English texts of the next year it is {_interval(unseen)}, while chrF+, with word "
            f"unigrams alone, gains {_interval(plus)} there."
        ),
    ]


def _data(study: Study) -> list[Block]:
    segments = sum(len(text.human) for text in study.seen)
    unseen = sum(len(text.human) for text in study.texts) - segments
    return [
        Heading("Data"),
        Paragraph(
            f"The paper measures on {len(TEXTS)} texts with segment-level direct assessments of the WMT 2015 and 2016 "
            f"news tasks: {len(ENGLISH)} with English as target, {len(RUSSIAN)} with Russian, {segments:,} segments "
            f"in all, each with one reference and one human score, a z-score. We add the {len(UNSEEN)} texts of WMT "
            f"2017 with English as target, {unseen:,} segments with human scores of the same kind. The paper "
            "does not use them, so they test its conclusions on other texts."
        ),
    ]


def _method() -> list[Block]:
    return [
        Heading("Method"),
        Paragraph(
            "The n-grams of each segment are counted once, characters of orders 1 to 18 and words of orders 1 to 4. "
            "Every row of every table is a selection of these orders. Unless stated otherwise the F-scores of all "
            "orders are averaged (`per_order_f`), and beta is 2. Agreement is Pearson's r of segment scores with human "
            "scores, one text at a time."
        ),
        Paragraph(
            "Differences of two correlations on the same text are tested by Williams's test, two-sided, corrected by "
            "Holm over the texts of a group; the null hypothesis is that both correlations are equal in the population "
            "of segments. A mean difference is the mean over texts. It has two 95% percentile bootstrap intervals "
            f"({RESAMPLES:,} resamples, seed {SEED}). The first resamples segments within each text, and applies to "
            "other segments of these texts. The second resamples texts as well, and applies to other texts. “p by "
            "texts” is the p-value of a sign-flip test with texts as units: of all ways to choose the signs of the "
            "differences of the texts, the share whose mean is at least as far from 0 as the observed one. The null "
            "hypothesis is that the differences of the texts are distributed symmetrically about 0. With two Russian "
            "texts, this p-value cannot be below .5, and the interval that resamples texts says little. "
            "Percentile intervals over so few texts are somewhat too narrow. Intervals and p-values of several "
            "comparisons are not corrected for their number unless stated."
        ),
    ]


def _cells(study: Study) -> list[Block]:
    return [
        Heading("The paper's tables"),
        Paragraph(
            "The table has one line for each row of Tables 1 to 3 of the paper: the mean over the texts as printed, "
            "the recomputed means with code points and with UTF-8 bytes as characters, and the number of legible "
            "single-text cells that are equal at three decimals. Cells that are illegible in the text extracted from "
            "the paper are left out; they may be legible in print. All cells are in the appendix."
        ),
        layouts.summary_table(study),
        Paragraph(
            "One printed mean is not the mean of its row. All cells of the row are reproduced, but neither the printed "
            "nor the recomputed cells have this mean, so it is probably a misprint:"
        ),
        layouts.means_table(study),
        _image("figure1.svg"),
        _image("figure2.svg"),
    ]


def _units(study: Study) -> list[Block]:
    code_points, bytes_ = (count_equal(study.cells, reading, PLAIN_CHRF) for reading in ("codepoint", "byte"))
    others = tuple(
        row for name, rows in layouts.GROUPS.items() if "word" not in name for row in rows if row not in PLAIN_CHRF
    )
    others_equal = [count_equal(study.cells, reading, others)[0] for reading in ("codepoint", "byte")]
    farthest = max(abs(cell.paper - cell.published) for cell in layouts.unequal(study) if cell.published is not None)
    return [
        Heading("Code points or bytes"),
        layouts.equal_table(study),
        Paragraph(
            f"The rows of plain chrF are reproduced on bytes ({bytes_[0]} of {bytes_[1]} cells) and not on code points "
            f"({code_points[0]} of {code_points[1]}). For single character orders and combinations, the opposite "
            f"holds: {others_equal[0]} cells are reproduced on code points and {others_equal[1]} on bytes. So the "
            "paper compares chrF++ on code points with chrF on bytes. In English text hardly any character has more "
            "than one byte; in Russian almost every letter has two, so that a byte 6-gram spans three letters."
        ),
        layouts.unequal_table(study),
        Paragraph(
            f"The cells that differ are all of one text, and differ by at most {farthest:.4f}. The author's version of "
            "this text may have been slightly different."
        ),
    ]


def _formula(study: Study) -> list[Block]:
    words, combined = (
        [count_equal(study.cells, reading, rows) for reading in ("codepoint", "formula")]
        for rows in (WORD_ROWS, COMBINATIONS)
    )
    plain = count_equal(study.cells, "formula", PLAIN_CHRF)
    return [
        Heading("The formula of the paper and the formula of its tables"),
        Paragraph(
            "By the formula in the paper, precision and recall are averaged over the orders, and F is computed from "
            f"the averages. Its tables were computed differently. Of the {words[0][1]} cells of the word rows, "
            f"{words[0][0]} are reproduced if the F-scores of the orders are averaged, and {words[1][0]} by the stated "
            f"formula. Of the {combined[0][1]} cells of the combinations of characters and words, {combined[0][0]} and "
            f"{combined[1][0]} are reproduced. Plain chrF hardly differs ({plain[0]} of {plain[1]} cells by the stated "
            "formula, on bytes). The tool published with the paper averages F-scores; most tools today, sacreBLEU "
            "among them, average precision and recall first. The choice hardly changes the agreement of chrF and "
            "chrF++ with humans (see below), but it changes the scores, so scores by different formulas must not be "
            "compared."
        ),
    ]


def _english(study: Study) -> list[Block]:
    plus_plus, plus = (study.question(row, "chrF2", "English") for row in ("c6w2", "c6w1"))
    between = study.question("c6w2", "c6w1", "English")
    return [
        Heading("English, the texts of the paper"),
        Paragraph(
            f"On code points chrF++ gains {_interval(plus_plus)} over chrF; {_over_texts(plus_plus)}. It is better on "
            f"{plus_plus.better} of {len(plus_plus.gains)} texts, and significantly different on "
            f"{plus_plus.significant}. Bigrams add {_interval(between)} to unigrams alone; {_over_texts(between)}. "
            "On bytes the differences are nearly the same, because English is nearly all ASCII. These are the texts "
            "on which the combination was chosen, so the gain is likely to be overstated."
        ),
        layouts.questions_table([plus_plus, plus, between], "English as target, code points"),
        _image("gains.svg"),
    ]


def _unseen(study: Study) -> list[Block]:
    plus_plus, plus = (study.question(row, "chrF2", OTHER_TEXTS) for row in ("c6w2", "c6w1"))
    between = study.question("c6w2", "c6w1", OTHER_TEXTS)
    seen = study.question("c6w2", "chrF2", "English")
    return [
        Heading("English, texts that the paper does not use"),
        layouts.unseen_table(study),
        Paragraph(
            f"On the {len(UNSEEN)} texts of WMT 2017 chrF++ gains {_interval(plus_plus)} over chrF; "
            f"{_over_texts(plus_plus)}. That is {plus_plus.mean / seen.mean:.0%} of the gain on the paper's texts, "
            f"and both intervals include 0. chrF+ gains {_interval(plus)}; {_over_texts(plus)}, which would not be "
            "below .05 if corrected for the three comparisons of this section. Bigrams do not add to unigrams: "
            f"{_interval(between)} over chrF+; {_over_texts(between)}."
        ),
        layouts.questions_table([plus_plus, plus, between], "English as target, unseen texts, code points"),
    ]


def _russian(study: Study) -> list[Block]:
    plus_plus, plus = (study.question(row, "chrF2", "Russian") for row in ("c6w2", "c6w1"))
    on_bytes = study.question("c6w2", "chrF2", "Russian", BYTES)
    printed = study.question("c6w2", "chrF2", "Russian", PRINTED)
    unit = study.question("chrF2", "chrF2", "Russian", PRINTED)
    between = study.question("c6w2", "c6w1", "Russian")
    return [
        Heading("Russian"),
        Paragraph(
            f"The paper's comparison, chrF++ on code points with chrF on bytes, gives {_interval(printed)}. On code "
            f"points alone the difference of chrF++ is {_interval(plus_plus)}, while the step from bytes to code "
            f"points alone is {_interval(unit)}. So the step accounts for the whole difference. The effects of unit "
            f"and words do not add up, however: with bytes on both sides chrF++ gains {_interval(on_bytes)} on these "
            "segments, so words make up for part of what plain chrF loses on bytes."
        ),
        layouts.questions_table([printed, unit, on_bytes, plus_plus, plus, between], "Russian as target"),
        Paragraph(
            "The paper finds chrF+ the best variant for Russian. On these segments that holds: the gain of chrF++ over "
            f"chrF+ is {_interval(between)}, negative on both texts. The interval of the gain of chrF+ over chrF, "
            f"{_interval(plus)}, includes 0. Two texts of one language do not support a conclusion about other texts; "
            "the paper says so itself."
        ),
    ]


def _span(study: Study) -> list[Block]:
    at = {span.order: span for span in study.spans}
    best = max(study.spans, key=lambda span: span.russian_byte)
    whole = at[6].russian_codepoint - at[6].russian_byte
    rest = at[6].russian_codepoint - best.russian_byte
    return [
        Heading("The span of n-grams or the unit"),
        layouts.span_table(study),
        Paragraph(
            "Bytes change two things: the unit, and how many letters an n-gram spans. With order 6 Russian loses "
            f"{whole:.4f} on bytes ({at[6].russian_codepoint:.4f} to {at[6].russian_byte:.4f}). If byte n-grams may be "
            f"longer, they reach {best.russian_byte:.4f} at order {best.order} "
            f"({at[10].russian_byte:.4f} at order 10, {at[12].russian_byte:.4f} at order 12, which spans six Cyrillic "
            f"letters), which leaves a loss of {rest:.4f}. So on these two texts, most of the loss is due to the "
            "shorter span, not to the unit; but the best order was chosen on the same texts. For English, longer "
            "orders only lower the correlation."
        ),
    ]


def _at_least(texts: int) -> str:
    return f"all {len(TEXTS)} texts" if texts == len(TEXTS) else f"at least {texts} of {len(TEXTS)} texts"


def _claims(study: Study) -> list[Block]:
    first, last = study.spreads[0], study.spreads[-1]
    at = {(v.name, v.beta): v for v in study.precision}
    drop = {v.name: v for v in study.unigrams}
    whole, none = (drop[f"chrF, weight of chr1 {share}"] for share in ("1", "0"))
    return [
        Heading("Other claims of the paper"),
        Paragraph(
            "Section 3 repeats a finding of Popović (2016) on other texts: for poorly rated segments the standard "
            "deviations of chrF and word F are similar, for well rated ones that of chrF is lower. By standard "
            f"deviations this roughly holds: {first.chrf_deviation:.1f} (chrF) and {first.wordf_deviation:.1f} (word "
            f"F) in the lowest quarter, {last.chrf_deviation:.1f} and {last.wordf_deviation:.1f} in the highest. But "
            "the means differ as well, and a deviation usually grows with the mean. Relative to the means, word F "
            f"spreads more in every quarter: {first.wordf_relative:.2f} against {first.chrf_relative:.2f} in the "
            f"lowest, {last.wordf_relative:.2f} against {last.chrf_relative:.2f} in the highest, on "
            f"{_at_least(min(s.relatively_wider for s in study.spreads))} in each quarter. Each number is the mean of "
            "its values on the single texts. The claim depends on which of the two measures of spread is used, and "
            "these data do not decide which one describes the scores better."
        ),
        layouts.spread_table(study),
        _image("spread.svg"),
        Paragraph(
            "Section 4.1: weight on precision lowers agreement, and beta 2 and 3 give similar agreement. Both hold on "
            f"these texts: over all texts chrF has {at['chrF', 0.5].mean:.3f} at beta 0.5, {at['chrF', 1.0].mean:.3f} "
            f"at 1, {at['chrF', 2.0].mean:.3f} at 2 and {at['chrF', 3.0].mean:.3f} at 3."
        ),
        layouts.beta_table(study),
        Paragraph(
            "Section 4.2: removing character unigrams or weighting them less brings no consistent improvement. This "
            f"holds: without them, the mean correlation of chrF changes by {none.mean - whole.mean:+.4f}."
        ),
        layouts.unigram_table(study),
        Paragraph(
            "Section 4.2 also finds character orders 3 and 4 and word orders 1 and 2 the best single ones, and section "
            "4.3 that word F improves without its orders 3 and 4. Both hold for the recomputed means: "
            f"{_means(study, 'chr3', 'chr4')} for characters, {_means(study, 'word1', 'word2')} for words, and "
            f"{_means(study, 'wordF2', 'word2F')} for word F up to orders 4 and 2. Of the combinations of section 4.3, "
            f"chrF++ has the highest mean on code points too, {_means(study, 'c6w2')}; chrF+ has "
            f"{_means(study, 'c6w1')}, and is higher for Russian."
        ),
    ]


def _means(study: Study, *rows: str) -> str:
    at = {cell.row: cell for cell in study.cells if cell.text == MEAN}
    return " and ".join(f"{at[row].codepoint:.3f}" for row in rows)


def _more(study: Study) -> list[Block]:
    english, russian = (layouts.best(study, target) for target in ("english", "russian"))
    at = {v.name: v for v in study.sweep if (v.unit, v.beta) == ("codepoint", 2.0)}
    return [
        Heading("Orders, units and averaging"),
        Paragraph(
            f"Of all numbers of orders up to ten characters and four words, `{english.name}` (characters, words) is "
            f"highest for English with {english.english:.3f}, and `{russian.name}` for Russian with "
            f"{russian.russian:.3f}. Each is the largest of {len(at)} values on the same texts, so it is too "
            f"optimistic. chrF++ is {english.english - at['c6w2'].english:.3f} below the highest for English. Every "
            "character order beyond six lowers the correlation for both languages, for every number of word orders. "
            "Both tables are in the appendix; those of other units and betas are in `summary.json`."
        ),
        layouts.unit_table(study),
        layouts.averaging_table(study),
    ]


def _related() -> list[Block]:
    return [
        Heading("Related work"),
        Paragraph(
            "Popović (2015) introduced chrF. Popović (2016) found beta 2 best for chrF and word F by Kendall's tau "
            "with relative rankings. Post (2018) quantified how much BLEU changes with parameters that papers do not "
            "report; the unit and the averaging found here are such parameters of chrF. Graham and Baldwin (2014) "
            "introduced Williams's test for metrics of translation. Deutsch, Dror and Roth (2021) proposed bootstrap "
            "intervals and permutation tests for correlations of summarization metrics, and found the intervals wide. "
            "Mathur, Baldwin and Cohn (2020) showed that judgements of metrics depend on the translations used, "
            "outliers above all. Kocmi et al. (2021) judged metrics by how often they order pairs of systems as humans "
            "do. Both concern scores of systems; we compare scores of segments. The author submitted chrF++ to the "
            "metrics task of WMT 2017 (Bojar, Graham and Kamran 2017), whose data include the texts of 2017; we do not "
            "compare our results with the correlations reported there."
        ),
    ]


def _limits() -> list[Block]:
    return [
        Heading("Limits"),
        Paragraph(
            "All texts are news, with one reference each. Human scores are noisy, which lowers all correlations. The "
            "data do not name the systems of the paper's texts, so segments are treated as independent although "
            "outputs of one system may share their quality; intervals and Williams's test may therefore be too "
            "optimistic. Correlation of segments says "
            "nothing about the ranking of systems. There are only two Russian texts, and no other morphologically rich "
            "target language."
        ),
    ]


def _advice(study: Study) -> list[Block]:
    averaged = {(v.name, v.averaging): v for v in study.averagings}
    f_first, means_first = (averaged["chrF++", a].mean for a in ("per_order_f", "mean_precision_recall"))
    word_f, word_means = (averaged["wordF", a].english for a in ("per_order_f", "mean_precision_recall"))
    beta, unseen = (study.question("chrF2", "chrF1", group) for group in ("English", OTHER_TEXTS))
    above, above_unseen = (study.question("chrF3", "chrF2", group) for group in ("English", OTHER_TEXTS))
    return [
        Heading("What follows for users"),
        Paragraph(
            f"Beta: use 2 for scores of segments. Over beta 1 it gains {_interval(beta)} for English and "
            f"{_interval(unseen)} on the unseen texts; {_over_texts(unseen)}, so the result may differ on other texts. "
            f"Beta 3 gains {_interval(above)} over beta 2 for English, and {_interval(above_unseen)} on the unseen "
            "texts."
        ),
        Paragraph(
            "Words: for English, word unigrams (chrF+) improved the mean correlation both on the paper's and on the "
            "unseen texts. Bigrams (chrF++) did not improve it further on the unseen texts. All these differences are "
            "below .02 in Pearson's r; comparability with earlier work is a better reason for the choice between chrF "
            "and chrF++. For Russian there is no evidence that words help. Other languages are not "
            "tested here."
        ),
        Paragraph(
            f"Averaging: both are suitable. Over all texts chrF++ has {f_first:.3f} with the F-scores averaged and "
            f"{means_first:.3f} with precision and recall averaged first; for word F and English it is {word_f:.3f} "
            f"and {word_means:.3f}. The scores differ, so they must not be compared with each other."
        ),
        Paragraph(
            "Units: use code points, as most tools do. A byte n-gram of the same order spans fewer letters in every "
            "script beyond ASCII; for Russian, longer orders made up for most of the loss. Scores on different units "
            "must not be compared."
        ),
    ]


def _appendix(study: Study) -> list[Block]:
    groups = ("English", "Russian", OTHER_TEXTS)
    gains = [[study.question(row, "chrF2", group) for group in groups] for row in ("c6w2", "c6w1")]
    return [
        Heading("Appendix: every cell"),
        Paragraph(
            "A dash marks a cell that is illegible in the text extracted from the paper. Rows of words alone are the "
            "same on bytes."
        ),
        *(layouts.paper_table(study, number) for number in (1, 2, 3)),
        Heading("Appendix: every comparison"),
        *(layouts.gains_table(questions) for questions in gains),
        layouts.questions_table(study.questions, "All comparisons"),
        Heading("Appendix: every number of orders"),
        layouts.sweep_table(study, "english"),
        layouts.sweep_table(study, "russian"),
    ]
