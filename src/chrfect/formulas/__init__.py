"""Formulas: from counts to exact scores, decimals and floats."""
