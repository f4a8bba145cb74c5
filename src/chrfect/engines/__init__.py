"""Engines: counts of data sets that do not fit into memory."""
