"""The consent page, whose text is a template in this folder."""

from collections.abc import Callable
from gettext import gettext as _
from pathlib import Path
from typing import Any

from otree.api import Page
from otree.templating import ibis_loader
from otree.templating.errors import TemplateError

from cardlab.core.clock import now_ms
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config
from cardlab.games.shared_settings import OFF
from cardlab.games.study_apps import AUTO
from cardlab.games.text_file import shorten
from cardlab.sessions import completion, estimate, treatments
from cardlab.sessions.config import config_of

YES, NO = "yes", "no"
ESTIMATES = {"expected_duration": estimate.duration_sentence, "expected_pay": estimate.pay_sentence}


def check_session(config: Config, participants: int) -> None:
    """Raises BadFile if the consent text is missing or is not a valid template."""
    name = config["consent_text"]
    files = sorted({path.name for path in Path(__file__).parent.glob("*.html")} - {"Consent.html"})
    if name not in files:
        raise BadFile(
            "consent_text",
            f"there is no text '{shorten(name)}' in consent_app/. There are: {', '.join(files)}.",
        )
    try:
        ibis_loader.load(f"consent_app/{name}")
    except TemplateError as wrong:
        raise BadFile(name, f"the template in consent_app/ cannot be read: {shorten(wrong)}") from None


class Consent(Page):
    """The consent text and a choice. A participant who does not agree skips all other pages."""

    form_model = "player"
    form_fields = ["agreed"]

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns the text's template, how the data are stored, and the expected duration and pay."""
        config = config_of(player)
        return {
            "text": f"consent_app/{config['consent_text']}",
            "records": records_sentence(player.participant.label),
            **{name: _expectation(player, config[name], compute) for name, compute in ESTIMATES.items()},
        }

    @staticmethod
    def before_next_page(player: Any, timeout_happened: bool) -> None:
        """Ends the session for a participant who does not agree, unless the researcher advanced the page."""
        if timeout_happened:
            player.agreed = None
            return
        player.answered_ms = now_ms()
        if player.agreed == NO:
            completion.refuse(player.participant)


def _expectation(player: Any, value: str, compute: Callable[[Any, str], str]) -> str:
    """Returns the sentence that ``value`` sets: computed if automatic, "" if it is off."""
    if value == AUTO:
        return compute(player.session, treatments.treatment_of(player.participant))
    return "" if value == OFF else value


def records_sentence(label: str | None) -> str:
    """Returns how the data identify a participant, because every export has code and label."""
    if not label:
        return _("We store your data under a code, not under your name.")
    return _("We store your data under a code and your label: {label}.").format(label=label)
