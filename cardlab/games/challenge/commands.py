"""What may be typed in Challenge: the source's commands, in every spelling (ruling 21).

``SPELLINGS`` is the one truth. Who reads what was typed, here or in the browser, puts it in small letters,
leaves out all spaces, and looks there.
"""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.challenge import rules
from cardlab.games.challenge.packs import RANKS, SUITS
from cardlab.games.challenge.position import PICK_UP

# What is typed and is no action of the game, because it changes nothing that others see or the record keeps
# under this name. ``mark`` and ``log`` are switches: what is played is ``mark on`` or ``mark off``.
MAY, MARK, LOG = "may", "mark", "log"
INSTRUCTIONS, WINDOW, NEXT = "instructions", "window", "next"
NO_ACTIONS = (MAY, MARK, LOG, INSTRUCTIONS, WINDOW, NEXT)

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


def _packed(text: str) -> str:
    return "".join(text.lower().split())


def _spellings() -> dict[str, str]:
    """Commands by what was typed: cards in both orders, also after ``play``, and each command in words."""
    found = {_packed(text): command for command, texts in _TYPED.items() for text in (*texts, command)}
    for suit in SUITS:
        for rank in RANKS:
            for typed in (rank, *_OTHER_RANKS.get(rank, ())):
                for card in (typed + suit, suit + typed):
                    for text in (card, f"play {card}"):
                        found[_packed(text)] = f"play {rank}{suit}"
    return found


SPELLINGS: dict[str, str] = _spellings()


def refusals() -> dict[str, str]:
    """What is answered to a text that is no command, by the text as ``SPELLINGS`` has texts; ``""`` has the
    answer to any other."""
    rank = _("To play a card, name its suit too, such as 10S.")
    suit = _("To play a card, name its rank too, such as 10S.")
    ranks = [_packed(text) for one in RANKS for text in (one, *_OTHER_RANKS.get(one, ()))]
    return {
        **dict.fromkeys(ranks, rank),
        **dict.fromkeys(SUITS.lower(), suit),
        "!s": _("There is no shell here."),
        "!": _("After the ! comes a letter; !w shows the list of commands."),
        "": _("This is no command. Name a card, such as 10S, or type p to pick up; !w shows the list."),
    }


def read(text: str) -> str:
    """The action of the rules, or the one of ``NO_ACTIONS``, that was typed; ValueError with a sentence if it
    is none."""
    packed = _packed(text)
    if packed in SPELLINGS:
        return SPELLINGS[packed]
    sentences = refusals()
    raise ValueError(sentences.get(packed, sentences[""]))


def window(options: dict[str, Any]) -> list[tuple[str, str]]:
    """The list of commands that ``!w`` shows under these options: what to type, and what it does."""
    analysing = options["analysing"]
    robots = bool(options.get("robots"))
    meant = {
        "10S": _("play a card; S10, ts or Xs are the same"),
        "p": _("pick up the cards on the table"),
        "?": _("what may I play?"),
        "!c": _("what would the computer play?"),
        "!d": _("offer a draw"),
        "!f": _("claim a forced win"),
        "!r": _("resign"),
        "b": _("back to your turn before"),
        "z": _("pass: the other player leads"),
        "setup": _("all cards into your hand"),
        "!h": _("mark the cards you may play, or not"),
        "!l": _("put this game into the log, or not"),
        "!i": _("instructions"),
        "!w": _("show or hide this list"),
        "!a": _("to the next game"),
    }
    left_out = {
        "!c": not (robots and (analysing or options["hints"])),
        "!d": analysing or not options["draw_offers"],
        "!f": not options["claims"],
        **dict.fromkeys(("!r", "!l"), analysing),
        **dict.fromkeys(("b", "z", "setup", "!a"), not analysing),
    }
    return [(typed, what) for typed, what in meant.items() if not left_out.get(typed)]
