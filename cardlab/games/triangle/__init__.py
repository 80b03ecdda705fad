"""Triangle Solitaire: one player lays a loop of matching cards (rulings 15–18)."""

APPS = ("triangle_app",)
TITLE = "Triangle Solitaire"
