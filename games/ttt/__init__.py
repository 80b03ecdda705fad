"""Target the Two Solo: six cards, two keepers, one goal (seed ``ttt_solo``, rulings 1–10)."""

APPS = ("ttt_solo_app",)
TITLE = "Target the Two Solo"
