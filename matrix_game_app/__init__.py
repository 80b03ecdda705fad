"""The matrix card game: two or four players choose in secret; the payoff matrix is built of cards."""

from typing import Any

from cardlab.exports import tables
from cardlab.games.matrix import measures
from cardlab.games.matrix.dealing import GROUPS, openings, practice_opening
from cardlab.games.matrix.questions import questions
from cardlab.pages.app_factory import group_game
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of
from matrix_game_app.pages import Board, Debriefing, MatrixHand

doc = __doc__

QUESTIONS = ("who_collects", "new_cross", "left_right", "red_card", "turning")
NUM_ROUNDS = 11


class Instructions(TutorialPage, Board):
    """The rules, with a game to try against a robot."""

    STEPS = ("choose", "column", "collect", "turn", "pay")
    practice_opening = staticmethod(practice_opening)

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the step on turning crosses in games of four."""
        two = config_of(player)["players"] == 2
        return tuple(name for name in cls.STEPS if two or name != "turn")


class Hand(MatrixHand):
    """One game."""

    template_name = "matrix_game_app/Hand.html"


game = group_game("matrix", NUM_ROUNDS, QUESTIONS, openings, questions, Instructions, Hand, GROUPS)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session, group_by_arrival_time_method = game.hooks
Gather, Check, Pause, Results = game.pages
page_sequence = [Gather, Instructions, Check, Hand, Pause, Debriefing, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_turns = tables.part_export(Hand, measures, "turns")
