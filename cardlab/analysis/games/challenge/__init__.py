"""Challenge: its part of the analysis."""
