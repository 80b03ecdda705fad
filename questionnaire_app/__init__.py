"""A few questions after the games: about the participant, their experience and their strategy."""

from typing import Any

from otree.api import models, widgets

from cardlab.exports import tables
from cardlab.games.tables import ANSWER_COLUMNS
from cardlab.pages.app_factory import models_of_one_round
from questionnaire_app.pages import Questions, check_session, genders

__all__ = ["check_session"]
doc = __doc__

C, Subsession, Group, Player = models_of_one_round(
    __name__,
    "questionnaire",
    age=models.IntegerField(min=10, max=120, blank=True),
    gender=models.StringField(widget=widgets.RadioSelect, blank=True),
    gender_own=models.StringField(blank=True),
    field_of_study=models.StringField(blank=True),
    difficulty=models.IntegerField(choices=range(1, 8), widget=widgets.RadioSelectHorizontal, blank=True),
    strategy=models.LongStringField(blank=True),
    answered_ms=models.FloatField(),
)
page_sequence = [Questions]


def gender_choices(player: Any) -> list[tuple[str, str]]:
    """Returns the choices of a gender. oTree finds this function by its name."""
    return genders()


# The download: docs/reference/data-dictionary.md.
custom_export_answers = tables.answer_export(ANSWER_COLUMNS)
