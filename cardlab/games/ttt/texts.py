"""The words of the board, which are the same in every app that plays the game, and in a replay."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _


@cache
def board_texts() -> dict[str, str]:
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
        "now_there": _("{place}: {card}."),
        "turn": _("{keeper} to move. Moves left: {left}."),
        "played": _("{move} played."),
        "passed": _("Passed."),
        "keepers_never": _("Ck and Nk never exchange directly."),
        "other_keeper": _("It is {keeper}’s turn: only the card at {keeper} can be exchanged now."),
        "needs_keeper": _("An exchange is always with the keeper to move: drop the card on {keeper}."),
        "drag_onto_keeper": _("Here the keeper’s card stays: choose the card that shall come to {keeper}."),
        "how_to_keeper": _("Choose the card that shall come here: the one at C, UP, N or Target."),
        "no_look": _("Only the card of the keeper to move may be looked at now."),
        "one_moment": _("One moment: your last move is still on its way."),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
        "solved_one": _("Solved in 1 move · Score {score}"),
        "solved_many": _("Solved in {moves} moves · Score {score}"),
        "solved_timed": _("Solved in {seconds} seconds · Score {score}"),
        "failed": _("Not solved: {moves} moves used · Score {score}"),
        "timeout": _("Time is over: not solved · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        **_of_two(),
    }


def _of_two() -> dict[str, str]:
    """Where two play. ``who`` is inside a sentence, ``name`` at the keeper that somebody has."""
    return {
        "who_partner": _("your partner"),
        "who_robot": _("the robot"),
        "name_you": _("You"),
        "name_partner": _("Partner"),
        "name_robot": _("Robot"),
        "tag_yours": _("your turn"),
        "tag_to_move": _("to move"),
        "place_yours": _("{place}, yours: {card}"),
        "place_your_turn": _("{place}, your turn: {card}"),
        "your_turn": _("Your turn: you move {keeper}."),
        "thinking": _("{who} is thinking …"),
        "waiting": _("Waiting for {who} …"),
        "away": _("{who} is not at the table."),
        "over": _("The hand is over."),
        "exchanged": _("{who} exchanged with {place}."),
        "has_passed": _("{who} passed."),
        "passed_for_you": _("Time was up: a pass was made for you."),
        "passed_for": _("A pass was made for {who}."),
        "deadline_you": _("A pass is made for you in {time}"),
        "deadline": _("A pass is made for {who} in {time}"),
        "hurry": _("{seconds} seconds left."),
        "wait_for": _("Please wait until {who} has moved."),
        "no_look_at_other": _("You cannot look at this card: it belongs to the other keeper."),
        "not_your_keeper": _("This is not your keeper: you move {keeper}."),
    }


def keeper_name(keeper: str) -> str:
    """How a keeper is called in a sentence."""
    return _("Ck, the colour keeper") if keeper == "ck" else _("Nk, the number keeper")
