"""Defines the comprehension questions: choice, collected cards, new cross, red cards, turning a cross."""

from gettext import gettext as _
from typing import Any

from cardlab.games.questions import Form, Question


def questions(options: dict[str, Any]) -> list[Question]:
    """Returns the questions in the participant's language, for hands with these options."""
    common = [_left_right(), _who_collects(), _new_cross(), _red_card()]
    return [*common, _turning()] if options["players"] == 2 else common


def _left_right() -> Question:
    crossing = _(
        "Your card selects a column, as you see the table. The other player’s card selects "
        "one, as they see it. The selected cross is where the two columns meet."
    )
    return Question(
        "left_right",
        Form(
            _("You play a card for the left column. What does it decide?"),
            (
                ("own", _("The selected cross is in the left column, as I see the table")),
                ("cross", _("I collect from the near left cross")),
                ("other", _("The other player collects a card of the left column")),
            ),
            "own",
            crossing,
        ),
        Form(
            _("You played a card for the right column. Do you know now which cross is selected?"),
            (
                ("yes", _("Yes, the near right cross")),
                ("two", _("No, the other player’s card decides which cross in the right column")),
                ("four", _("No, it may be any of the four crosses")),
            ),
            "two",
            crossing,
        ),
    )


def _who_collects() -> Question:
    upright = _("You collect the card that you see upright. The other player collects the card across.")
    return Question(
        "who_collects",
        Form(
            _("In the selected cross, which card do you collect?"),
            (
                ("upright", _("The card that I see upright")),
                ("higher", _("The card with the higher value")),
                ("played", _("The card that I have just played")),
            ),
            "upright",
            upright,
        ),
        Form(
            _("In the selected cross you see +9 across and −2 upright. What do you collect?"),
            (("nine", "+9"), ("both", _("Both cards")), ("two", "−2")),
            "two",
            upright,
        ),
    )


def _new_cross() -> Question:
    cross = _(
        "The two cards just played become the new cross there. You see yours upright, so you "
        "may collect it later."
    )
    return Question(
        "new_cross",
        Form(
            _("What happens to the two cards that have just been played?"),
            (
                ("collected", _("Each player adds their own to the pile")),
                ("cross", _("They become the new cross in the selected place")),
                ("away", _("They are out of the game")),
            ),
            "cross",
            cross,
        ),
        Form(
            _("How does the card that you have just played lie in the new cross?"),
            (("across", _("Across")), ("down", _("Face down")), ("stands", _("Upright, as I see it"))),
            "stands",
            cross,
        ),
    )


def _red_card() -> Question:
    total = _("Your score is the sum of the cards you collected. Red cards are subtracted.")
    return Question(
        "red_card",
        Form(
            _("You have collected +8, −3 and −10. What is your score?"),
            (("21", "+21"), ("minus5", "−5"), ("8", "+8")),
            "minus5",
            total,
        ),
        Form(
            _("You have collected +7, +2 and −4. What is your score?"),
            (("13", "+13"), ("9", "+9"), ("plus5", "+5")),
            "plus5",
            total,
        ),
    )


def _turning() -> Question:
    lower = _("The player who collected the lower card may turn a cross. After equal values nobody may.")
    return Question(
        "turning",
        Form(
            _("You collected a −6, the other player a +3. Who may turn a cross now?"),
            (("me", _("I")), ("other", _("The other player")), ("nobody", _("Nobody"))),
            "me",
            lower,
        ),
        Form(
            _("You and the other player both collected a +5. Who may turn a cross now?"),
            (("both", _("Both of us")), ("other", _("The other player")), ("none", _("Nobody"))),
            "none",
            lower,
        ),
    )
