"""Matrices: every hypothesis against every reference, and minimum Bayes risk decoding with them."""

from chrfect.matrices import mbr

__all__ = ["mbr"]
