"""Values for people to read: one table, many forms."""

from chrfect.report.table import Table

__all__ = ["Table"]
