"""Triangle Solitaire: a loop of matching cards, laid by one player (rulings 15–18)."""

APPS = ("triangle_app",)
TITLE = "Triangle Solitaire"
