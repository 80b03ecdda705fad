"""The pages of Solitario: the hand, and the results with what each score is made of."""

from typing import Any

from cardlab.games.solitario import texts
from cardlab.games.solitario.deal import complete_options
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.results import ResultsPage
from cardlab.sessions.config import config_of


class Board(BoardPage):
    """What the hand and the table to try have in common."""

    game = "solitario"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the options that moves are predicted from."""
        options = complete_options(cls.options(player))
        return {**super().js_vars(player), "options": {name: options[name] for name in ("draw", "turn_up")}}


class SolitarioHand(HandPage, Board):
    """One hand."""

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether a button may finish the hand."""
        return {**super().js_vars(player), "auto_finish": config_of(player)["auto_finish"]}


class SolitarioResults(ResultsPage):
    """The hands, what their scores are made of, the ten best and the earnings, after the last hand."""

    template_name = "solitario_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the parts of the scores."""
        variables = super().vars_for_template(player)
        scores = [(number, texts.score_lines(result)) for number, result, *_points in variables["rows"]]
        return {**variables, "scores": scores}
