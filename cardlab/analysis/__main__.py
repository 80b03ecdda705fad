"""Runs ``python -m cardlab.analysis``."""

import sys

from cardlab.linear_algebra import use_one_thread

if __name__ == "__main__":
    use_one_thread()
    from cardlab.analysis.commands import main

    sys.exit(main())
