"""The session configs of Challenge: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import GROUP_FIELDS, SessionConfig, declare_app

FIELDS: SessionConfig = {
    "group_size": 1,  # participants at the table: 1, against the computer, or 2
    "games": 4,
    "size": 8,  # cards of each suit, the highest: 1 to 13
    "depth": 4,  # how many actions the computer looks ahead, from 0, which is very simple to play against
    "nodes": 200_000,  # positions that it looks at for an action, at most
    "deal_file": "seed",  # or a file in deals/challenge/
    "same_deals": True,  # for every group
    "dealer": "alternate",  # the computer first; or computer, or participant: who does not deal leads
    "trumps": "SH",  # the computer's suit, then the participant's
    "after_pickup": "opponent",  # who leads then; or picker, with after_better lead
    "after_better": "pass",  # a better card ends the turn; or lead: one leads another at once
    "show": "all",  # or own: one's own hand and the card on top alone
    "computer_sees": "all",  # or own, as the participant does
    "highlight": True,  # the cards that may be played are marked, until somebody turns that off
    "hints": False,  # the computer may be asked what it would play
    "draw_offers": False,  # the computer takes every draw where it sees nothing better for itself
    "claims": True,  # that one has a forced win may be said
    "claims_limit": 3,  # unproved claims in a game, after which a player can make no more; 0 is no limit
    "analysing": False,  # a game that is over may be taken apart with the computer
    "max_actions": 400,  # cards played and pick-ups after which a game is drawn
    "win": 2,  # what a game scores
    "draw": 1,
    "loss": 0,
    "partners": "kept",  # or rematched before each game
    **GROUP_FIELDS,
    "no_shows": "robot",  # who finds nobody plays against the computer; or leave_out
    "real_world_currency_per_point": 1.0,
}

challenge = declare_app("challenge_app", "challenge", "Challenge", FIELDS)
