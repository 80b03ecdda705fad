"""What a participant reads that is neither in a template nor on the board: pay, the parts of a score."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from experiment import money, words
from experiment.numbers import plain
from games.contract import Result
from games.record import Opening
from games.solitario.packs import PACKS
from games.solitario.scoring import A_SECOND, POINTS

EXAMPLE = 900  # a usual score


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    return [*words.of_pay(config, _("hand")), *money.of_pay(config, _("hand"), EXAMPLE)]


def points(number: int) -> str:
    """``+60``, ``−175``, ``0``."""
    return f"{'+' if number > 0 else ''}{plain(number)}"


def of_score(result: Result) -> list[tuple[str, str, str]]:
    """Every part of a hand's score for the results: what it is, how often, its points; they add up."""
    parts, seconds = result.parts, int(result.parts["seconds"])
    what = {
        "from_stock": _("Cards of the stock laid on a column"),
        "turned_up": _("Cards turned up"),
        "sent_home": _("Cards sent home"),
        "brought_back": _("Cards brought back from a foundation"),
        "turn_overs": _("The stock turned over"),
    }
    lines = [
        (what[name], plain(parts[name]), points(worth * int(parts[name]))) for name, worth in POINTS.items()
    ]
    lines.append((_("Seconds"), plain(seconds), points(A_SECOND * seconds)))
    if parts["bonus"]:
        lines.append((_("Bonus for a solved hand"), "", points(int(parts["bonus"]))))
    return [*lines, (_("Score"), "", plain(result.score))]


def picture(card: str) -> str:
    """The address of a card's face."""
    return f"/static/solitario/{'french' if card[-1].isupper() else 'cards'}/{card}.svg"


def pictures(name: str) -> dict[str, Any]:
    """The cards that the rules show: one on another, what an ace begins, the ranks from low to high."""
    pack = PACKS[name]
    black, red = pack.suits[0], pack.suits[2]
    return {
        "six": picture("6" + red),
        "five": picture("5" + black),
        "king": picture(pack.ranks[-1] + red),
        "ace": picture(pack.ranks[0] + black),
        "two": picture("2" + black),
        "black": [picture(pack.ranks[0] + suit) for suit in pack.suits[:2]],
        "red": [picture(pack.ranks[0] + suit) for suit in pack.suits[2:]],
        "ranks": " · ".join(pack.ranks),
    }
