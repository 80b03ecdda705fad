"""The comprehension check: what is new where two play, the two restrictions, and the goal."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.pages.comprehension_check import Form, Question
from ttt_solo_app.check import from_ck, from_nk, when_solved, yes_no


def questions(options: dict[str, Any]) -> list[Question]:
    """In the participant's language, so made when asked for."""
    return [_whose_turn(), _what_is_seen(options), _what_is_told(), from_ck(), from_nk(), when_solved()]


def _whose_turn() -> Question:
    turns = _("You take turns: after every move, a pass too, it is the turn of the other keeper.")
    return Question(
        "whose_turn",
        (
            Form(
                _("You have just exchanged with the card at C. Who moves now?"),
                (
                    ("me", _("I do, again")),
                    ("partner", _("My partner, with the other keeper")),
                    ("first", _("Whoever of us is quicker")),
                ),
                "partner",
                turns,
            ),
            Form(
                _("Your partner has passed. Who moves now, and with which keeper?"),
                (
                    ("partner", _("My partner, once more")),
                    ("other", _("I do, with my partner’s keeper")),
                    ("me", _("I do, with my own keeper")),
                ),
                "me",
                turns,
            ),
        ),
    )


def _what_is_seen(options: dict[str, Any]) -> Question:
    """Whose keeper's card one may see: ViewCard."""
    if options["ViewCard"] == "all":
        text = _("Which cards of the keepers may you see?")
        right, why = "both", _("You and your partner may both see the cards of both keepers.")
    elif options["ViewCard"] == "mix":
        text = _("No card has been exchanged yet in this hand. Which cards of the keepers may you see?")
        right, why = "mine", _("Before the first exchange you see only the card of your own keeper.")
    else:
        text = _("Which cards of the keepers may you see?")
        right = "mine"
        why = _("You see only the card of your own keeper, and your partner only that of theirs.")
    choices = (
        ("mine", _("Only that of my own keeper")),
        ("both", _("Those of both keepers")),
        ("none", _("None of the two")),
    )
    hidden = _("The cards at C and N always lie face down; those at UP and Target are seen by both of you.")
    return Question(
        "what_is_seen",
        (
            Form(text, choices, right, why),
            Form(
                _("Which of these cards lie face up for you and for your partner alike?"),
                (
                    ("c_n", _("Those at C and N")),
                    ("up_t", _("Those at UP and Target")),
                    ("all", _("All six")),
                ),
                "up_t",
                hidden,
            ),
        ),
    )


def _what_is_told() -> Question:
    silent = _("Your moves are all that you tell each other: you may not talk, and give no signs.")
    return Question(
        "what_is_told",
        (
            Form(
                _("You know where the goal card lies. May you tell your partner?"),
                (
                    ("talk", _("Yes, in a low voice")),
                    ("no", _("No: my partner sees my moves, and nothing else")),
                    ("sign", _("Yes, by a sign")),
                ),
                "no",
                silent,
            ),
            Form(
                _("You have just exchanged with the card at C. Does your partner see that you have?"),
                yes_no(),
                "yes",
                _("Yes: your partner sees every move of yours, and that is all you tell each other."),
            ),
        ),
    )
