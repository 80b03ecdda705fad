"""Comprehension questions: the moves, the two restrictions, the goal, and what lies face down."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question, yes_no


def solo_questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    asked = [_from_ck(), _from_nk(), _who_is_next(), _when_solved()]
    return asked if options["ViewCkNk"] else [*asked, _face_down()]


def pair_questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions where two play together, likewise."""
    return [_whose_turn(), _what_is_seen(options), _what_is_told(), _from_ck(), _from_nk(), _when_solved()]


def _from_ck() -> Question:
    return Question(
        "ck_into_target",
        Form(
            _("It is Ck’s turn. 4♥ lies at Ck and 2♥ lies in Target. May they be exchanged?"),
            yes_no(),
            "yes",
            _("Yes: from Ck the two cards need the same colour, and both are red."),
        ),
        Form(
            _("It is Ck’s turn. 3♣ lies at Ck and 3♥ lies in Target. May they be exchanged?"),
            yes_no(),
            "no",
            _("No: from Ck the two cards need the same colour, and only one of these is red."),
        ),
        Form(
            _("It is Ck’s turn. 2♣ lies at Ck. Which of these cards in Target may it be exchanged with?"),
            (("2H", "2♥"), ("4C", "4♣"), ("both", _("Both")), ("none", _("Neither"))),
            "4C",
            _("With 4♣: from Ck the two cards need the same colour, and both are black."),
        ),
    )


def _from_nk() -> Question:
    return Question(
        "nk_into_target",
        Form(
            _("It is Nk’s turn. 3♣ lies at Nk and 2♣ lies in Target. May they be exchanged?"),
            yes_no(),
            "no",
            _("No: from Nk the two cards need the same number, and these are a 3 and a 2."),
        ),
        Form(
            _("It is Nk’s turn. 4♥ lies at Nk and 4♣ lies in Target. May they be exchanged?"),
            yes_no(),
            "yes",
            _("Yes: from Nk the two cards need the same number, and both are a 4."),
        ),
        Form(
            _("It is Nk’s turn. 2♥ lies at Nk. Which of these cards in Target may it be exchanged with?"),
            (("4H", "4♥"), ("2C", "2♣"), ("both", _("Both")), ("none", _("Neither"))),
            "2C",
            _("With 2♣: from Nk the two cards need the same number, and both are a 2."),
        ),
    )


def _who_is_next() -> Question:
    turns = _("Ck and Nk take turns: after every move, a pass too, it is the other’s turn.")
    return Question(
        "who_is_next",
        Form(
            _("Ck has just exchanged with the card at C. Whose turn is it now?"),
            (("ck", _("Ck’s again")), ("nk", _("Nk’s")), ("choice", _("Whichever I choose"))),
            "nk",
            turns,
        ),
        Form(
            _("It was Nk’s turn, and you have passed. Whose turn is it now?"),
            (("nk", _("Nk’s again")), ("choice", _("Whichever I choose")), ("ck", _("Ck’s"))),
            "ck",
            turns,
        ),
    )


def _when_solved() -> Question:
    target = _("A hand is solved when the goal card lies in Target, and only then.")
    return Question(
        "when_solved",
        Form(
            _("When is a hand solved?"),
            (
                ("up", _("When the goal card lies face up")),
                ("keeper", _("When the goal card lies at Ck or Nk")),
                ("target", _("When the goal card lies in Target")),
            ),
            "target",
            target,
        ),
        Form(
            _("The goal card is 2♥. It lies at Ck now. Is the hand solved?"),
            (("solved", _("Yes")), ("not_yet", _("Not yet: it has to come into Target"))),
            "not_yet",
            target,
        ),
    )


def _face_down() -> Question:
    look = _("Choose a keeper’s card to look at it. It turns face down again after the next move.")
    return Question(
        "face_down",
        Form(
            _("It is Ck’s turn, and its card lies face down. How do you find out which it is?"),
            (
                ("never", _("That is not possible before it is exchanged")),
                ("look", _("I click or tap it")),
                ("pass", _("I pass, and see it then")),
            ),
            "look",
            look,
        ),
        Form(
            _("You have looked at the card of Ck, and then you have moved. What do you see at Ck now?"),
            (("open", _("The card goes on lying face up")), ("down", _("A card that lies face down"))),
            "down",
            look,
        ),
    )


def _whose_turn() -> Question:
    turns = _("You take turns: after every move, a pass too, it is the turn of the other keeper.")
    return Question(
        "whose_turn",
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
    )


def _what_is_told() -> Question:
    silent = _("Your moves are all that you tell each other: you may not talk, and give no signs.")
    return Question(
        "what_is_told",
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
    )
