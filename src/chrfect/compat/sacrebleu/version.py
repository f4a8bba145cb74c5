"""The version of sacreBLEU with the same behaviour."""

__version__ = version = "2.6.0"
