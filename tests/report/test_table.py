import json

from chrfect.report import Table
from chrfect.report.table import p_cell

TABLE = Table(["system", "chrF"], [["a_b & <c>|", 61.256], ["语言", None]], caption="Scores of 100% <all>")


def test_text_is_aligned_by_display_width():
    assert Table(["system", "chrF"], [["语言", 1.0], ["A", 22.5]]).text().splitlines() == [
        "system   chrF",
        "------  -----",
        "语言     1.00",
        "A       22.50",
    ]


def test_html_escapes_everything():
    page = TABLE.html()
    assert "a_b &amp; &lt;c&gt;|" in page
    assert "<c>" not in page
    assert "<caption>Scores of 100% &lt;all&gt;</caption>" in page


def test_latex_escapes_special_characters():
    assert r"a\_b \& \textless{}c\textgreater{}|" in TABLE.latex()


def test_latex_sets_negative_numbers_with_a_minus():
    table = Table(["system", "difference"], [["-x", -1.25], ["b", 2.0]], bold=frozenset({(0, 1)}))
    assert r"-x & \textbf{$-$1.25} \\" in table.latex().splitlines()
    assert r"b & 2.00 \\" in table.latex().splitlines()


def test_markdown_escapes_characters_that_end_a_cell():
    assert r"| a\_b & \<c\>\| | 61.26 |" in TABLE.markdown().splitlines()


def test_json_keeps_full_precision():
    assert json.loads(json.dumps(TABLE.to_dict()))["rows"][0][1] == 61.256


def test_control_characters_are_escaped():
    assert Table(["system"], [["a\x1b[31m\nb"]]).text().splitlines()[2] == "a␛[31m␊b"


def test_a_missing_cell_is_a_dash():
    assert TABLE.text().splitlines()[-1].endswith("–")


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert Table(["difference"], [[-0.004], [-0.006]]).text().splitlines()[2:] == ["      0.00", "     -0.01"]


def test_a_p_value_whose_decimals_are_all_zero_is_an_upper_bound():
    assert [p_cell(p, 3) for p in (0.5, 0.0005, 0.00049, 0.0, None)] == [0.5, 0.0005, "<0.001", "<0.001", None]
    assert p_cell(0.00004, 4) == "<0.0001"
