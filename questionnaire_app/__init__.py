"""A few questions after the games: about the participant, and how they found it and went about it."""

from collections.abc import Iterator
from gettext import gettext as _
from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets

from cardlab.core.clock import now_ms
from cardlab.exports import tables
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config
from cardlab.games.tables import ANSWER_COLUMNS, PARTICIPANT_ID_COLUMNS, format_utc, guard_formula
from cardlab.games.text_file import shorten
from cardlab.sessions.config import config_of

doc = __doc__

QUESTIONS = ("age", "gender", "field_of_study", "difficulty", "strategy")
ANSWERS = REQUIRED, FREE = ("required", "free")
OWN_WORDS = "own"  # a gender in words of one's own
GENDERS = [
    ("female", _("Female")),
    ("male", _("Male")),
    ("unsaid", _("I prefer not to say")),
    (OWN_WORDS, _("In my own words:")),
]
MAX_LENGTH = {"gender_own": 100, "field_of_study": 200, "strategy": 2000}  # characters


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "questionnaire"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    """A round."""


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    age = models.IntegerField(min=10, max=120, blank=True)
    gender = models.StringField(choices=GENDERS, widget=widgets.RadioSelect, blank=True)
    gender_own = models.StringField(blank=True)
    field_of_study = models.StringField(blank=True)
    difficulty = models.IntegerField(choices=range(1, 8), widget=widgets.RadioSelectHorizontal, blank=True)
    strategy = models.LongStringField(blank=True)
    answered_ms = models.FloatField()


def check_session(config: Config, participants: int) -> None:
    """Raises BadFile if a question does not exist."""
    names = config["questions"].split() if isinstance(config["questions"], str) else []
    if not names or set(names) - set(QUESTIONS):
        raise BadFile(
            "session config",
            f"questions must be some of {' '.join(QUESTIONS)}, with blanks between, "
            f"not '{shorten(config['questions'])}'.",
        )


def asked_fields(player: Any) -> list[str]:
    """Returns the fields of the questions that the session asks, in the order of the page."""
    names = config_of(player)["questions"].split()
    fields = [name for name in QUESTIONS if name in names]
    return [part for name in fields for part in ((name, "gender_own") if name == "gender" else (name,))]


def is_in_own_words(gender: str | None, words: str | None) -> bool:
    """Returns whether a gender is given in words: by that choice, or by words alone with nothing chosen."""
    return gender == OWN_WORDS or (not gender and bool((words or "").strip()))


# PAGES


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
        """Returns what is too long or missing, by field."""
        wrong = {
            name: _("Please write at most {number} characters.").format(number=longest)
            for name, longest in MAX_LENGTH.items()
            if len(values.get(name) or "") > longest
        }
        if config_of(player)["answers"] == REQUIRED:
            missing = [
                name for name in asked_fields(player) if values[name] in (None, "") and name != "gender_own"
            ]
            words = (values.get("gender_own") or "").strip()
            if is_in_own_words(values.get("gender"), words):
                missing = [name for name in missing if name != "gender"] + ([] if words else ["gender_own"])
            wrong |= dict.fromkeys(missing, _("Please answer this question."))
        return wrong or None

    @staticmethod
    def before_next_page(player: Any, timeout_happened: bool) -> None:
        """Keeps the answers; of an advanced participant none, where oTree would write 0 or an empty text."""
        if timeout_happened:
            for name in asked_fields(player):
                setattr(player, name, None)
            return
        player.answered_ms = now_ms()
        if is_in_own_words(player.field_maybe_none("gender"), player.field_maybe_none("gender_own")):
            player.gender = OWN_WORDS
        if player.field_maybe_none("gender") != OWN_WORDS:
            player.gender_own = None


page_sequence = [Questions]


# EXPORT (docs/reference/data-dictionary.md)


def custom_export_answers(players: list[Any]) -> Iterator[list[Any]]:
    """Yields a row for each participant; a question that was not asked, or not answered, is empty."""
    yield [*ANSWER_COLUMNS]
    names = [*ANSWER_COLUMNS][len(PARTICIPANT_ID_COLUMNS) + 1 :]
    for player in players:
        answers = [player.field_maybe_none(name) for name in names]
        yield [
            *tables.participant_cells(player, player.participant),
            format_utc(player.field_maybe_none("answered_ms")),
            *(guard_formula(answer) if isinstance(answer, str) else answer for answer in answers),
        ]
