"""The version of sacreBLEU whose behaviour this package has."""

__version__ = version = "2.6.0"
