"""Solitario: Klondike with Italian cards, laid by one player (rulings 22–25)."""

APPS = ("solitario_app",)
TITLE = "Solitario"
