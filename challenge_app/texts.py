"""What a participant reads that is neither in a template nor on the board: pay, waiting, the coach."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.core.number_format import plain
from cardlab.games.challenge.commands import command_list
from cardlab.games.record import Opening
from cardlab.pages import texts
from cardlab.sessions import money


def hand_title(opening: Opening) -> str:
    return _("Game {number} of {of}").format(number=opening.number, of=opening.of)


def of_sizes(sizes: set[int]) -> str:
    """``8``, or of several ``3–6``."""
    return "–".join(map(str, sorted({min(sizes), max(sizes)})))


def called() -> str:
    """What participants know a hand as."""
    return _("game")


def lowest_score(config: dict[str, Any]) -> float:
    return min(config["win"], config["draw"], config["loss"])


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a game earns its score and what is paid, a sentence each."""
    scored = _("A game that you win scores {win}, a drawn one {draw}, and one that you lose {loss}.")
    told = {name: plain(config[name]) for name in ("win", "draw", "loss")}
    return [
        scored.format(**told),
        *texts.of_pay(config, called(), lowest_score(config)),
        *money.of_pay(config, called(), config["win"]),
    ]


def of_claims(config: dict[str, Any]) -> list[str]:
    """When a forced win may be claimed, and how often in a game, a sentence each."""
    limit = config["claims_limit"]
    failing = _("You can make no more claims in a game once {limit} of them have failed.")
    return [
        _("When it is your turn and the table is empty, you may claim a forced win."),
        _("A forced win means that you win whatever the other player plays."),
        _("If the claim is accepted, you have won. If not, the game goes on."),
        *([failing.format(limit=limit)] if limit else []),
    ]


def of_commands(config: dict[str, Any]) -> list[tuple[str, str]]:
    """What can be typed in a game, and what it does."""
    return command_list({**config, "analysing": False, "robots": config["group_size"] == 1})


def of_no_shows(config: dict[str, Any]) -> list[str]:
    """What becomes of who waits for somebody who does not come, a sentence each."""
    if config["no_shows"] == "robot":
        too_few = _("If nobody else waits, you play against the computer.")
    else:
        too_few = _("If there are too few people for a game, you go on without one.")
    return texts.of_no_shows(config, too_few)


def of_coach() -> dict[str, str]:
    """What the coach says beside the game to try (_static/challenge/tutorial.js)."""
    return {
        "ask_trumps": _("Try it: play any card. Click or tap it, or drag it to the table."),
        "praise_trumps": _("The computer has answered at once: it beat your card, or picked it up."),
        "ask_lead": _("These are new cards. The table is empty: lead a card."),
        "praise_lead": _("Now the computer had to beat your card or pick it up."),
        "ask_beat": _(
            "Beat a card of the computer: the cards that do it are lifted. If it has led none, lead one; if "
            "none is lifted, pick up."
        ),
        "praise_beat": _("Your card was better. Now the computer has to beat it or pick up."),
        "ask_pick_up": _("Pick up the table once, with the button. If it is empty, lead a card first."),
        "praise_pick_up": _("All cards of the table are in your hand now."),
        "ask_end": _("Play this game to its end. If it takes too long, resign, or press “Start over”."),
        "praise_end": _("The game is over. Press “Start over” to play another."),
        "praise_end_won": _("You have won this game!"),
        "all_over": _("This game is over. Press “Start over” for new cards."),
        "wait": _("The computer is to move: it will go on at once."),
    }
