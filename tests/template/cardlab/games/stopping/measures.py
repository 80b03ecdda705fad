"""The measures of a hand of Stop in Time, in addition to the common columns."""

from __future__ import annotations

from typing import Any

from cardlab.games.hand import History
from cardlab.games.stopping import rules

COLUMNS = {
    "turned": "cards that were turned up, the one that was kept included",
    "best": "points of the best card of the row",
}

PARTS: dict[str, Any] = {}


def measure_hand(history: History, seat: str) -> dict[str, Any]:
    """Returns the values of ``COLUMNS``, and the ``sequence`` of cards that were turned up."""
    state: rules.State = history.hand.state
    return {
        "sequence": " ".join(state.row[: state.turned]),
        "turned": state.turned,
        "best": max(rules.WORTH[card] for card in state.row),
    }
