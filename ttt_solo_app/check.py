"""The comprehension check: four questions on the moves, the two restrictions and the goal."""

from gettext import gettext as _

from experiment.pages import Question


def questions() -> list[Question]:
    """In the participant's language, so made when asked for."""
    yes_no = (("yes", _("Yes")), ("no", _("No")))
    return [
        Question(
            "ck_into_target",
            _("It is Ck’s turn. 4♥ lies at Ck and 2♥ lies in Target. May they be exchanged?"),
            yes_no,
            "yes",
            _("Yes: from Ck the two cards need the same colour, and both are red."),
        ),
        Question(
            "nk_into_target",
            _("It is Nk’s turn. 3♣ lies at Nk and 2♣ lies in Target. May they be exchanged?"),
            yes_no,
            "no",
            _("No: from Nk the two cards need the same number, and these are a 3 and a 2."),
        ),
        Question(
            "who_is_next",
            _("Ck has just exchanged with the card at C. Whose turn is it now?"),
            (("ck", _("Ck’s again")), ("nk", _("Nk’s")), ("choice", _("Whichever I choose"))),
            "nk",
            _("Ck and Nk take turns: after every move, a pass too, it is the other’s turn."),
        ),
        Question(
            "when_solved",
            _("When is a hand solved?"),
            (
                ("up", _("When the goal card lies face up")),
                ("keeper", _("When the goal card lies at Ck or Nk")),
                ("target", _("When the goal card lies in Target")),
            ),
            "target",
            _("A hand is solved when the goal card lies in Target."),
        ),
    ]
