"""The correlations that Popović (2017), "chrF++: words helping character n-grams", prints in Tables 1 to 3."""

from __future__ import annotations

TEXTS = (
    "cs-en.2016",
    "cs-en.2015",
    "de-en.2016",
    "de-en.2015",
    "fi-en.2016",
    "fi-en.2015",
    "ro-en.2016",
    "ru-en.2016",
    "ru-en.2015",
    "tr-en.2016",
    "en-ru.2016",
    "en-ru.2015",
)
"""Language pair and year of each text, in the order of the paper's columns."""

RUSSIAN = tuple(text for text in TEXTS if text.startswith("en-ru"))
ENGLISH = tuple(text for text in TEXTS if text not in RUSSIAN)

UNSEEN = tuple(f"{pair}-en.2017" for pair in ("cs", "de", "fi", "lv", "ru", "tr", "zh"))
"""Texts of the next year, which the paper does not use."""

MEAN = "mean"

_ROWS = {
    "chrF1": ".644 .542 .452 .600 .454 .565 .570 .522 .601 .551 .642 .606 .562",
    "chrF2": ".658 .552 .469 .605 .457 .573 .581 .534 .613 .556 .661 .624 .574",
    "chrF3": ".660 .552 .472 .604 .455 .572 .582 .535 .614 .555 .661 .622 .574",
    "wordF1": ".587 .503 .453 .540 .428 .525 .504 .498 .549 .531 .572 .527 .519",
    "wordF2": ".598 .512 .462 .543 .437 .535 .518 .504 .559 .536 .580 .533 .526",
    "wordF3": ".600 .514 .464 .543 .439 .537 .522 .504 .561 .536 .582 .534 .528",
    "chr1": ".544 .448 .355 .407 .313 .417 .443 .358 .527 .337 .531 .489 .431",
    "chr2": ".644 .537 .441 .556 .420 .547 .554 .504 .599 .513 .652 .631 .550",
    "chr3": ".662 .539 .472 .604 .459 .582 .579 .533 .613 .559 .683 .661 .579",
    "chr4": ".657 .542 .472 .614 .460 .581 .582 .538 .602 .562 .682 .655 .579",
    "chr5": "- - .467 .611 - - .576 .532 .588 - .676 .640 .571",
    "chr6": "- - .463 .599 .447 .539 .568 .521 .578 .553 .662 .623 .560",
    "word1": "- - .481 .529 .434 .566 .504 - - .510 - - .537",
    "word2": ".611 .528 .473 .546 .441 .513 .529 .513 .551 .539 .575 .549 .531",
    "word3": ".546 .461 .426 .513 .387 .470 .498 .469 .519 .475 .536 .472 .481",
    "word4": "- - .385 .458 .337 .369 .427 .404 .468 .380 .478 .397 .414",
    "word2F": ".642 .537 .490 .557 .455 .563 .535 .526 .592 .553 .603 .575 .552",
    "c6w4": ".656 .555 .483 .598 .470 .580 .572 .538 .608 .573 .665 .630 .577",
    "c6w3": ".663 .559 .486 .603 .471 .584 .578 .542 .615 .574 .672 .641 .582",
    "c6w2": ".668 .561 .487 .606 .470 .585 .580 .544 .619 .570 .679 .650 .585",
    "c6w1": ".665 .558 .480 .606 .464 .585 .579 .540 .620 .562 .685 .654 .583",
}

PUBLISHED: dict[tuple[str, str], float] = {
    (row, text): float(value)
    for row, line in _ROWS.items()
    for text, value in zip((*TEXTS, MEAN), line.split(), strict=True)
    if value != "-"
}
"""(row, text or "mean") to Pearson's r at three decimals, without cells that are illegible in the extracted text."""
