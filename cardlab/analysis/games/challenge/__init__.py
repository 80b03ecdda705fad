"""The analysis of Challenge."""
