"""The results of Solitario: of each hand, what its score is made of."""

from typing import Any

from cardlab.games.solitario import texts
from cardlab.pages.results import ResultsPage


class SolitarioResults(ResultsPage):
    """The hands, what their scores are made of, the ten best and the earnings, after the last hand."""

    template_name = "solitario_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the parts of the scores."""
        shown = super().vars_for_template(player)
        scores = [(number, texts.score_lines(result)) for number, result, *_points in shown["rows"]]
        return {**shown, "scores": scores}
