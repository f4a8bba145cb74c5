"""How a text is prepared before its n-grams are counted: case, whitespace, and the unit that counts as a character."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from chrfect.text.units import Unit, byte_string, grapheme_strings
from chrfect.text.whitespace import remove_whitespace
from chrfect.text.words import split_words

if TYPE_CHECKING:
    from chrfect.text.symbols import Symbols

Whitespace = Literal["remove", "keep"]


@dataclass(frozen=True, slots=True)
class Preparation:
    """The preparation of a text before it is counted, explained or compared.

    Parameters
    ----------
    lowercase : bool
        Whether the text is lower-cased first (``str.lower``).
    whitespace : {"remove", "keep"}
        Whether whitespace is removed before characters are counted. Words are split in either case.
    unit : {"codepoint", "byte", "grapheme"}
        What a character is. ``"grapheme"`` needs the extra ``grapheme``.

    Examples
    --------
    >>> preparation = Preparation(lowercase=True, unit="byte")
    >>> texts = preparation.cased(["A É"])
    >>> texts, preparation.unit_strings(texts), preparation.words("A É!")
    (['a é'], ['aÃ©'], ['a', 'é', '!'])
    >>> found = preparation.characters("A É", {})
    >>> found.symbols.tolist(), found.starts.tolist(), found.ends.tolist()
    ([97, 195, 169], [0, 2, 2], [1, 3, 3])
    """

    lowercase: bool = False
    whitespace: Whitespace = "remove"
    unit: Unit = "codepoint"

    @property
    def kernel_keeps_whitespace(self) -> bool:
        """Whether a kernel must count the whitespace of unit strings. If not, the kernel removes it."""
        return self.whitespace == "keep" or self.unit != "codepoint"

    @property
    def case(self) -> str:
        """``"mixed"``, or ``"lower"`` with the version of the Unicode tables that lower-casing reads."""
        return f"lower (Unicode {unicodedata.unidata_version})" if self.lowercase else "mixed"

    def cased(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the texts, lower-cased if the preparation says so."""
        return [text.lower() for text in texts] if self.lowercase else texts

    def unit_strings(self, cased: Sequence[str]) -> Sequence[str]:
        """Return texts from :meth:`cased` as strings with one symbol per unit; equal units have equal symbols.

        If the unit is a code point, the texts are returned unchanged, with their whitespace: kernels remove it faster.

        Raises
        ------
        UsageError
            If the unit is ``"grapheme"`` and the extra ``grapheme`` is not installed.
        """
        if self.unit == "codepoint":
            return cased
        kept = cased if self.whitespace == "keep" else [remove_whitespace(text) for text in cased]
        return grapheme_strings(kept) if self.unit == "grapheme" else [byte_string(text) for text in kept]

    def words(self, text: str) -> list[str]:
        """Return the word tokens of chrF++ in a text."""
        return split_words(text.lower() if self.lowercase else text)

    def characters(self, text: str, ids: dict[str, int]) -> Symbols:
        """Return the characters of a text with their positions.

        Parameters
        ----------
        text : str
        ids : dict of str to int
            The numbers of grapheme clusters; new clusters are added. Pass the same dict for texts to be compared.

        Raises
        ------
        UsageError
            If the unit is ``"grapheme"`` and the extra ``grapheme`` is not installed.
        """
        from chrfect.text.symbols import locate_characters

        return locate_characters(text, self, ids)

    def tokens(
        self,
        text: str,
        ids: dict[str, int],
        split: Callable[[str], list[str]] = split_words,
        rewritten: Mapping[str, str] | None = None,
    ) -> Symbols:
        """Return the tokens of a text with their positions.

        Parameters
        ----------
        text : str
        ids : dict of str to int
            The numbers of tokens; new tokens are added. Pass the same dict for texts to be compared.
        split : callable
            The tokenizer.
        rewritten : mapping of str to str, optional
            Maps tokens that the tokenizer rewrites to the original text.
        """
        from chrfect.text.symbols import locate_tokens

        return locate_tokens(text, self, ids, split, rewritten or {})
