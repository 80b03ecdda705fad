"""Defines the comprehension questions: which card beats another, what is picked up, who leads, who wins."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.challenge.options import trumps_of
from cardlab.games.challenge.packs import RANKS
from cardlab.games.questions import Form, Question

# The signs of the suits in questions.
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
    better = _("Better cards are higher cards of the same suit and your own trumps.")
    return Question(
        "which_beats",
        Form(
            _("Your trumps are {trumps}. The top card is {card}. Which card beats it?").format(
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
                "Your trumps are {trumps}. The other player’s are {theirs}. The top card is {card}. "
                "What beats it?"
            ).format(trumps=mine, theirs=theirs, card=top + theirs),
            (
                ("none", _("Only a higher {theirs}").format(theirs=theirs)),
                (
                    "any_trump",
                    _("A higher {theirs} or any {trumps}").format(theirs=theirs, trumps=mine),
                ),
                ("nothing", _("Nothing, because it is a trump")),
            ),
            "any_trump",
            _("Your trumps beat every card of another suit, even the other player’s trumps."),
        ),
    )


def _what_is_taken(side: str, mine: str) -> Question:
    all_cards = _("A player who picks up takes all the cards on the table.")
    return Question(
        "what_is_taken",
        Form(
            _("There are five cards on the table, and you pick up. How many do you take?"),
            (("top", "1"), ("all", "5"), ("two", _("The last two"))),
            "all",
            all_cards,
        ),
        Form(
            _("You have a card that beats the top card. Do you have to play it?"),
            (
                ("must", _("Yes, always")),
                ("may", _("No, I may pick up instead")),
                ("pass", _("No, I may pass without picking up")),
            ),
            "may",
            _("You may always choose: play a better card or pick up."),
        ),
    )


def _who_leads(options: dict[str, Any]) -> Question:
    picker_leads = options["after_pickup"] == "picker"
    explanation = (
        _("The player who picked up leads the next card.")
        if picker_leads
        else _("When a player has picked up, the other player leads the next card.")
    )
    return Question(
        "who_leads",
        Form(
            _("You have picked up the cards. What happens next?"),
            (
                ("picker", _("I lead any of my cards")),
                ("other", _("The other player leads any card")),
                ("better", _("The other player must beat my best card")),
            ),
            "picker" if picker_leads else "other",
            explanation,
        ),
        Form(
            _("The other player picks up. Who plays the next card?"),
            (
                ("me", _("I do, any of my cards")),
                ("beat", _("I do, but my card must beat the one that was on top")),
                ("them", _("The other player")),
            ),
            "them" if picker_leads else "me",
            explanation,
        ),
    )


def _who_wins() -> Question:
    last = _("The first player to play their last card wins.")
    return Question(
        "who_wins",
        Form(
            _("How do you win the game?"),
            (
                ("most", _("By having the most cards at the end")),
                ("last", _("By playing your last card first")),
                ("trumps", _("By having all the trumps")),
            ),
            "last",
            last,
        ),
        Form(
            _("You play your last card, and it beats the top card. What happens?"),
            (
                ("answer", _("The other player may still beat it")),
                ("draw", _("The game is a draw")),
                ("won", _("I have won")),
            ),
            "won",
            last,
        ),
    )
