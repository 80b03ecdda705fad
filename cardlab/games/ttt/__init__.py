"""Target the Two: six cards, two keepers, one goal (seed ``ttt_solo``, rulings 1–10 and 26).

One participant moves both keepers (Target the Two Solo), or two participants move one each.
"""

APPS = ("ttt_solo_app", "ttt_pair_app")
TITLE = "Target the Two"
