"""The pages of Triangle Solitaire that draw triangles: its board, the check and the results."""

from typing import Any

from cardlab.games.triangle import rules, texts
from cardlab.pages.board import BoardPage
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.results import ResultsPage


class Board(BoardPage):
    """The board of the hand and of the tutorial."""

    game = "triangle"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Lets the board predict moves, for which it needs no option."""
        return {**super().js_vars(player), "options": {}}


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
