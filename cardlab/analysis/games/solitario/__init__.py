"""Solitario, as only it is analysed."""
