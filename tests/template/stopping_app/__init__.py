"""Stop in Time: cards come up one by one, and one may be kept."""

from functools import partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.record import Opening
from cardlab.games.stopping import measures, rules
from cardlab.games.stopping.dealing import openings
from cardlab.games.stopping.texts import board_texts
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, HandPage, ResultsPage, TutorialPage
from cardlab.sessions import dealing
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from stopping_app import words

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "stopping"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20  # fixed: another value would break sessions already in the database


class Subsession(BaseSubsession):
    opening = models.LongStringField(initial="")  # how the round's hand begins; empty if there is none


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    last_card = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every hand of a session; BadFile with what is wrong."""
    return openings(config, participants, C.NUM_ROUNDS, partial(read_deal_file, "stopping"))


check_session, creating_session = dealing.of_session(deal)


# PAGES


class Board(BoardPage):
    """What the hand and the board to try have in common."""

    rules = rules

    @classmethod
    def rules_vars(cls, player):
        return {"hands": config_of(player)["hands"], "pay_text": words.of_pay(config_of(player))}

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": board_texts()}


class Instructions(TutorialPage, Board):
    """What the game is, with a row to try."""

    STEPS = ("keep", "pay")

    @classmethod
    def opening(cls, player):
        return Opening("7S 2S QS 9S", super().opening(player).options)


class Check(CheckPage):
    """One question; a wrong answer is explained and asked again."""

    board = Board
    questions = staticmethod(words.questions)


class Hand(HandPage, Board):
    """One hand."""

    title = staticmethod(words.hand_title)


class Results(ResultsPage):
    """The hands and the earnings, after the last hand."""

    hand_page = Hand


page_sequence = [Instructions, Check, Hand, Results]


# EXPORTS

custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
