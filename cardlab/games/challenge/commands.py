"""Defines the commands that can be typed in Challenge: those of the source, in all spellings (ruling 21).

To parse a command, here or in the browser, convert it to lower case, remove all spaces and look it up in
``SPELLINGS``.
"""

from __future__ import annotations

from gettext import gettext as _
from itertools import product
from typing import Any

from cardlab.games.challenge import rules
from cardlab.games.challenge.packs import RANKS, SUITS
from cardlab.games.challenge.position import PICK_UP

# Commands that are not actions of the rules. ``mark`` and ``log`` are switches: the action is ``mark on`` or
# ``mark off``.
MAY, MARK, LOG, INSTRUCTIONS, WINDOW, NEXT = "may", "mark", "log", "instructions", "window", "next"
PAGE_COMMANDS = (MAY, MARK, LOG, INSTRUCTIONS, WINDOW, NEXT)

_TYPED = {
    PICK_UP: ("p",),
    MAY: ("?",),
    rules.CONSULT: ("!c",),
    rules.OFFER: ("!d",),
    rules.CLAIM: ("!f",),
    rules.RESIGN: ("!r",),
    rules.ACCEPT: ("y", "yes"),
    rules.DECLINE: ("n", "no"),
    rules.BACK: ("b",),
    rules.PASS: ("z",),
    rules.SETUP: (),
    MARK: ("!h",),
    LOG: ("!l",),
    INSTRUCTIONS: ("!i",),
    WINDOW: ("!w",),
    NEXT: ("!a",),
    **dict.fromkeys(rules.TOGGLES, ()),
}
_OTHER_RANKS = {"A": ("1",), "10": ("T", "X")}


def _normalize(text: str) -> str:
    return "".join(text.lower().split())


# Commands by spelling: cards in both orders, also after ``play``, and each command also by its name.
SPELLINGS: dict[str, str] = {
    **{_normalize(text): command for command, texts in _TYPED.items() for text in (*texts, command)},
    **{
        _normalize(text): f"play {rank}{suit}"
        for suit, rank in product(SUITS, RANKS)
        for typed in (rank, *_OTHER_RANKS.get(rank, ()))
        for card in (typed + suit, suit + typed)
        for text in (card, f"play {card}")
    },
}


def refusals() -> dict[str, str]:
    """Returns the answers to unknown texts by normalized text; the default has the key ``""``."""
    rank = _("Add the suit of the card, for example 10S.")
    suit = _("Add the rank of the card, for example 10S.")
    ranks = [_normalize(text) for one in RANKS for text in (one, *_OTHER_RANKS.get(one, ()))]
    return {
        **dict.fromkeys(ranks, rank),
        **dict.fromkeys(SUITS.lower(), suit),
        "!s": _("Shell commands are not available here."),
        "!": _("Type a letter after the !. Type !w to see the list of commands."),
        "": _(
            "Unknown command. Type a card, for example 10S, or p to pick up. "
            "Type !w to see the list of commands."
        ),
    }


def command_line(options: dict[str, Any], *, shown: bool) -> dict[str, Any]:
    """Returns the data of the command line for the board's script.

    Unless it is ``shown``, the line appears when the keyboard or a screen reader reaches it.
    """
    typed = {"spellings": SPELLINGS, "refusals": refusals(), "commands": command_list(options)}
    return {**typed, "shows_line": shown}


def read(text: str) -> str:
    """Returns the action or one of ``PAGE_COMMANDS`` for a typed text. Raises ValueError."""
    normalized = _normalize(text)
    if normalized in SPELLINGS:
        return SPELLINGS[normalized]
    sentences = refusals()
    raise ValueError(sentences.get(normalized, sentences[""]))


def command_list(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the list that ``!w`` shows: what to type, and what it does."""
    analysing = options["analysing"]
    robots = bool(options.get("robots"))
    descriptions = {
        "10S": _("play a card (also S10, ts or Xs)"),
        "p": _("pick up all the cards on the table"),
        "?": _("show what you may play"),
        "!c": _("ask what the computer would play"),
        "!d": _("offer a draw"),
        "!f": _("claim a win"),
        "!r": _("resign"),
        "b": _("undo: go back to your previous turn"),
        "z": _("let the other player lead"),
        "setup": _("set up a position: take all the cards"),
        "!h": _("highlighting on/off"),
        "!l": _("include in log: yes/no"),
        "!i": _("open the instructions"),
        "!w": _("show or hide this list"),
        "!a": _("go to the next game"),
    }
    left_out = {
        "!c": not (robots and (analysing or options["hints"])),
        "!d": analysing or not options["draw_offers"],
        "!f": not options["claims"],
        **dict.fromkeys(("!r", "!l"), analysing),
        **dict.fromkeys(("b", "z", "setup", "!a"), not analysing),
    }
    return [(typed, text) for typed, text in descriptions.items() if not left_out.get(typed)]
