"""The analysis of Solitario."""
