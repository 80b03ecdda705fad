"""Triangle Solitaire: a loop of 27 places, whose Singles are replaced by Completes that should match."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.record import Opening
from cardlab.games.triangle import measures, rules, texts
from cardlab.games.triangle.dealing import openings, practice_opening
from cardlab.games.triangle.questions import questions
from cardlab.pages.app_factory import opening_field, player_fields, solo_game
from cardlab.pages.board import BoardPage
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.hand import HandPage
from cardlab.pages.results import ResultsPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "triangle"
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 20  # fixed: another value would break sessions already in the database


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    opening = opening_field()


class Group(BaseGroup):
    """A group, which oTree needs."""


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(
        player_fields(
            *("which_single", "which_match", "no_place", "which_side", "two_singles", "single_to_place")
        )
    )


class Board(BoardPage):
    """What the hand and the triangle to try have in common."""

    game = "triangle"
    RULES_FIELDS = ("doubled", "mixed_in", "highlight", "show_left", "hands", "practice_hands")


class Instructions(TutorialPage, Board):
    """The rules, with a triangle to try."""

    STEPS = ("place", "match", "count", "variation", "plan", "pay")

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the step on variations where there are none."""
        config = config_of(player)
        varied = config["doubled"] or config["mixed_in"]
        return tuple(name for name in cls.STEPS if varied or name != "variation")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the triangle to try."""
        return practice_opening(cls.first_opening(player))


class Hand(HandPage, Board):
    """One hand."""

    template_name = "triangle_app/Hand.html"


game = solo_game(C.NUM_ROUNDS, openings, questions, Instructions, Hand)
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
Pause = game.Pause


class Check(CheckPage):
    """The comprehension check; the rules have pictures, whose script needs the board's texts."""

    instructions = Instructions
    questions = staticmethod(questions)

    @staticmethod
    def js_vars(player: Any) -> dict[str, Any]:
        """Returns the texts."""
        return {"words": texts.board_texts()}


class Results(ResultsPage):
    """The scored triangles and the earnings, after the last hand."""

    hand_page = Hand
    template_name = "triangle_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the triangles."""
        return {**super().vars_for_template(player), "triangles": scored_triangles(player)}

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Returns the triangles and the board's texts."""
        return {"triangles": scored_triangles(player), "words": texts.board_texts()}


def scored_triangles(player: Any) -> list[dict[str, Any]]:
    """Returns the triangles of the player's paid hands as they stand: a view shows nothing of the deck."""
    hands = [hand for earlier in player.in_all_rounds() if (hand := Hand.hand(earlier))]
    return [
        {"number": hand.opening.number, "view": view, "points": texts.score_lines(view)}
        for hand in hands
        if not hand.opening.practice
        for view in [rules.view(hand.state, rules.SEAT)]
    ]


page_sequence = [Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_placements = tables.part_export(Hand, measures, "placements")
