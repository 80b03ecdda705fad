"""Solitario: a pack comes home, suit by suit from the ace, out of seven columns and a stock."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.record import Opening
from cardlab.games.solitario import measures, texts
from cardlab.games.solitario.dealing import openings, options_in_force, practice_opening
from cardlab.games.solitario.questions import questions
from cardlab.pages import leaderboard
from cardlab.pages.app_factory import opening_field, player_fields, solo_game
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.results import ResultsPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "solitario"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20  # fixed: another value would break sessions already in the database


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    opening = opening_field()


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(player_fields("which_card", "empty_column", "next_home", "turn_over"))


class Board(BoardPage):
    """What the hand and the table to try have in common."""

    game = "solitario"
    RULES_FIELDS = ("pack", "draw", "turn_up", "undo", "hands", "practice_hands")

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the pack's pictures, and whether an ace may lie on a two."""
        config = config_of(player)
        return {
            **super().rules_vars(player),
            "ace_on_two": options_in_force(config)["ace_on_two"],
            "pictures": texts.card_pictures(config["pack"]),
        }


class Instructions(TutorialPage, Board):
    """The rules, with a table to try."""

    STEPS = ("column", "uncover", "home", "stock", "points", "pay")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the table to try."""
        return practice_opening(cls.first_opening(player))


class Hand(HandPage, Board):
    """One hand."""

    template_name = "solitario_app/Hand.html"

    @classmethod
    def best(cls, player: Any) -> list[leaderboard.BestHand] | None:
        """Returns the ten best hands of the session."""
        return leaderboard.best_hands(cls, player)


game = solo_game(C.NUM_ROUNDS, openings, questions, Instructions, Hand)
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
Check, Pause = game.Check, game.Pause


class Results(ResultsPage):
    """The hands, what their scores are made of, the ten best and the earnings, after the last hand."""

    hand_page = Hand
    template_name = "solitario_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the parts of the scores, and the ten best hands."""
        shown, best = super().vars_for_template(player), Hand.best(player)
        scores = [(number, texts.score_lines(result)) for number, result, *_points in shown["rows"]]
        return {**shown, "scores": scores, "ten_best": best is not None, "best": best or []}


page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_moves = tables.part_export(Hand, measures, "moves")
