"""The studies of the command ``chrfect reproduce``."""
