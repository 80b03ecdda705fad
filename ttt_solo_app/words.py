"""What a participant reads that is not in a template: the board's words, and how hands are paid."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _
from typing import Any

from experiment import words
from games.record import Opening


def hand_title(opening: Opening) -> str:
    title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def of_pay(config: dict[str, Any], opening: Opening) -> list[str]:
    """How a hand earns its score and what is paid, a sentence each."""
    options = opening.options
    if options["pay_by"] == "time":
        scored = _(
            "A solved hand has a score of up to 1000, the faster the more; after {seconds} seconds, 0."
        )
        scored = scored.format(seconds=options["time_scale_seconds"])
    else:
        scored = _("A solved hand has a score of 1000 less {points} for each move, passes included.")
        scored = scored.format(points=f"{1000 / options['MaxRounds']:.4g}")
    return [scored, _("A hand that is not solved has the score 0."), *words.of_pay(config, _("hand"))]


@cache
def of_board() -> dict[str, str]:
    """What the board's scripts say (_static/ttt); the words in braces are filled in there.

    Looked up once: the language is the server's, and gettext searches its files at every word.
    """
    return {
        "place_Ck": _("Ck, colour keeper"),
        "place_T": _("Target"),
        "place_Nk": _("Nk, number keeper"),
        "place_C": "C",
        "place_UP": "UP",
        "place_N": "N",
        "goal": _("Goal"),
        "face_down": _("face down"),
        "card": _("{rank} of {suit}"),
        "suit_H": _("hearts"),
        "suit_C": _("clubs"),
        "place_and_card": _("{place}: {card}"),
        "place_on_turn": _("{place}, to move: {card}"),
        "turn": _("{keeper} to move. Moves left: {left}."),
        "played": _("{move} played."),
        "passed": _("Passed."),
        "keepers_never": _("Ck and Nk never exchange directly."),
        "other_keeper": _("It is {keeper}’s turn: only the card at {keeper} can be exchanged now."),
        "needs_keeper": _("An exchange is always with the keeper on turn: drop the card on {keeper}."),
        "drag_onto_keeper": _("Here the keeper’s card stays: drag another card onto {keeper}."),
        "how_to_exchange": _("To exchange this card, drag it onto {keeper} or press {key}."),
        "how_to_keeper": _("To exchange this card, drag it onto C, UP, N or Target."),
        "no_look": _("Only the card of the keeper on turn may be looked at now."),
        "one_moment": _("One moment: your last move is still on its way."),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
        "solved_one": _("Solved in 1 move · Score {score}"),
        "solved_many": _("Solved in {moves} moves · Score {score}"),
        "solved_timed": _("Solved in {seconds} seconds · Score {score}"),
        "failed": _("Not solved: {moves} moves used · Score {score}"),
        "timeout": _("Time is over: not solved · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
    }


def of_coach() -> dict[str, str]:
    """What the line under the board to try says (_static/ttt/tutorial.js)."""
    return {
        "coach_look": _(
            "Ck is to move: its card has the green edge. It lies face down: click it to look at it."
        ),
        "coach_start": _(
            "Ck is to move: its card has the green edge. First try something that is not allowed: "
            "drag the card in Target onto Ck."
        ),
        "coach_refused": _(
            "Refused, as it should be: the colours differ. "
            "Now drag the card at C onto Ck. Perhaps the goal lies there."
        ),
        "coach_number": _(
            "Lucky: the goal, 2♥, has come to Ck. Now Nk is to move, and at Nk the numbers count: "
            "4♥ and 4♣ may exchange. Drag the card in Target onto Nk."
        ),
        "coach_goal": _(
            "4♥ is in Target now, and Ck is to move again: 2♥ and 4♥ have the same colour. "
            "Drag the card in Target onto Ck."
        ),
        "coach_solved": _(
            "Solved: the goal card is in Target, after C, T, T. "
            "Start over to try other ways, or go on when you are ready."
        ),
        "coach_failed": _("All moves are used up, so this hand is not solved. Start over to try again."),
        "coach_free": _("{keeper} is to move. Play on as you like, or start over to follow the guide."),
    }
