"""What a participant reads that is neither in a template nor on the board: titles, news, pay."""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _
from typing import Any, NamedTuple

from cardlab.core.number_format import plain
from cardlab.games.cards import pretty
from cardlab.games.record import Opening
from cardlab.games.ttt import rules
from cardlab.pages import texts
from cardlab.sessions import money


class Hands(NamedTuple):
    """What all hands of a session have in common: the last of them, their goal cards, and whether goal or
    first mover change."""

    last: Opening
    goals: tuple[str, ...]
    changes: bool

    @classmethod
    def of(cls, hands: Sequence[Opening]) -> Hands:
        dealt = {rules.parse_deal(hand.deal)[1:] for hand in hands}
        return cls(hands[-1], tuple({goal for goal, _first in dealt}), len(dealt) > 1)


def of_rules(config: dict[str, Any], hands: Hands) -> dict[str, Any]:
    """What the rules in words are filled in with."""
    last, goals, changes = hands
    shown = ("ViewCkNk", "ViewCard", "ViewTarget", "MaxRounds")
    return {
        "options": {key: last.options[key] for key in shown},
        "timed": last.options["pay_by"] == "time",
        "goal": pretty(goals[0]) if len(goals) == 1 else "",
        "changes": changes,
        "hands": last.of,
        "practice_hands": config["practice_hands"],
        "pay_text": of_pay(config, last),
    }


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def of_news(now: Opening, before: Opening) -> str:
    """What is otherwise in a hand than in the one before, so far as the board shows it; "" if nothing is."""
    (_layout, goal, first), (_before, old_goal, old_first) = map(rules.parse_deal, (now.deal, before.deal))
    said = []
    if goal != old_goal and now.options["ViewTarget"]:
        said.append(_("The goal card is another one now: {goal}.").format(goal=pretty(goal)))
    if first != old_first:
        said.append(_("In this hand {keeper} moves first.").format(keeper=first.capitalize()))
    return " ".join(said)


LOWEST_SCORE = 0


def of_pay(config: dict[str, Any], opening: Opening) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    options = opening.options
    if options["pay_by"] == "time":
        scored = _(
            "A solved hand has a score of up to 1000, the faster the more; after {seconds} seconds, 0."
        )
        scored = scored.format(seconds=plain(options["time_scale_seconds"]))
    else:
        scored = _("A solved hand has a score of 1000 less {points} for each move, passes included.")
        scored = scored.format(points=plain(1000 / options["MaxRounds"]))
    usual = 750 if options["pay_by"] == "time" else round(1000 - 5000 / options["MaxRounds"])
    example = money.of_pay(config, _("hand"), usual)
    return [
        scored,
        _("A hand that is not solved has the score 0."),
        *texts.of_pay(config, _("hand"), LOWEST_SCORE),
        *example,
    ]


def of_coach() -> dict[str, str]:
    """What the coach says beside the board to try (_static/ttt/tutorial.js)."""
    return {
        "ask_exchange": _(
            "Ck is to move: its card has the green edge. Choose the card at C. Perhaps the goal lies there."
        ),
        "praise_exchange": _("Well done: the goal card, 2♥, lay at C and has come to Ck. Now Nk is to move."),
        "ask_look": _("{keeper} is to move, and its card lies face down. Click or tap it to look at it."),
        "praise_look": _("Now you see it. After the next move it lies face down again."),
        "ask_number": _("Nk is to move. 4♥ and 4♣ have the same number. Choose the card in Target."),
        "praise_number": _("Well done: 4♥ is in Target now, and Ck is to move again."),
        "ask_colour": _("Ck has the goal card, 2♥. It has the same colour as 4♥. Choose the card in Target."),
        "praise_colour": _("Solved: the goal card is in Target, after three moves."),
        "ask_refused": _(
            "The hand begins anew. 3♥ at Ck is red, 4♣ in Target is black. Try it all the same: "
            "choose the card in Target."
        ),
        "praise_refused": _("Refused, as it should be: the colours differ. The ✗ shows where."),
        "behind": _("First choose the card at {place}."),
        "astray": _("You went another way. Press “Start over”, and then do what is asked here."),
        "used_up": _("All moves are used up. Press “Start over”."),
    }
