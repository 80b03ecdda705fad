"""A few questions after the games: about the participant, and how they found it and went about it."""

from gettext import gettext as _

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models, widgets

from cardlab.core.clock import now_ms
from cardlab.exports import tables
from cardlab.games.contract import BadFile
from cardlab.games.tables import ANSWER_COLUMNS, PARTICIPANT_ID_COLUMNS, format_utc, guard_formula
from cardlab.games.text_file import shorten
from cardlab.sessions.config import config_of

doc = __doc__

QUESTIONS = ("age", "gender", "field_of_study", "difficulty", "strategy")
ANSWERS = REQUIRED, FREE = ("required", "free")
OWN = "own"  # a gender in words of one's own
GENDERS = [
    ("female", _("Female")),
    ("male", _("Male")),
    ("unsaid", _("I would rather not say")),
    (OWN, _("In my own words:")),
]
LONGEST = {"gender_own": 100, "field_of_study": 200, "strategy": 2000}  # characters


class C(BaseConstants):
    NAME_IN_URL = "questionnaire"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 1


class Subsession(BaseSubsession):
    pass


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    age = models.IntegerField(min=10, max=120, blank=True)
    gender = models.StringField(choices=GENDERS, widget=widgets.RadioSelect, blank=True)
    gender_own = models.StringField(blank=True)
    field_of_study = models.StringField(blank=True)
    difficulty = models.IntegerField(choices=range(1, 8), widget=widgets.RadioSelectHorizontal, blank=True)
    strategy = models.LongStringField(blank=True)
    answered_ms = models.FloatField()


def check_session(config, participants):
    """The questions must be among those that there are."""
    names = config["questions"].split() if isinstance(config["questions"], str) else []
    if not names or set(names) - set(QUESTIONS):
        raise BadFile(
            "session config",
            f"questions must be some of {' '.join(QUESTIONS)}, with blanks between, "
            f"not '{shorten(config['questions'])}'.",
        )
    if config["answers"] not in ANSWERS:
        raise BadFile(
            "session config", f"answers must be {' or '.join(ANSWERS)}, not '{shorten(config['answers'])}'."
        )


def asked(player) -> list[str]:
    """The fields of the questions that the session asks, in the order of the page."""
    names = config_of(player)["questions"].split()
    fields = [name for name in QUESTIONS if name in names]
    return [part for name in fields for part in ((name, "gender_own") if name == "gender" else (name,))]


def in_own_words(gender: str | None, words: str | None) -> bool:
    """Whether a gender is told in words: by the circle, or by words alone with no circle chosen."""
    return gender == OWN or (not gender and bool((words or "").strip()))


# PAGES


class Questions(Page):
    """All of them on one page."""

    form_model = "player"

    @staticmethod
    def get_form_fields(player):
        return asked(player)

    @staticmethod
    def vars_for_template(player):
        there = asked(player)
        return {"asked": {name: name in there for name in QUESTIONS}}

    @staticmethod
    def error_message(player, values):
        """Oversized text, and what is missing, each at its field."""
        wrong = {
            name: _("Please write at most {number} characters.").format(number=longest)
            for name, longest in LONGEST.items()
            if len(values.get(name) or "") > longest
        }
        if config_of(player)["answers"] == REQUIRED:
            missing = [name for name in asked(player) if values[name] in (None, "") and name != "gender_own"]
            words = (values.get("gender_own") or "").strip()
            if in_own_words(values.get("gender"), words):
                missing = [name for name in missing if name != "gender"] + ([] if words else ["gender_own"])
            wrong |= dict.fromkeys(missing, _("Please answer this question."))
        return wrong or None

    @staticmethod
    def before_next_page(player, timeout_happened):
        if timeout_happened:  # moved on by the researcher: oTree would write 0 and nothing
            for name in asked(player):
                setattr(player, name, None)
            return
        player.answered_ms = now_ms()
        if in_own_words(player.field_maybe_none("gender"), player.field_maybe_none("gender_own")):
            player.gender = OWN
        if player.field_maybe_none("gender") != OWN:
            player.gender_own = None


page_sequence = [Questions]


# EXPORT (docs/data-dictionary.md)


def custom_export_answers(players):
    """One row a participant; a question that was not asked, or not answered, is empty."""
    yield [*ANSWER_COLUMNS]
    names = [*ANSWER_COLUMNS][len(PARTICIPANT_ID_COLUMNS) + 1 :]
    for player in players:
        answers = [player.field_maybe_none(name) for name in names]
        yield [
            *tables.participant_cells(player, player.participant),
            format_utc(player.field_maybe_none("answered_ms")),
            *(guard_formula(answer) if isinstance(answer, str) else answer for answer in answers),
        ]
