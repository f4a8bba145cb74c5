from array import array
from collections.abc import Sequence

NAME: str

def level() -> str: ...
def levels() -> list[str]: ...
def use_level(name: str) -> None: ...
def row(
    hypothesis: str,
    reference: str,
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool = False,
) -> tuple[int, ...]: ...
def only_texts(sequence: Sequence[object]) -> bool: ...
def rows(
    hypotheses: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool = False,
    threads: int = 1,
) -> array[int]: ...
def total(
    hypotheses: Sequence[str],
    references: Sequence[str],
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool,
    threads: int = 1,
) -> list[int]: ...
def clipped(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]], max_order: int
) -> array[int]: ...
def score(row: Sequence[int], beta: float, per_order: bool) -> float: ...
def scores(rows: Sequence[int], width: int, beta: float, per_order: bool) -> array[float]: ...
def texts(rows: Sequence[int], width: int, beta: float, per_order: bool) -> list[str | None]: ...
def fill_matrix(
    out: object,
    characters: Sequence[str],
    words: Sequence[str],
    hypotheses: int,
    starts: list[int],
    char_order: int,
    word_order: int,
    keep_whitespace: bool,
    drop_unreferenced: bool,
    beta: float,
    per_order: bool,
    threads: int,
    stop: list[BaseException],
) -> None: ...

class ArrowTexts:
    nulls: int
    def __init__(self, source: object) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> str | None: ...
