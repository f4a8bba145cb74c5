"""The n-grams that a kernel counts."""

from typing import NamedTuple


class Plan(NamedTuple):
    """Which n-grams of a pair of texts are counted.

    Parameters
    ----------
    char_order, word_order : int
        The longest n-grams of each kind, 0 or more.
    keep_whitespace : bool
        Whether whitespace code points count as characters.
    drop_unreferenced : bool
        Whether the hypothesis n-grams of an order are not counted if the reference has no n-gram of that order, as in
        sacreBLEU.

    Examples
    --------
    >>> plan = Plan(6, 2)
    >>> plan, plan.width
    (Plan(char_order=6, word_order=2, keep_whitespace=False, drop_unreferenced=False), 24)
    """

    char_order: int
    word_order: int
    keep_whitespace: bool = False
    drop_unreferenced: bool = False

    @property
    def width(self) -> int:
        """The number of integers for each pair: three for each order."""
        return 3 * (self.char_order + self.word_order)
