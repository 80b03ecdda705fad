"""The pages of Triangle Solitaire that draw triangles, in addition to those of every game."""

from typing import Any

from cardlab.games.triangle import rules, texts
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.results import ResultsPage


class TriangleCheck(CheckPage):
    """The comprehension check; the rules have pictures, whose script needs the board's texts."""

    @staticmethod
    def js_vars(player: Any) -> dict[str, Any]:
        """Returns the board's texts."""
        return {"words": texts.board_texts()}


class TriangleResults(ResultsPage):
    """The scored triangles and the earnings, after the last hand."""

    template_name = "triangle_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the triangles."""
        return {**super().vars_for_template(player), "triangles": cls.scored_triangles(player)}

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Returns the triangles and the board's texts."""
        return {"triangles": cls.scored_triangles(player), "words": texts.board_texts()}

    @classmethod
    def scored_triangles(cls, player: Any) -> list[dict[str, Any]]:
        """Returns the final triangles of the paid hands as views, which do not show the deck."""
        return [
            {"number": hand.opening.number, "view": view, "points": texts.score_lines(view)}
            for hand, _seat in cls.paid_hands(player)
            for view in [rules.view(hand.state, rules.SEAT)]
        ]
