"""Explanations for people to read: in a terminal, as Markdown, as one page of HTML."""

from chrfect.report.explanation.paper import document
from chrfect.report.explanation.terminal import terminal

__all__ = ["document", "terminal"]
