"""Studies that the command ``chrfect reproduce`` repeats."""
