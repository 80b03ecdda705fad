"""The session configs of the matrix card game: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import GROUP_FIELDS, SessionConfig, declare_app

FIELDS: SessionConfig = {
    "players": 2,  # seats at the table: 2 or 4
    "group_size": 2,  # participants at the table; robots have the other seats
    "robot": "best_response",  # or random, greedy, minimax: in a seat without a participant
    "games": 2,
    "pack": "standard",  # or special
    "court": "10",  # what J, Q and K are worth: 10, or ladder for 11, 12, 13
    "change_choice": False,  # a choice may be changed until the other has chosen
    "deal_file": "seed",  # or a file in deals/matrix/
    "same_deals": True,  # for every group
    "partners": "kept",  # or rematched before each game
    "rotate_dealer": True,
    **GROUP_FIELDS,
    # A score is a sum of positive and negative cards, so there is something to lose.
    "payoff_base": 50.0,
    "real_world_currency_per_point": 0.05,
}

matrix_game = declare_app("matrix_game_app", "matrix", "Matrix card game", FIELDS)
