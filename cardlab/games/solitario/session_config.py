"""The session configs of Solitario: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import SessionConfig, declare_app

FIELDS: SessionConfig = {
    "hands": 2,
    "practice_hands": 0,
    "deal_file": "seed",  # or a file in deals/solitario/
    "which_deals": "any",  # or solvable: those that somebody could solve who knows all cards
    "own_deals": False,  # each participant has deals of their own; else all have the same
    "pack": "briscola",  # 40 cards; or tarocco, 56, or french, 52
    "draw": 1,  # cards of the stock that come at a time: 1 or 3
    "ace_on_two": "pack",  # an ace may lie on a two: as usual with the pack (french alone), on or off
    "turn_up": "click",  # an uncovered card is turned up by a click; or auto
    "undo": False,  # moves can be taken back
    "ten_best": "numbers",  # the best hands of the session: with numbers or labels of who played, or off
}

solitario = declare_app("solitario_app", "solitario", "Solitario", FIELDS)
