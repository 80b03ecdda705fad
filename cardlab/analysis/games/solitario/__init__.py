"""Solitario: its part of the analysis."""
