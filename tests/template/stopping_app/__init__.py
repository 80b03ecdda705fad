"""Stop in Time: cards come up one by one, and one may be kept."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.record import Opening
from cardlab.games.stopping import measures
from cardlab.games.stopping.dealing import openings
from cardlab.games.stopping.texts import questions
from cardlab.pages.app_factory import opening_field, player_fields, solo_game
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.tutorial import TutorialPage

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "stopping"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20  # fixed: another value would break sessions already in the database


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    opening = opening_field()


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(player_fields("last_card"))


class Board(BoardPage):
    """What the hand and the row to try have in common."""

    game = "stopping"
    RULES_FIELDS = ("hands",)


class Instructions(TutorialPage, Board):
    """The rules, with a row to try."""

    STEPS = ("keep", "pay")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the row to try."""
        return Opening("7S 2S QS 9S", cls.first_opening(player).options)


class Hand(HandPage, Board):
    """One hand."""


game = solo_game(C.NUM_ROUNDS, openings, questions, Instructions, Hand)
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
Check, Pause, Results = game.Check, game.Pause, game.Results
page_sequence = [Instructions, Check, Hand, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
