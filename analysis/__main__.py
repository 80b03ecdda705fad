"""``python -m analysis``."""

import sys

from analysis.commands import main

if __name__ == "__main__":
    sys.exit(main())
