"""Target the Two Solo: one participant moves both keepers, hand after hand of a show file."""

from cardlab.exports import tables
from cardlab.games.ttt import measures
from cardlab.games.ttt.dealing import openings, practice_opening
from cardlab.games.ttt.questions import solo_questions
from cardlab.pages.app_factory import solo_game
from ttt_solo_app import backs, keeper_files
from ttt_solo_app.boards import TargetBoard, TargetHand, TargetTutorial

doc = __doc__

QUESTIONS = ("ck_into_target", "nk_into_target", "who_is_next", "when_solved", "face_down")
# To allow show files with more hands (practice included), raise this number and start with a fresh database.
NUM_ROUNDS = 60


class Instructions(TargetTutorial):
    """The rules, with a board to try."""

    STEPS = ("exchange", "look", "number", "colour", "refused", "pay")
    practice_opening = staticmethod(practice_opening)


class Hand(TargetHand, TargetBoard):
    """One hand of the show file."""

    template_name = "ttt/Hand.html"


game = solo_game(
    *("target", NUM_ROUNDS, QUESTIONS, backs.with_checked_back(openings), solo_questions, Instructions, Hand),
    admin_fields=("payoff",),
)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session = game.hooks
Check, Pause, Results = game.pages
page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
