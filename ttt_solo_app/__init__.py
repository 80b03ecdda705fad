"""Target the Two Solo: one participant moves both keepers, hand after hand of a show file."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.record import Opening
from cardlab.games.ttt import measures
from cardlab.games.ttt.dealing import openings
from cardlab.games.ttt.questions import solo_questions
from cardlab.pages.app_factory import opening_field, player_fields, solo_game
from cardlab.pages.tutorial import TutorialPage
from ttt_solo_app import backs, keeper_files  # noqa: F401
from ttt_solo_app.boards import TargetBoard, TargetHand, with_checked_back

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "target"
    PLAYERS_PER_GROUP = None
    # Fixed: another value would break sessions already in the database. A show file with more hands (practice
    # included) is refused; to allow it, raise this number and start with a fresh database.
    NUM_ROUNDS = 60
    ADMIN_VIEW_FIELDS = {"player": ["payoff"]}


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    opening = opening_field()


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(
        player_fields("ck_into_target", "nk_into_target", "who_is_next", "when_solved", "face_down")
    )


class Instructions(TutorialPage, TargetBoard):
    """The rules, with a board to try."""

    STEPS = ("exchange", "look", "number", "colour", "refused", "pay")
    # C, T, T solves it, as in the source's sample game; T is refused at first, 3H being red, 4C black.
    DEAL = "2H 3H 2C 4C 3C 4H | 2H | ck"

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the looking where cards lie face up."""
        face_down = not cls.options(player)["ViewCkNk"]
        return tuple(name for name in cls.STEPS if face_down or name != "look")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the board to try: its goal is always shown, with moves enough for the coach's tasks."""
        return Opening(cls.DEAL, {**cls.first_opening(player).options, "ViewTarget": True, "MaxRounds": 20})


class Hand(TargetHand, TargetBoard):
    """One hand of the show file."""

    template_name = "ttt/Hand.html"


game = solo_game(C.NUM_ROUNDS, with_checked_back(openings), solo_questions, Instructions, Hand)
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
Check, Pause, Results = game.Check, game.Pause, game.Results
page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
