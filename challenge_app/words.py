"""What a participant reads that is neither in a template nor on the board: pay, waiting, the coach."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from experiment import money, words
from experiment.numbers import plain
from games.record import Opening


def hand_title(opening: Opening) -> str:
    return _("Game {number} of {of}").format(number=opening.number, of=opening.of)


def called() -> str:
    """What participants know a hand as."""
    return _("game")


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a game earns its score and what is paid, a sentence each."""
    scored = _("A game that you win scores {win}, a drawn one {draw}, and one that you lose {loss}.")
    told = {name: plain(config[name]) for name in ("win", "draw", "loss")}
    return [
        scored.format(**told),
        *words.of_pay(config, called()),
        *money.of_pay(config, called(), config["win"]),
    ]


def of_no_shows(config: dict[str, Any]) -> list[str]:
    """What becomes of who waits for somebody who does not come, a sentence each."""
    if not config["gather_seconds"] or config["group_size"] == 1:
        return []
    minutes, seconds = divmod(round(config["gather_seconds"]), 60)
    after = _("If somebody is still missing after {time} minutes, you play with others who are waiting.")
    if config["no_shows"] == "robot":
        too_few = _("If nobody else waits, you play against the computer.")
    else:
        too_few = _("If there are too few people for a game, you go on without one.")
    return [after.format(time=f"{minutes}:{seconds:02}"), too_few]


def of_coach() -> dict[str, str]:
    """What the coach says beside the game to try (_static/challenge/tutorial.js)."""
    return {}
