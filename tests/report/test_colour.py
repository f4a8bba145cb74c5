import pytest

from chrfect.report.colour import Colours, colours


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, True, Colours.TRUE),
        ({"TERM": "xterm", "COLORTERM": "24bit"}, True, Colours.TRUE),
        ({"TERM": "screen-256color"}, True, Colours.MANY),
        ({"TERM": "linux"}, True, Colours.SIXTEEN),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, True, Colours.NONE),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, False, Colours.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, Colours.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True, Colours.MANY),
        ({"NO_COLOR": "1", "FORCE_COLOR": "3"}, True, Colours.NONE),
        ({"FORCE_COLOR": "3"}, False, Colours.TRUE),
        ({"FORCE_COLOR": "1", "COLORTERM": "truecolor"}, False, Colours.SIXTEEN),
        ({"FORCE_COLOR": "yes", "TERM": "xterm-256color"}, False, Colours.MANY),
        ({"FORCE_COLOR": "0", "TERM": "xterm-256color"}, True, Colours.NONE),
        ({}, True, Colours.SIXTEEN),
    ],
)
def test_the_number_of_colours_follows_the_conventions(environment, terminal, expected):
    assert colours(environment, terminal) is expected
