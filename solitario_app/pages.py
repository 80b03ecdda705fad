"""The pages of Solitario: its board, the hand, and the results with the parts of each score."""

from typing import Any

from cardlab.games.solitario import texts
from cardlab.games.solitario.deal import complete_options
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.results import ResultsPage
from cardlab.sessions.config import config_of


class Board(BoardPage):
    """The board of the hand and of the tutorial."""

    game = "solitario"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the options that the board needs to predict moves."""
        options = complete_options(cls.options(player))
        return {**super().js_vars(player), "options": {name: options[name] for name in ("draw", "turn_up")}}


class SolitarioHand(HandPage, Board):
    """One hand."""

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether a button may finish the hand."""
        return {**super().js_vars(player), "auto_finish": config_of(player)["auto_finish"]}

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds whether a hand follows, which a key begins."""
        return {**super().vars_for_template(player), "is_last": cls.shown_opening(player).is_last}


class SolitarioResults(ResultsPage):
    """The hands, the parts of their scores, the ten best and the earnings, after the last hand."""

    template_name = "solitario_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the parts of the scores."""
        variables = super().vars_for_template(player)
        scores = [(number, texts.score_lines(result)) for number, result, *_points in variables["rows"]]
        return {**variables, "scores": scores}
