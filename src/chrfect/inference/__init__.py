"""Statistical inference on numbers: intervals, corrections and distributions."""
