"""The options of a game of Challenge: what its record says of how it is played."""

from __future__ import annotations

from typing import Any

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import SIZES, SUITS
from cardlab.games.challenge.position import Form
from cardlab.games.challenge.search import DEPTH, NODES

# The values of each option that has a few, the default first (rulings 19–21): who leads after a pick-up, and
# what follows a better card; which cards are seen, all or one's own and the top card; what the computer is
# told; whether the playable cards are marked at the start; whether the computer may be asked for advice;
# whether draws may be offered and forced wins claimed; whether moves can be taken back, to analyse.
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

# Those that are whole numbers, with the least and the most: the size of the pack; how deep and how widely the
# computer looks; after how many cards played and pick-ups a game is drawn; after how many unproved claims of
# a forced win a player can make no more (0: no limit); what a game scores.
NUMBERS = {
    "size": (SIZES[0], SIZES[-1]),
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
    "claims_limit": 0,  # of a record without this option, which is older than it
    **{"win": 2, "draw": 1, "loss": 0},
    "trumps": "".join(TRUMPS),  # of the first hand of the deal, and of the second
    "moves": "",  # those of a game that is analysed, as its log has them
}


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their defaults; ValueError with a sentence if one has a value it cannot have."""
    options = {**DEFAULT_OPTIONS, **options}
    for name, allowed in ALLOWED_OPTIONS.items():
        if options[name] not in allowed:
            words = " or ".join(map(str, allowed))
            raise ValueError(f"The option {name} must be {words}, not '{options[name]}'.")
    for name, (least, most) in NUMBERS.items():
        if type(options[name]) is not int or not least <= options[name] <= most:
            raise ValueError(f"The option {name} must be a whole number from {least} to {most}.")
    trumps_of(options)
    form_of(options)
    return options


def trumps_of(options: dict[str, Any]) -> tuple[str, str]:
    """Who trumps what: two different suits, the first hand's first."""
    trumps = options["trumps"]
    if not isinstance(trumps, str) or len(trumps) != 2 or len({*trumps} & {*SUITS}) != 2:
        raise ValueError(
            f"The option trumps names two suits of {' '.join(SUITS)}, such as SH, not '{trumps}'."
        )
    return trumps[0], trumps[1]


def form_of(options: dict[str, Any]) -> Form:
    """The form of the game; ValueError if there is none such (ruling 20)."""
    return Form(options["after_pickup"], options["after_better"])
