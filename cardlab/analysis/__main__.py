"""Runs ``python -m cardlab.analysis``."""

import sys

from cardlab.analysis.commands import main

if __name__ == "__main__":
    sys.exit(main())
