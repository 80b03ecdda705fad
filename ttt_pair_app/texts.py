"""What a participant of two reads that is neither in a template nor on the board."""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _
from typing import Any

from cardlab.games.ttt import rules
from cardlab.games.ttt.texts import keeper_name
from cardlab.pages import texts
from ttt_solo_app.texts import Hands, of_rules


def of_two(config: dict[str, Any], hands: Hands) -> dict[str, Any]:
    """What the rules in words are filled in with."""
    told = of_rules(config, hands)
    return {
        **told,
        "partner": of_partner(config),
        "roles": of_roles(config),
        "sees": of_sight(told["options"]),
        "turn_limit_seconds": config["turn_limit_seconds"],
    }


def of_partner(config: dict[str, Any]) -> str:
    """Who the partner is, in a sentence."""
    if config["group_size"] == 1:
        return _("Your partner is a robot, which sees no more than you would in its place.")
    if config["partners"] == "kept" or not config["blocks"]:
        return _("Your partner is another participant, the same in all hands.")
    return _("Your partner is another participant; the page tells you when you play with somebody else.")


def of_roles(config: dict[str, Any]) -> str:
    """Which keeper the participant has, or that they will be told."""
    if config["group_size"] == 1:
        told = _("You have {keeper}.").format(keeper=keeper_name(rules.other(config["robot_seat"])))
    else:
        told = _("One of you has Ck, the colour keeper, the other Nk, the number keeper.")
        told = f"{told} {_('The page tells you which one is yours.')}"
    return told if config["roles"] == "kept" else f"{told} {_('Later you have the other one.')}"


def of_sight(options: dict[str, Any]) -> str:
    """Whose keeper's card one may see, in a sentence (ViewCard)."""
    if options["ViewCard"] == "all":
        return _("You and your partner see the cards of both keepers.")
    if options["ViewCard"] == "mix":
        return _("Of the keepers you see only the card of your own; after the first exchange you see both.")
    return _("Of the keepers you see only the card of your own, and your partner only that of theirs.")


def of_company(seat: str, seat_before: str, new_partner: bool) -> str:
    """That the participant plays with somebody else now, or has another keeper; "" if neither."""
    said = [_("You play with another partner now.")] if new_partner else []
    if seat != seat_before:
        said.append(_("You have {keeper}.").format(keeper=keeper_name(seat)))
    return " ".join(said)


def of_no_shows(config: dict[str, Any]) -> list[str]:
    """What becomes of who waits for somebody who does not come, a sentence each."""
    if config["no_shows"] == "robot":
        nobody = _("If there is nobody to play with you, a robot does.")
    else:
        nobody = _("If there is nobody to play with you, you go on without these hands.")
    return texts.of_no_shows(config, nobody)


def of_pair(results: Sequence[tuple], partners: int) -> list[str]:
    """What the participant has reached with so many other participants, or with a robot, a sentence each;
    ``results`` as on the page of results."""
    solved = sum(result.outcome == "solved" for _number, result, *_rest in results)
    moves = sum(result.parts["moves"] for _number, result, *_rest in results)
    if partners <= 1:
        together = _(
            "You and your partner have solved {solved} of {hands} hands together, in {moves} moves in all."
        )
    else:
        together = _(
            "You and your partners have solved {solved} of {hands} hands together, in {moves} moves in all."
        )
    said = [together.format(solved=solved, hands=len(results), moves=moves)]
    return [*said, _("Each hand has earned your partner the same score as you.")] if partners else said


def of_what_follows(seat: str, next_seat: str, new_partner: bool) -> str:
    """What is to be known before the next hand: that the partner will be another one, or that the participant
    has the other keeper then; "" if neither."""
    if new_partner:
        return _("You play the next hands with another partner.")
    if seat != next_seat:
        return _("From now on you have {keeper}.").format(keeper=keeper_name(next_seat))
    return ""


def of_coach(seat: str) -> dict[str, str]:
    """What the coach says beside the board to try (_static/ttt/tutorial_of_two.js)."""
    own = {"keeper": seat.capitalize(), "place": "C" if seat == "ck" else "N"}
    if seat == "ck":
        refused = _(
            "The hand begins anew. 3♥ at Ck is red, 4♣ in Target is black. Try it all the same: "
            "choose the card in Target."
        )
        why = _("Refused, as it should be: the colours differ. The ✗ shows where.")
    else:
        refused = _(
            "The hand begins anew. 3♥ at Nk is a 3, 4♣ in Target is a 4. Try it all the same: "
            "choose the card in Target."
        )
        why = _("Refused, as it should be: the numbers differ. The ✗ shows where.")
    return {
        "ask_exchange": _(
            "Here you have {keeper}, and a robot plays your partner. It is your turn: choose the card at "
            "{place}. Perhaps the goal lies there."
        ).format(**own),
        "praise_exchange": _("Well done: the goal card, 2♥, lay at {place} and has come to you.").format(
            **own
        ),
        "ask_partner": _("Make another move, and watch what the robot does then."),
        "praise_partner": _("That was the robot’s move: the frames show which two cards it has exchanged."),
        "praise_passed": _("The robot has passed: no card has moved, and it is your turn."),
        "praise_solved": _("Solved: together you have brought the goal card into Target."),
        "ask_look": _("Your card lies face down. Click or tap it to look at it."),
        "praise_look": _("Now you see it; the robot does not know. After your move it is face down again."),
        "ask_refused": refused,
        "praise_refused": why,
        "behind": _("First choose the card at {place}.").format(**own),
        "astray": _("You went another way. Press “Start over”, and then do what is asked here."),
        "used_up": _("This hand is over. Press “Start over”."),
    }
