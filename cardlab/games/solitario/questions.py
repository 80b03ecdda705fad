"""Defines the comprehension questions: columns, empty columns, foundations, turning over the stock."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question
from cardlab.games.sentence import translate
from cardlab.games.solitario.packs import PACKS, card_name


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    suits = PACKS[options["pack"]].suits
    return [_which_card(suits), _empty_column(), _next_home(suits), _turn_over()]


def _cards(*cards: str) -> tuple[tuple[str, str], ...]:
    return tuple((card, translate(card_name(card))) for card in cards)


def _which_card(suits: tuple[str, ...]) -> Question:
    black, other_black, red, other_red = suits
    explanation = _(
        "Each card must be one lower and of the other colour. "
        "Only the {one} and the {other} go on the {card}."
    )
    return Question(
        "which_card",
        Form(
            _("The last card of a column is the {card}. Which of these may go on it?").format(
                card=translate(card_name("5" + red))
            ),
            _cards("4" + other_red, "4" + other_black, "6" + black),
            "4" + other_black,
            explanation.format(
                card=translate(card_name("5" + red)),
                one=translate(card_name("4" + black)),
                other=translate(card_name("4" + other_black)),
            ),
        ),
        Form(
            _("The last card of a column is the {card}. Which of these may go on it?").format(
                card=translate(card_name("6" + black))
            ),
            _cards("5" + red, "7" + red, "5" + other_black),
            "5" + red,
            explanation.format(
                card=translate(card_name("6" + black)),
                one=translate(card_name("5" + red)),
                other=translate(card_name("5" + other_red)),
            ),
        ),
    )


def _empty_column() -> Question:
    explanation = _("Only a king, with the cards on it, may go to an empty column.")
    return Question(
        "empty_column",
        Form(
            _("A column is empty. Which card may go there?"),
            (("any", _("Any card")), ("king", _("A king")), ("ace", _("An ace"))),
            "king",
            explanation,
        ),
        Form(
            _("A column is empty. May you put a 7 there?"),
            (("yes", _("Yes")), ("no", _("No"))),
            "no",
            explanation,
        ),
    )


def _next_home(suits: tuple[str, ...]) -> Question:
    black, other_black, red, _other_red = suits
    explanation = _("Build each foundation up in one suit. After the {card} comes the {following}.")
    first_card, second_card = "3" + black, "4" + red
    return Question(
        "next_home",
        Form(
            _("The top card of a foundation is the {card}. Which card goes there next?").format(
                card=translate(card_name(first_card))
            ),
            _cards("4" + other_black, "4" + black, "2" + black),
            "4" + black,
            explanation.format(
                card=translate(card_name(first_card)), following=translate(card_name("4" + black))
            ),
        ),
        Form(
            _("The top card of a foundation is the {card}. Which card goes there next?").format(
                card=translate(card_name(second_card))
            ),
            _cards("5" + red, "6" + red, "5" + black),
            "5" + red,
            explanation.format(
                card=translate(card_name(second_card)), following=translate(card_name("5" + red))
            ),
        ),
    )


def _turn_over() -> Question:
    explanation = _("You may turn over the stock as often as you like. Each time costs 175 points.")
    return Question(
        "turn_over",
        Form(
            _("The stock is empty, and you turn it over. How much does that cost?"),
            (("nothing", _("Nothing")), ("points", _("175 points")), ("hand", _("The hand is lost"))),
            "points",
            explanation,
        ),
        Form(
            _("How often may you turn over the stock in a hand?"),
            (("once", _("Once")), ("often", _("As often as I like")), ("never", _("Never"))),
            "often",
            explanation,
        ),
    )
