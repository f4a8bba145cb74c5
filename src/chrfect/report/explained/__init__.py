"""Explanations for people to read: in a terminal, as Markdown, as one page of HTML."""

from chrfect.report.explained.paper import document
from chrfect.report.explained.terminal import terminal

__all__ = ["document", "terminal"]
