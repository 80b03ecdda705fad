"""Solitario: Klondike with Italian cards. Each suit is built up from its ace."""

from cardlab.exports import tables
from cardlab.games.solitario import measures
from cardlab.games.solitario.dealing import openings, practice_opening
from cardlab.games.solitario.questions import questions
from cardlab.pages.app_factory import solo_game
from cardlab.pages.tutorial import TutorialPage
from solitario_app.pages import Board, SolitarioHand, SolitarioResults

doc = __doc__

QUESTIONS = ("which_card", "empty_column", "next_home", "turn_over")
NUM_ROUNDS = 20


class Instructions(TutorialPage, Board):
    """The rules, with a table to try."""

    STEPS = ("column", "uncover", "home", "stock", "points", "pay")
    practice_opening = staticmethod(practice_opening)


class Hand(SolitarioHand):
    """One hand."""

    template_name = "solitario_app/Hand.html"


game = solo_game(
    "solitario", NUM_ROUNDS, QUESTIONS, openings, questions, Instructions, Hand, results=SolitarioResults
)
C, Subsession, Group, Player = game.models
deal, check_session, creating_session = game.hooks
Check, Pause, Results = game.pages
page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_moves = tables.part_export(Hand, measures, "moves")
