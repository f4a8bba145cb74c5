"""Misspelt names: exactly the lines with the comment `error` are type errors."""

import chrfect
from chrfect import ChrF
from chrfect import ChrFF as Misspelt  # error

print(Misspelt)
chrfect.explian("chrF", "a", "b")  # error
chrfect.ChrFPlusPlus()  # error
ChrF(word_orders=2)  # error
ChrF(whitespace="drop")  # error
ChrF().corpuss(["a"], ["a"])  # error
ChrF().corpus(["a"], [1])  # error
print(ChrF().both(["a"], ["a"]).segments.scores, chrfect.pairwise("chrF", ["a"], ["a"]).shape)
