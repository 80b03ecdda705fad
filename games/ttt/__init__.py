"""Target the Two Solo: six cards, two keepers, one goal (seed ``ttt_solo``, rulings 1–10)."""
