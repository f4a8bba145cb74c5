"""The version, as a constant: importing the package reads no metadata."""

__version__ = "1.0.0"
