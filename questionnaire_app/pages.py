"""The page of the questionnaire: which questions are asked, and which answers are accepted."""

from gettext import gettext as _
from typing import Any

from otree.api import Page

from cardlab.core.clock import now_ms
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config
from cardlab.games.text_file import shorten
from cardlab.sessions.config import config_of

QUESTIONS = ("age", "gender", "field_of_study", "difficulty", "strategy")
REQUIRED = "required"
OWN_WORDS = "own"  # a gender in the participant's own words
MAX_LENGTH = {"gender_own": 100, "field_of_study": 200, "strategy": 2000}  # characters


def check_session(config: Config, participants: int) -> None:
    """Raises BadFile if a question does not exist."""
    names = config["questions"].split() if isinstance(config["questions"], str) else []
    if not names or set(names) - set(QUESTIONS):
        raise BadFile(
            "session config",
            f"questions must be some of {' '.join(QUESTIONS)}, with blanks between, "
            f"not '{shorten(config['questions'])}'.",
        )


def genders() -> list[tuple[str, str]]:
    """Returns the choices of a gender, in the participant's language."""
    return [
        ("female", _("Female")),
        ("male", _("Male")),
        ("unsaid", _("I prefer not to say")),
        (OWN_WORDS, _("In my own words:")),
    ]


class Questions(Page):
    """The questions, all on one page."""

    form_model = "player"

    @staticmethod
    def get_form_fields(player: Any) -> list[str]:
        """Returns the fields of the questions."""
        return asked_fields(player)

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns which questions are asked."""
        fields = asked_fields(player)
        return {"asked": {name: name in fields for name in QUESTIONS}}

    @staticmethod
    def error_message(player: Any, values: dict[str, Any]) -> dict[str, str] | None:
        """Returns an error for each answer that is too long or missing, by field."""
        errors = {
            name: _("Please write at most {number} characters.").format(number=max_length)
            for name, max_length in MAX_LENGTH.items()
            if len(values.get(name) or "") > max_length
        }
        if config_of(player)["answers"] == REQUIRED:
            missing = [
                name for name in asked_fields(player) if values[name] in (None, "") and name != "gender_own"
            ]
            own_words = (values.get("gender_own") or "").strip()
            if is_in_own_words(values.get("gender"), own_words):
                missing = [name for name in missing if name != "gender"] + (
                    [] if own_words else ["gender_own"]
                )
            errors |= dict.fromkeys(missing, _("Please answer this question."))
        return errors or None

    @staticmethod
    def before_next_page(player: Any, timeout_happened: bool) -> None:
        """Stores the answers, none if the participant is advanced; oTree would store 0 or an empty text."""
        if timeout_happened:
            for name in asked_fields(player):
                setattr(player, name, None)
            return
        player.answered_ms = now_ms()
        if is_in_own_words(player.field_maybe_none("gender"), player.field_maybe_none("gender_own")):
            player.gender = OWN_WORDS
        else:
            player.gender_own = None


def asked_fields(player: Any) -> list[str]:
    """Returns the fields of the questions that the session asks, in the order of the page."""
    names = config_of(player)["questions"].split()
    fields = [name for name in QUESTIONS if name in names]
    return [part for name in fields for part in ((name, "gender_own") if name == "gender" else (name,))]


def is_in_own_words(gender: str | None, own_words: str | None) -> bool:
    """Returns whether a gender is in the participant's own words: by this choice, or without a choice."""
    return gender == OWN_WORDS or (not gender and bool((own_words or "").strip()))
