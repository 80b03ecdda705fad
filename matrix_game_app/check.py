"""The comprehension check: four questions on the choice, what is collected, the new cross, red cards."""

from gettext import gettext as _

from experiment.pages import Question


def questions() -> list[Question]:
    """In the participant's language, so made when asked for."""
    return [
        Question(
            "left_right",
            _("You play a card with the sign for the left column. What does it decide?"),
            (
                ("own", _("That the selected cross lies in the left column, as I see the table")),
                ("cross", _("That I collect the near left cross")),
                ("other", _("That the other player collects a card of the left column")),
            ),
            "own",
            _(
                "Your card selects a column as you see the table, the other player’s card one as they see "
                "it. The cross where the two columns meet is the selected one."
            ),
        ),
        Question(
            "who_collects",
            _("In the selected cross, which card do you collect?"),
            (
                ("upright", _("The one that stands upright as I see it")),
                ("higher", _("The one with the higher value")),
                ("played", _("The one that I have just played")),
            ),
            "upright",
            _("You collect the card that stands upright as you see it, the other player the one across."),
        ),
        Question(
            "new_cross",
            _("What becomes of the two cards that have just been played?"),
            (
                ("collected", _("Each player adds their own to the pile")),
                ("cross", _("They become the new cross in the selected place")),
                ("away", _("They are out of the game")),
            ),
            "cross",
            _(
                "The two cards just played become the new cross in that place. Yours stands upright as you "
                "see it, so you may collect it later."
            ),
        ),
        Question(
            "red_card",
            _("You have collected +8, −3 and −10. What is your score?"),
            (("21", "+21"), ("minus5", "−5"), ("8", "+8")),
            "minus5",
            _("Your score is the sum of what you have collected, and red cards count less than nothing."),
        ),
    ]
