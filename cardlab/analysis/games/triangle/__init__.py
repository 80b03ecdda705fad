"""The analysis of Triangle Solitaire."""
