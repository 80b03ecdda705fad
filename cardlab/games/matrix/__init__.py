"""The matrix card game: players meet in 2×2 games that their own cards form (rulings 11–14)."""

APPS = ("matrix_game_app",)
TITLE = "The matrix card game"
