"""Comprehension questions: what beats a card, what is picked up, who goes on then, who wins."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.challenge.options import trumps_of
from cardlab.games.challenge.packs import RANKS
from cardlab.games.questions import Form, Question

# The suits as they are shown in questions.
SIGNS = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    theirs, mine = (SIGNS[suit] for suit in trumps_of(options))
    side, other = (sign for suit, sign in SIGNS.items() if sign not in (theirs, mine))
    return [
        _which_beats(mine, theirs, side, other, RANKS[1], RANKS[2]),
        _what_is_taken(side, mine),
        _who_leads(options),
        _who_wins(),
    ]


def _which_beats(mine: str, theirs: str, side: str, other: str, top: str, low: str) -> Question:
    better = _("A better card is a higher one of the same suit, or one of your own trumps.")
    return Question(
        "which_beats",
        Form(
            _("Your trumps are {trumps}. On top lies {card}. Which card beats it?").format(
                trumps=mine, card=top + side
            ),
            (
                ("higher_other", f"A{other}"),
                ("trump", low + mine),
                ("lower", low + side),
            ),
            "trump",
            better,
        ),
        Form(
            _(
                "Your trumps are {trumps}, the other player’s {theirs}. On top lies {card}. What beats it?"
            ).format(trumps=mine, theirs=theirs, card=top + theirs),
            (
                ("none", _("Only a higher {theirs} beats it").format(theirs=theirs)),
                (
                    "any_trump",
                    _("A higher {theirs} beats it, or any {trumps}").format(theirs=theirs, trumps=mine),
                ),
                ("nothing", _("Nothing beats it: it is a trump")),
            ),
            "any_trump",
            _("Your trumps beat every card of another suit, the other player’s trumps too."),
        ),
    )


def _what_is_taken(side: str, mine: str) -> Question:
    all_cards = _("Who picks up takes all the cards on the table, not only the one on top.")
    return Question(
        "what_is_taken",
        Form(
            _("Five cards lie on the table, and you pick up. How many come to your hand?"),
            (("top", "1"), ("all", "5"), ("two", _("The last two"))),
            "all",
            all_cards,
        ),
        Form(
            _("You have a card that beats the one on top. Must you play it?"),
            (
                ("must", _("Yes, always")),
                ("may", _("No: I may pick up the table instead")),
                ("pass", _("No: I may pass, and nothing is picked up")),
            ),
            "may",
            _("You either play a better card or pick up the table, as you like."),
        ),
    )


def _who_leads(options: dict[str, Any]) -> Question:
    own = options["after_pickup"] == "picker"
    why = (
        _("Who picks up leads the next card.")
        if own
        else _("After a pick-up it is the other player’s turn: they lead a card to the empty table.")
    )
    return Question(
        "who_leads",
        Form(
            _("You have picked up the table. What comes next?"),
            (
                ("picker", _("I lead any card of my hand")),
                ("other", _("The other player leads any card")),
                ("better", _("The other player must beat my best card")),
            ),
            "picker" if own else "other",
            why,
        ),
        Form(
            _("The other player picks up. Who plays the next card?"),
            (
                ("me", _("I do, any card of my hand")),
                ("beat", _("I do, but it must beat the card that was on top")),
                ("them", _("The other player")),
            ),
            "them" if own else "me",
            why,
        ),
    )


def _who_wins() -> Question:
    last = _("Who plays their last card wins at once.")
    return Question(
        "who_wins",
        Form(
            _("How is the game won?"),
            (
                ("most", _("By having the most cards at the end")),
                ("last", _("By playing one’s last card")),
                ("trumps", _("By having all trumps")),
            ),
            "last",
            last,
        ),
        Form(
            _("You have one card left, and it is better than the one on top. You play it. What happens?"),
            (
                ("answer", _("The other player may still beat it")),
                ("draw", _("The game is drawn")),
                ("won", _("I have won")),
            ),
            "won",
            last,
        ),
    )
