"""Triangle Solitaire: a loop of 27 places, whose Singles are replaced by Completes that should match."""

from typing import Any

from cardlab.exports import tables
from cardlab.games.triangle import measures
from cardlab.games.triangle.dealing import openings, practice_opening
from cardlab.games.triangle.questions import questions
from cardlab.pages.app_factory import solo_game
from cardlab.pages.hand import HandPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of
from triangle_app.pages import Board, TriangleCheck, TriangleResults

doc = __doc__

QUESTIONS = ("which_single", "which_match", "no_place", "which_side", "two_singles", "single_to_place")
NUM_ROUNDS = 20


class Instructions(TutorialPage, Board):
    """The rules, with a triangle to try."""

    STEPS = ("place", "match", "count", "variation", "plan", "pay")
    practice_opening = staticmethod(practice_opening)

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the step on variations where there are none."""
        config = config_of(player)
        varied = config["doubled"] or config["mixed_in"]
        return tuple(name for name in cls.STEPS if varied or name != "variation")


class Hand(HandPage, Board):
    """One hand."""

    template_name = "triangle_app/Hand.html"


game = solo_game(
    "triangle", NUM_ROUNDS, QUESTIONS, openings, questions, Instructions, Hand, TriangleCheck, TriangleResults
)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session = game.hooks
Check, Pause, Results = game.pages
page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_placements = tables.part_export(Hand, measures, "placements")
