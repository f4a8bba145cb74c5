"""Tables and figures of a meta-evaluation, including undefined, single and many values."""

import re

import numpy as np
import pytest
import scipy.stats

from chrfect.errors import ChrfectWarning, UsageError
from chrfect.meta import Measure, Panel, Statistic
from chrfect.meta.judgement import Settings, judge
from chrfect.report.agreement import figures, page, tables
from chrfect.report.figures import canvas, save, scatter

QUICK = Settings(resamples=10, permutations=10)


def panel(name="a-b", systems=4, items=30, **more):
    generator = np.random.default_rng(0)
    human = np.round(generator.normal(size=(systems, items)), 1)
    metrics = {"m": human + generator.normal(size=human.shape)} | {k: np.full(human.shape, v) for k, v in more.items()}
    return Panel(name, [f"S{i}" for i in range(systems)], [f"{i}" for i in range(items)], human, metrics)


def two_metrics(name="en-de"):
    one = panel(name)
    noise = np.random.default_rng(1).normal(size=one.human.shape)
    return Panel(name, one.systems, one.items, one.human, one.metrics | {"n": one.human + noise})


def test_an_undefined_metric_is_a_dash_without_rank_and_draws_nothing():
    data = panel(flat=0.1)
    with pytest.warns(ChrfectWarning, match="flat is undefined"):
        judgement = judge([data], [Measure(Statistic("pearson"))], QUICK)
    text = tables(judgement)[0][0].text()
    assert text.splitlines()[-1].split() == ["–", "flat", "–", "–", "–"]
    drawn = figures(judgement, [data])
    assert set(drawn) == {"a-b-scatter", "a-b-distributions", "pearson-by-panel"}


def test_several_panels_have_separate_tables_and_pooled_pairs():
    data = [panel("a-b"), panel("c/d", systems=7)]
    judgement = judge(data, [Measure(Statistic("accuracy"), level="system")], Settings(test="none", interval="none"))
    table, lines = tables(judgement)[-1]
    assert [row[0] for row in table.rows] == ["a-b", "c/d", "mean, where defined", "all pairs together"]
    assert lines == []
    first, second = table.rows[0][1], table.rows[1][1]
    assert table.rows[3][1] == pytest.approx((first * 6 + second * 21) / 27)
    assert all("/" not in name for name in figures(judgement, data))


def test_undefined_resamples_are_counted_for_each_metric():
    few = Panel("p", ["A", "B", "C"], ["1"], [[1], [2], [3]], {"m": [[1], [2], [4]], "n": [[1], [1], [4]]})
    judgement = judge(
        [few], [Measure(Statistic("pearson"), level="system")], Settings(resampled="systems", test="none")
    )
    undefined = {metric: interval.undefined for metric, interval in judgement.judged[0].intervals.items()}
    assert 0 < undefined["m"] < undefined["n"] < 1000
    [(_, lines)] = tables(judgement)
    assert f"undefined resamples, left out: m in {undefined['m']}, n in {undefined['n']}" in lines


def test_figures_are_reproducible_byte_for_byte(tmp_path):
    data = panel()
    judgement = judge([data], [Measure(Statistic("kendall-b"), grouping="item")], QUICK)
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        for name, figure in figures(judgement, [data]).items():
            save(figure, str(folder / f"{name}.svg"))
    assert len(list(first.iterdir())) == 3
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()
        assert b"<dc:date>" not in path.read_bytes()


def test_regression_band_uses_the_t_distribution():
    x, y = np.array([1.0, 2, 3, 5]), np.array([2.0, 1, 4, 6])
    _, axes = canvas(2, 2)
    scatter(axes[0, 0], x, y)
    corners = axes[0, 0].collections[1].get_paths()[0].vertices
    low, high = (edge(corners[corners[:, 0] == 5, 1]) for edge in (np.min, np.max))
    fit = scipy.stats.linregress(x, y)
    rest = y - fit.intercept - fit.slope * x
    error = np.sqrt(rest @ rest / 2) * np.sqrt(1 / 4 + (5 - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    assert high - low == pytest.approx(2 * scipy.stats.t.ppf(0.975, 2) * error)


def test_long_names_are_not_cut_off(tmp_path):
    data = two_metrics("a-set-of-texts-with-quite-a-long-name-2021.en-de.mqm-ratings")
    judgement = judge([data], [Measure(Statistic("pearson"))], QUICK)
    figure = figures(judgement, [data])[f"{data.name}-pearson-significance"]
    save(figure, str(tmp_path / "f.svg"))
    width = float(re.search(r'width="([0-9.]+)pt"', (tmp_path / "f.svg").read_text())[1])
    assert width >= 72 * figure.axes[0].title.get_window_extent().width / figure.dpi


def test_every_figure_of_a_page_has_a_caption():
    data = two_metrics()
    measures = [Measure(Statistic("kendall-b"), grouping="item"), Measure(Statistic("pearson"))]
    judgement = judge([data], measures, QUICK)
    images = dict.fromkeys(figures(judgement, [data]), b"<svg/>")
    written = page(judgement, 3, images)
    assert len(images) == 6
    assert written.count("<figcaption>") == 6
    assert "<figcaption>en-de: scores against human ratings" in written


def test_calibration_figure_equals_the_table():
    data = two_metrics()
    calibrated = Measure(Statistic("accuracy-calibrated", margin=0.8), grouping="item", average="micro")
    judgement = judge([data], [Measure(Statistic("accuracy"), grouping="item"), calibrated], QUICK)
    one = judgement.judged[1]
    drawn = figures(judgement, [data])
    assert [name for name in drawn if name.endswith("-calibration")] == ["en-de-accuracy-calibrated-calibration"]
    axes = drawn["en-de-accuracy-calibrated-calibration"].axes[0]
    assert axes.get_title(loc="left") == "en-de: accuracy-calibrated (human differences below 0.8 tied)"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        f"{a.metric}: {a.value:.3f} at {a.epsilon:.3g}" for a in one.agreements
    ]
    for agreement, line in zip(one.agreements, axes.get_lines(), strict=True):
        [at] = line.get_markevery()
        deviation = np.std(data.metrics[agreement.metric])
        assert line.get_xdata()[at] * deviation == pytest.approx(agreement.epsilon)
        assert line.get_ydata()[at] == pytest.approx(agreement.value)


def test_reports_of_agreement_do_no_arithmetic(root):
    source = (root / "src" / "chrfect" / "report" / "agreement.py").read_text(encoding="utf-8")
    assert "numpy" not in source


def test_rejects_other_file_extensions(tmp_path):
    figure, _ = canvas(1, 1)
    with pytest.raises(UsageError, match="figures are written as svg, png, pdf; the suffix is 'jpg'"):
        save(figure, str(tmp_path / "f.jpg"))


def test_error_without_matplotlib_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install matplotlib"):
        canvas(1, 1)
