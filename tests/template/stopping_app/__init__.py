"""Stop in Time: cards come up one by one, and one may be kept."""

from cardlab.exports import tables
from cardlab.games.stopping import measures
from cardlab.games.stopping.dealing import openings, practice_opening
from cardlab.games.stopping.texts import questions
from cardlab.pages.app_factory import solo_game
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.tutorial import TutorialPage

doc = __doc__

QUESTIONS = ("last_card",)
NUM_ROUNDS = 20


class Board(BoardPage):
    """The board of the hand and of the tutorial."""

    game = "stopping"


class Instructions(TutorialPage, Board):
    """The rules, with a row to try."""

    STEPS = ("keep", "pay")
    practice_opening = staticmethod(practice_opening)


class Hand(HandPage, Board):
    """One hand."""


game = solo_game("stopping", NUM_ROUNDS, QUESTIONS, openings, questions, Instructions, Hand)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session = game.hooks
Check, Pause, Results = game.pages
page_sequence = [Instructions, Check, Hand, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
