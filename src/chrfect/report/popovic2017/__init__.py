"""The reproduction of Popović (2017), written out."""

from chrfect.report.popovic2017.output import write
from chrfect.report.popovic2017.paper import paper

__all__ = ["paper", "write"]
