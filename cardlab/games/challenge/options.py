"""Defines the options of a game of Challenge, as its record stores them."""

from __future__ import annotations

from typing import Any

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import SIZES, SUITS
from cardlab.games.challenge.position import Form
from cardlab.games.challenge.search import DEPTH, NODES
from cardlab.games.dealing import apply_defaults

# The values of each option with a few values, the default first (rulings 19–21): who leads after a pick-up;
# what follows a better card; which cards a player sees (``own``: the hand and the top card), and which the
# computer sees; whether playable cards are marked at the start; whether the computer gives advice; whether
# draws may be offered; whether forced wins may be claimed; whether the game is analysed, so that moves can be
# taken back.
ALLOWED_OPTIONS: dict[str, tuple[Any, ...]] = {
    "after_pickup": ("opponent", "picker"),
    "after_better": ("pass", "lead"),
    "show": ("all", "own"),
    "computer_sees": ("all", "own"),
    "highlight": (True, False),
    "hints": (False, True),
    "draw_offers": (True, False),
    "claims": (True, False),
    "analysing": (False, True),
}

# The minimum and maximum of whole-number options: the size of the pack; the level of the computer (0: no
# level, only ``depth`` counts); depth and node budget of its search; the number of plays and pick-ups after
# which a game is drawn; the maximum number of unproved claims of a forced win by a player (0: no limit); the
# scores.
NUMBERS = {
    "size": (SIZES[0], SIZES[-1]),
    "level": (0, 10),
    "depth": (0, 20),
    "nodes": (1_000, 5_000_000),
    "max_actions": (10, 2000),
    "claims_limit": (0, 1000),
    "win": (-1000, 1000),
    "draw": (-1000, 1000),
    "loss": (-1000, 1000),
}
DEFAULT_OPTIONS: dict[str, Any] = {
    **{name: allowed[0] for name, allowed in ALLOWED_OPTIONS.items()},
    **{"size": 8, "depth": DEPTH, "nodes": NODES, "max_actions": 400},
    **{"claims_limit": 0, "level": 0},  # for records older than these options
    **{"win": 2, "draw": 1, "loss": 0},
    "trumps": "".join(TRUMPS),  # of the first and of the second hand of the deal
    "moves": "",  # the moves before an analysis, as in a log
}


def complete_options(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options with defaults for missing ones. Raises ValueError for an invalid value."""
    options = apply_defaults(options, DEFAULT_OPTIONS, ALLOWED_OPTIONS)
    for name, (minimum, maximum) in NUMBERS.items():
        if type(options[name]) is not int or not minimum <= options[name] <= maximum:
            raise ValueError(f"The option {name} must be a whole number from {minimum} to {maximum}.")
    trumps_of(options)
    form_of(options)
    return options


def trumps_of(options: dict[str, Any]) -> tuple[str, str]:
    """Returns the trump suits of the two hands. Raises ValueError unless they are two suits."""
    trumps = options["trumps"]
    if not isinstance(trumps, str) or len(trumps) != 2 or len({*trumps} & {*SUITS}) != 2:
        raise ValueError(
            f"The option trumps must be two different suits of {' '.join(SUITS)}, like SH, not '{trumps}'."
        )
    return trumps[0], trumps[1]


def form_of(options: dict[str, Any]) -> Form:
    """Returns the form of the game (ruling 20). Raises ValueError for an invalid combination."""
    return Form(options["after_pickup"], options["after_better"])
