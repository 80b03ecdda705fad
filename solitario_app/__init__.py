"""Solitario: a pack comes home, suit by suit from the ace, out of seven columns and a stock."""

from functools import partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.solitario import measures, rules
from cardlab.games.solitario.dealing import openings, options_in_force, to_try
from cardlab.games.solitario.texts import board_texts
from cardlab.pages import leaderboard
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, HandPage, PausePage, ResultsPage, TutorialPage
from cardlab.sessions import dealing
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from solitario_app import check, texts

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "solitario"
    PLAYERS_PER_GROUP = None
    # Fixed: oTree looks pages up by it, so another value would break sessions already in the database.
    NUM_ROUNDS = 20


class Subsession(BaseSubsession):
    opening = models.LongStringField(initial="")  # a line for each participant; or one for all; or none


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    which_card = models.StringField(initial="")
    empty_column = models.StringField(initial="")
    next_home = models.StringField(initial="")
    turn_over = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every hand of a session; BadFile with what is wrong."""
    return openings(config, participants, C.NUM_ROUNDS, partial(read_deal_file, "solitario"))


check_session, creating_session = dealing.of_session(deal)


# PAGES


class Board(BoardPage):
    """What the hand and the board to try have in common."""

    rules = rules

    @classmethod
    def rules_vars(cls, player):
        config = config_of(player)
        shown = ("pack", "draw", "turn_up", "undo", "hands", "practice_hands")
        return {
            **{key: config[key] for key in shown},
            "ace_on_two": options_in_force(config)["ace_on_two"],
            "pictures": texts.pictures(config["pack"]),
            "pay_text": texts.of_pay(config),
        }

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": board_texts()}


class Instructions(TutorialPage, Board):
    """What the game is, with a table to try."""

    STEPS = ("column", "uncover", "home", "stock", "points", "pay")

    @classmethod
    def opening(cls, player):
        return to_try(super().opening(player))

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": {**board_texts(), **texts.of_coach()}}


class Check(CheckPage):
    """What the instructions say, asked; after a wrong answer in other words."""

    board = Board
    questions = staticmethod(check.questions)


class Hand(HandPage, Board):
    """One hand."""

    title = staticmethod(texts.hand_title)

    @classmethod
    def best(cls, player):
        return leaderboard.told(cls, player)


class Pause(PausePage):
    """After practice, and after a hand whose time was over."""

    hand_page = Hand


class Results(ResultsPage):
    """The hands, what their scores are made of, the ten best and the earnings, after the last hand."""

    hand_page = Hand

    @classmethod
    def vars_for_template(cls, player):
        told = super().vars_for_template(player)
        scores = [(number, texts.of_score(result)) for number, result, *_worth in told["rows"]]
        best = Hand.best(player)
        return {**told, "scores": scores, "ten_best": best is not None, "best": best or []}


page_sequence = [Instructions, Check, Hand, Pause, Results]


# EXPORTS (docs/data-dictionary.md)

custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)


def custom_export_moves(players):
    """One row an action: which cards moved, what it was worth, how long it took."""
    return tables.part_rows(players, Hand, *measures.PARTS["moves"])
