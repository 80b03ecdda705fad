"""Consent: what the study is and what happens to the data, and whether one agrees to take part."""

from collections.abc import Iterator
from gettext import gettext as _
from pathlib import Path
from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets
from otree.templating import ibis_loader
from otree.templating.errors import TemplateError

from cardlab.core.clock import now_ms
from cardlab.exports import tables
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config
from cardlab.games.tables import CONSENT_COLUMNS, format_utc
from cardlab.games.text_file import shorten
from cardlab.sessions import completion
from cardlab.sessions.config import config_of

doc = __doc__

YES, NO = "yes", "no"


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "consent"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    """A round."""


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    agreed = models.StringField(  # a text, because oTree takes any text for a true or false
        choices=[(YES, _("I agree to take part.")), (NO, _("I do not agree."))],
        widget=widgets.RadioSelect,
    )
    answered_ms = models.FloatField()


def check_session(config: Config, participants: int) -> None:
    """Raises BadFile if the text is missing, or is no template that can be shown."""
    name = config["consent_text"]
    files = sorted(path.name for path in Path(__file__).parent.glob("*.html"))
    if name not in files or name == "Consent.html":
        texts = ", ".join(text for text in files if text != "Consent.html")
        raise BadFile(
            "consent_text", f"there is no text '{shorten(name)}' in consent_app/. There are: {texts}."
        )
    try:
        ibis_loader.load(f"consent_app/{name}")
    except TemplateError as wrong:
        raise BadFile(name, f"the template in consent_app/ cannot be read: {shorten(wrong)}") from None


def records_sentence(label: str | None) -> str:
    """Returns how the data identify a participant: every export has code and label."""
    if not label:
        return _("We store your data under a code, not under your name.")
    return _("We store your data under a code and your label: {label}.").format(label=label)


# PAGES


class Consent(Page):
    """The text, and a choice. A participant who does not agree goes past all other pages."""

    form_model = "player"
    form_fields = ["agreed"]

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns the text."""
        return {
            "text": f"consent_app/{config_of(player)['consent_text']}",
            "records": records_sentence(player.participant.label),
        }

    @staticmethod
    def before_next_page(player: Any, timeout_happened: bool) -> None:
        """Ends the session for a participant who does not agree; one who is advanced has not answered."""
        if timeout_happened:
            player.agreed = None
            return
        player.answered_ms = now_ms()
        if player.agreed == NO:
            completion.refuse(player.participant)


page_sequence = [Consent]


# EXPORT (docs/reference/data-dictionary.md)


def custom_export_consent(players: list[Any]) -> Iterator[list[Any]]:
    """Yields a row for each participant."""
    yield [*CONSENT_COLUMNS]
    for player in players:
        agreed = player.field_maybe_none("agreed")
        yield [
            *tables.participant_cells(player, player.participant),
            {YES: 1, NO: 0}.get(agreed, ""),
            format_utc(player.field_maybe_none("answered_ms")),
            config_of(player)["consent_text"],
        ]
