"""Reports of evaluations and comparisons: tables, figures, and one page of HTML."""
