"""Challenge (Svoyi Koziri): play a better card or pick up the table; first to run out of cards wins."""

from typing import Any

from cardlab.exports import tables
from cardlab.games.challenge import log, measures
from cardlab.games.challenge.dealing import GROUPS, LESSONS, lesson_opening, openings, practice_opening
from cardlab.games.challenge.questions import questions
from cardlab.pages.app_factory import group_game
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of
from challenge_app.pages import AnalysisPage, Board, ChallengeHand

doc = __doc__

QUESTIONS = ("which_beats", "what_is_taken", "who_leads", "who_wins")
NUM_ROUNDS = 21


class Instructions(TutorialPage, Board):
    """The rules, with a small game to try."""

    OPTIONAL = tuple(LESSONS)
    STEPS = ("trumps", "lead", "beat", "pick_up", "end", *OPTIONAL, "pay")
    practice_opening = staticmethod(practice_opening)
    deal_of_step = staticmethod(lesson_opening)

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Returns the steps, with the lessons if the session has them."""
        shows_lessons = config_of(player)["lessons"]
        return tuple(step for step in cls.STEPS if shows_lessons or step not in cls.OPTIONAL)


class Hand(ChallengeHand):
    """One game."""

    template_name = "challenge_app/Hand.html"


class Analyse(AnalysisPage):
    """The analysis of the finished game against the computer."""

    hand_page = Hand


game = group_game("challenge", NUM_ROUNDS, QUESTIONS, openings, questions, Instructions, Hand, GROUPS)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session, group_by_arrival_time_method = game.hooks
Gather, Check, Pause, Results = game.pages
page_sequence = [Gather, Instructions, Check, Hand, Pause, Analyse, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_moves = tables.part_export(Hand, measures, "moves")
custom_export_log = tables.text_export(Hand, log.lines_of_hand)
custom_export_analysed = tables.action_export(Analyse)
