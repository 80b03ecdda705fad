"""Target the Two: its part of the analysis."""
