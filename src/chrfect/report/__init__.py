"""Reports: tables, documents and figures in several output formats."""

from chrfect.report.table import Table

__all__ = ["Table"]
