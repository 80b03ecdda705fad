"""Target the Two for two: each has a keeper, and they bring the goal card into Target together."""

from cardlab.exports import tables
from cardlab.games.ttt import measures
from cardlab.games.ttt.pairs import GROUPS, openings, practice_opening
from cardlab.games.ttt.questions import pair_questions
from cardlab.pages.app_factory import group_game
from ttt_pair_app.pages import PairHand, PairPause, PairResults
from ttt_solo_app import backs, keeper_files
from ttt_solo_app.boards import TargetTutorial

doc = __doc__

QUESTIONS = (
    *("ck_into_target", "nk_into_target", "whose_turn"),
    *("what_is_seen", "what_is_told", "when_solved"),
)
NUM_ROUNDS = 61


class Instructions(TargetTutorial):
    """The rules, with a board to try against a robot."""

    STEPS = ("exchange", "partner", "look", "target", "pay")
    practice_opening = staticmethod(practice_opening)


class Hand(PairHand):
    """One hand of a show file."""

    template_name = "ttt_pair_app/Hand.html"


game = group_game(
    *("target_pair", NUM_ROUNDS, QUESTIONS, backs.with_checked_back(openings), pair_questions),
    *(Instructions, Hand, GROUPS, PairPause, PairResults),
)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session, group_by_arrival_time_method = game.hooks
Gather, Check, Pause, Results = game.pages
page_sequence = [Gather, Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
