"""The analysis of the matrix card game."""
