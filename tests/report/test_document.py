"""Documents are written as Markdown, HTML and LaTeX with correct escaping."""

from chrfect.report import Table
from chrfect.report.document import Document, Heading, Image, Paragraph

DOCUMENT = Document(
    [
        Heading("A & `b`", 1),
        Paragraph("x < y, `p < q`"),
        Table(["a_b"], [["<i>"], ["50%"]]),
        Image("f.svg", 'a "figure"'),
    ]
)


def test_html_escapes_text_tables_and_captions():
    page = DOCUMENT.html({"f.svg": b"<svg/>"})
    assert "<title>A &amp; b</title>" in page
    assert "<h1>A &amp; <code>b</code></h1>" in page
    assert "<p>x &lt; y, <code>p &lt; q</code></p>" in page
    assert "&lt;i&gt;" in page
    assert 'alt="a &quot;figure&quot;" src="data:image/svg+xml;base64,PHN2Zy8+"' in page


def test_latex_has_only_the_tables():
    latex = DOCUMENT.latex()
    assert latex.startswith(r"\begin{tabular}")
    assert r"a\_b" in latex
    assert r"50\%" in latex


def test_markdown_links_figures():
    assert '![a "figure"](f.svg)' in DOCUMENT.markdown()
