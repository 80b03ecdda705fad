"""What a participant reads that is neither in a template nor on the board: pay, the parts of a score."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.core.number_format import plain
from cardlab.games.contract import Result
from cardlab.games.record import Opening
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.scoring import POINTS, POINTS_PER_SECOND
from cardlab.pages import texts
from cardlab.sessions import money

EXAMPLE = 900  # a usual score


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    return [*texts.of_pay(config, _("hand")), *money.of_pay(config, _("hand"), EXAMPLE)]


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
    lines.append((_("Seconds"), plain(seconds), points(POINTS_PER_SECOND * seconds)))
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


def of_coach() -> dict[str, str]:
    """What the coach says beside the table to try (_static/solitario/tutorial.js)."""
    return {
        "ask_column": _(
            "Find a card that goes on the last card of another column: one lower than that, and of the other "
            "colour. Drag it there. Or click or tap it, and then the other column."
        ),
        "praise_column": _("Well done. What lies on a card goes with it."),
        "ask_uncover": _(
            "Move a card that lies alone on face-down cards to another column, so that the next card can be "
            "turned up."
        ),
        "ask_turn_up": _("Nothing lies on this card any more: click or tap it to turn it up."),
        "praise_uncover": _("The card is turned up, and brings points."),
        "ask_home": _(
            "An ace lies open: send it home. Click it with the right button, click it twice, or drag it to "
            "an empty foundation."
        ),
        "ask_home_by_touch": _(
            "An ace lies open: send it home. Tap it twice, or drag it to an empty foundation."
        ),
        "praise_home": _("It is home. The two of its suit may follow."),
        "ask_stock": _("Click or tap the stock to draw from it."),
        "praise_stock": _("What is drawn lies beside the stock: its top card may go to a column or home."),
        "ask_points": _(
            "Draw cards from the stock until one goes on a column, and lay it there. Watch the score."
        ),
        "praise_points": _("The card from the stock has brought 45 points. Each second costs one."),
        "all_over": _("This hand is over. Press “Start over”."),
    }
