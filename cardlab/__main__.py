"""Runs the command line: ``python -m cardlab``."""

import sys

from cardlab.operations.command_line import main

if __name__ == "__main__":
    sys.exit(main())
