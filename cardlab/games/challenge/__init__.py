"""Challenge (Svoyi Koziri), a card game of pure skill for two players, one of whom may be the computer."""

APPS = ("challenge_app",)
TITLE = "Challenge"
