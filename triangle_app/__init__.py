"""Triangle Solitaire: a loop of 27 places, whose Singles are replaced by Completes that should match."""

from functools import partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.triangle import measures, rules
from cardlab.games.triangle.dealing import openings, to_try
from cardlab.games.triangle.texts import board_texts
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, HandPage, PausePage, ResultsPage, TutorialPage
from cardlab.sessions import dealing
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from triangle_app import check, texts

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "triangle"
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
    which_single = models.StringField(initial="")
    which_match = models.StringField(initial="")
    no_place = models.StringField(initial="")
    which_side = models.StringField(initial="")
    two_singles = models.StringField(initial="")
    single_to_place = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every hand of a session; BadFile with what is wrong."""
    return openings(config, participants, C.NUM_ROUNDS, partial(read_deal_file, "triangle"))


check_session, creating_session = dealing.of_session(deal)


# PAGES


class Board(BoardPage):
    """What the hand and the board to try have in common."""

    rules = rules

    @classmethod
    def rules_vars(cls, player):
        config = config_of(player)
        shown = ("doubled", "mixed_in", "highlight", "show_left", "hands", "practice_hands")
        return {**{key: config[key] for key in shown}, "pay_text": texts.of_pay(config)}

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": board_texts()}


class Instructions(TutorialPage, Board):
    """What the game is, with a triangle to try."""

    STEPS = ("place", "match", "count", "variation", "plan", "pay")

    @classmethod
    def steps(cls, player):
        config = config_of(player)
        varied = config["doubled"] or config["mixed_in"]
        return tuple(name for name in cls.STEPS if varied or name != "variation")

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

    @staticmethod
    def js_vars(player):
        return {"words": board_texts()}  # for the pictures in the rules


class Hand(HandPage, Board):
    """One hand."""

    title = staticmethod(texts.hand_title)


class Pause(PausePage):
    """After practice, and after a hand whose time was over."""

    hand_page = Hand


class Results(ResultsPage):
    """The scored triangles and the earnings, after the last hand."""

    hand_page = Hand

    @classmethod
    def vars_for_template(cls, player):
        return {**super().vars_for_template(player), "triangles": scored(player)}

    @classmethod
    def js_vars(cls, player):
        return {"triangles": scored(player), "words": board_texts()}


def scored(player) -> list[dict]:
    """The triangles of the player's paid hands as they stand: nothing of a deck is in a view."""
    played = [hand for earlier in player.in_all_rounds() if (hand := Hand.hand(earlier))]
    return [
        {"number": hand.opening.number, "view": view, "points": texts.of_points(view)}
        for hand in played
        if not hand.opening.practice
        for view in [rules.view(hand.state, rules.SEAT)]
    ]


page_sequence = [Instructions, Check, Hand, Pause, Results]


# EXPORTS (docs/data-dictionary.md)

custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)


def custom_export_placements(players):
    """One row a card: where it was placed or that it was discarded, what it matched, how long it took."""
    return tables.part_rows(players, Hand, measures.PLACEMENT_COLUMNS, measures.placement_rows)
