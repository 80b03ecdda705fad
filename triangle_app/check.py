"""The comprehension check: four questions on what fits, what matches, discards, and a side's score."""

from gettext import gettext as _

from experiment.pages import Question


def questions() -> list[Question]:
    """In the participant's language, so made when asked for."""
    yes_no = (("yes", _("Yes")), ("no", _("No")))
    return [
        Question(
            "which_single",
            _("The card to place is a hollow blue circle. Which Single may it replace?"),
            (
                ("red", _("Red")),
                ("hollow", _("Hollow")),
                ("square", _("Square")),
            ),
            "hollow",
            _("A card may replace a Single that it has itself: here only hollow, blue or circle."),
        ),
        Question(
            "which_match",
            _("A hollow blue circle lies next to a filled red circle. Do the two match?"),
            yes_no,
            "yes",
            _("Two neighbours match if they have at least one thing in common: here both are circles."),
        ),
        Question(
            "no_place",
            _("The card to place fits nowhere any more. What becomes of it?"),
            (
                ("discarded", _("It is discarded, which costs 3 points")),
                ("later", _("It comes again later")),
                ("anywhere", _("I may put it anywhere")),
            ),
            "discarded",
            _("A card that fits no place is discarded by itself, and costs 3 points."),
        ),
        Question(
            "which_side",
            _(
                "All nine places of a side are filled, but one pair of neighbours does not match. "
                "What is the side worth?"
            ),
            (
                ("five", _("5 points")),
                ("four", _("5 points, less 2 for the pair")),
                ("minus", _("Nothing, and 2 points are taken off for the pair")),
            ),
            "minus",
            _("A side earns its 5 points only if all its neighbours match; each pair that does not costs 2."),
        ),
    ]
