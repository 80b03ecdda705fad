"""Solitario: Klondike with Italian cards, for one player (rulings 22–25)."""

APPS = ("solitario_app",)
TITLE = "Solitario"
