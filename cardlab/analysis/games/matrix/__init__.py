"""The matrix card game: its part of the analysis."""
