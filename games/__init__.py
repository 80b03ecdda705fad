"""The rules of the games: pure Python, no oTree, no pandas, no clock, no global state."""

__version__ = "0.9.0"  # of Card Lab; written into every record and export
