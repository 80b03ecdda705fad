"""The session configs of Triangle Solitaire: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import SessionConfig, declare_app

FIELDS: SessionConfig = {
    "hands": 3,
    "practice_hands": 0,
    "deal_file": "seed",  # or a file in deals/triangle/
    "own_deals": False,  # each participant has deals of their own; else all have the same
    "doubled": 0,  # variation 1: places on which two Singles lie, 0 to 9
    "mixed_in": 0,  # variation 2: Singles shuffled into the deck, 0 to 9; both together at most 9
    "highlight": True,  # mark the places that the card fits
    "show_left": False,  # show which Completes are still to come
    # A score goes from 18 down far below 0, so there is something to lose.
    "payoff_base": 30.0,
    "real_world_currency_per_point": 0.1,
}

triangle = declare_app("triangle_app", "triangle", "Triangle Solitaire", FIELDS)
