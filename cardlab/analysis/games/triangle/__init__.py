"""Triangle Solitaire: its part of the analysis."""
