"""``python -m chrfect``: the command line."""

import sys

from chrfect.cli import main

sys.exit(main())
