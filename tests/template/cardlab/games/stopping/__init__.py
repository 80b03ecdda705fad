"""Stop in Time: cards come up one by one, and one may be kept."""

APPS = ("stopping_app",)
TITLE = "Stop in Time"
