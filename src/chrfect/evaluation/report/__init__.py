"""Evaluations and comparisons for people to read: tables, figures, and one page of HTML."""
