"""Consent: information about the study and the data, and the choice to take part."""

from gettext import gettext as _
from typing import Any

from otree.api import models, widgets

from cardlab.exports import tables
from cardlab.games.tables import CONSENT_COLUMNS
from cardlab.pages.app_factory import models_of_one_round
from cardlab.sessions.config import config_of
from consent_app.pages import NO, YES, Consent, check_session

__all__ = ["check_session"]
doc = __doc__

C, Subsession, Group, Player = models_of_one_round(
    __name__,
    "consent",
    # A string, because oTree accepts any text for a boolean. Its choices are below.
    agreed=models.StringField(widget=widgets.RadioSelect),
    answered_ms=models.FloatField(),
)
page_sequence = [Consent]


def agreed_choices(player: Any) -> list[tuple[str, str]]:
    """Returns the choices in the participant's language. oTree finds this function by its name."""
    return [(YES, _("I agree to take part.")), (NO, _("I do not agree."))]


# The download: docs/reference/data-dictionary.md.
custom_export_consent = tables.answer_export(
    CONSENT_COLUMNS,
    agreed=lambda player: {YES: 1, NO: 0}.get(player.field_maybe_none("agreed"), ""),
    consent_text=lambda player: config_of(player)["consent_text"],
)
