"""Defines the comprehension questions: the moves, the two restrictions, the goal, face-down cards."""

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question, yes_no


def solo_questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    common = [_from_ck(), _from_nk(), _who_is_next(), _when_solved()]
    return common if options["ViewCkNk"] else [*common, _face_down()]


def pair_questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions for hands of two players, in the participant's language."""
    return [
        _whose_turn(),
        _what_is_seen(options),
        _may_you_talk(),
        _from_ck(),
        _from_nk(),
        _when_solved(),
    ]


def _from_ck() -> Question:
    return Question(
        "ck_into_target",
        Form(
            _("It is the colour keeper’s turn. It has 4♥, and 2♥ is in Target. May they be exchanged?"),
            yes_no(),
            "yes",
            _("Yes: the colour keeper needs two cards of the same colour. Both are red."),
        ),
        Form(
            _("It is the colour keeper’s turn. It has 3♣, and 3♥ is in Target. May they be exchanged?"),
            yes_no(),
            "no",
            _("No: the colour keeper needs two cards of the same colour. Only one of these is red."),
        ),
        Form(
            _(
                "It is the colour keeper’s turn. It has 2♣. With which of these cards in Target may "
                "it exchange?"
            ),
            (("2H", "2♥"), ("4C", "4♣"), ("both", _("Both")), ("none", _("Neither"))),
            "4C",
            _("With 4♣: the colour keeper needs two cards of the same colour. Both are black."),
        ),
    )


def _from_nk() -> Question:
    return Question(
        "nk_into_target",
        Form(
            _("It is the number keeper’s turn. It has 3♣, and 2♣ is in Target. May they be exchanged?"),
            yes_no(),
            "no",
            _("No: the number keeper needs two cards with the same number. These are a 3 and a 2."),
        ),
        Form(
            _("It is the number keeper’s turn. It has 4♥, and 4♣ is in Target. May they be exchanged?"),
            yes_no(),
            "yes",
            _("Yes: the number keeper needs two cards with the same number. Both are a 4."),
        ),
        Form(
            _(
                "It is the number keeper’s turn. It has 2♥. With which of these cards in Target may "
                "it exchange?"
            ),
            (("4H", "4♥"), ("2C", "2♣"), ("both", _("Both")), ("none", _("Neither"))),
            "2C",
            _("With 2♣: the number keeper needs two cards with the same number. Both are a 2."),
        ),
    )


def _who_is_next() -> Question:
    turns = _("The keepers take turns. After every move, even a pass, it is the other keeper’s turn.")
    return Question(
        "who_is_next",
        Form(
            _("The colour keeper has just exchanged with Left. Whose turn is it now?"),
            (
                ("ck", _("The colour keeper’s again")),
                ("nk", _("The number keeper’s")),
                ("choice", _("The keeper’s that I choose")),
            ),
            "nk",
            turns,
        ),
        Form(
            _("It was the number keeper’s turn, and you passed. Whose turn is it now?"),
            (
                ("nk", _("The number keeper’s again")),
                ("choice", _("The keeper’s that I choose")),
                ("ck", _("The colour keeper’s")),
            ),
            "ck",
            turns,
        ),
    )


def _when_solved() -> Question:
    target = _("A hand is solved only when the goal card is in Target.")
    return Question(
        "when_solved",
        Form(
            _("When is a hand solved?"),
            (
                ("up", _("When the goal card is face up")),
                ("keeper", _("When a keeper has the goal card")),
                ("target", _("When the goal card is in Target")),
            ),
            "target",
            target,
        ),
        Form(
            _("The goal card is 2♥. The colour keeper has it now. Is the hand solved?"),
            (("solved", _("Yes")), ("not_yet", _("Not yet: it must come into Target"))),
            "not_yet",
            target,
        ),
    )


def _face_down() -> Question:
    look = _("Choose a keeper’s card to look at it. It turns face down again after the next move.")
    return Question(
        "face_down",
        Form(
            _("It is the colour keeper’s turn. Its card is face down. How do you find out which card it is?"),
            (
                ("never", _("I cannot know before it is exchanged")),
                ("look", _("I choose the card to look at it")),
                ("pass", _("I pass, and then I see it")),
            ),
            "look",
            look,
        ),
        Form(
            _("You looked at the colour keeper’s card and then made a move. What do you see there now?"),
            (("open", _("The card, still face up")), ("down", _("A face-down card"))),
            "down",
            look,
        ),
    )


def _whose_turn() -> Question:
    turns = _("The keepers take turns. After every move, even a pass, it is the other keeper’s turn.")
    return Question(
        "whose_turn",
        Form(
            _("You have just exchanged with Left. Whose turn is it now?"),
            (
                ("me", _("It is my turn again")),
                ("partner", _("My partner’s, with the other keeper")),
                ("first", _("The faster player’s")),
            ),
            "partner",
            turns,
        ),
        Form(
            _("Your partner passed. Whose turn is it now, and with which keeper?"),
            (
                ("partner", _("My partner’s again")),
                ("other", _("Mine, with my partner’s keeper")),
                ("me", _("Mine, with my own keeper")),
            ),
            "me",
            turns,
        ),
    )


def _what_is_seen(options: dict[str, Any]) -> Question:
    """Returns the question about visible keepers' cards (ViewCard)."""
    if options["ViewCard"] == "all":
        text = _("Which keepers’ cards can you see?")
        right_answer, explanation = "both", _("You and your partner both see both keepers’ cards.")
    elif options["ViewCard"] == "mix":
        text = _("No card has been exchanged yet in this hand. Which keepers’ cards can you see?")
        right_answer, explanation = (
            "mine",
            _("Before the first exchange you see only your own keeper’s card."),
        )
    else:
        text = _("Which keepers’ cards can you see?")
        right_answer = "mine"
        explanation = _("You see only your own keeper’s card. Your partner sees only theirs.")
    choices = (("mine", _("Only my own keeper’s")), ("both", _("Both keepers’")), ("none", _("Neither")))
    hidden = _(
        "The Left and Right cards are always face down. You both always see the Face-up and Target cards."
    )
    return Question(
        "what_is_seen",
        Form(text, choices, right_answer, explanation),
        Form(
            _("Which of these cards can both you and your partner see?"),
            (("c_n", _("Left and Right")), ("up_t", _("Face-up and Target")), ("all", _("All six"))),
            "up_t",
            hidden,
        ),
    )


def _may_you_talk() -> Question:
    silent = _("Please do not talk or signal. Your moves are your only message.")
    return Question(
        "what_is_told",
        Form(
            _("You know where the goal card is. May you tell your partner?"),
            (
                ("talk", _("Yes, in a low voice")),
                ("no", _("No: my partner sees only my moves")),
                ("sign", _("Yes, with a signal")),
            ),
            "no",
            silent,
        ),
        Form(
            _("You have just exchanged with Left. Does your partner see this?"),
            yes_no(),
            "yes",
            _("Yes: your partner sees each of your moves. Your moves are your only message."),
        ),
    )
