"""The rules of the games: pure Python, no oTree, no pandas, no clock, no global state."""
