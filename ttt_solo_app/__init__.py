"""Target the Two Solo: one participant moves both keepers, hand after hand of a show file."""

from functools import lru_cache, partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.record import Opening
from cardlab.games.ttt import measures, rules
from cardlab.games.ttt.dealing import openings
from cardlab.games.ttt.texts import board_texts
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, HandPage, PausePage, ResultsPage, TutorialPage
from cardlab.sessions import dealing, treatments
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from cardlab.sessions.dealing import openings_of_round
from ttt_solo_app import backs, check, keeper_files, texts

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "target"
    PLAYERS_PER_GROUP = None
    # Fixed: oTree looks pages up by it, so another value would break sessions already in the
    # database. A show file with more hands (practice included) is refused; to allow it, raise this
    # number and start with a fresh database.
    NUM_ROUNDS = 60
    ADMIN_VIEW_FIELDS = {"player": ["payoff"]}


class Subsession(BaseSubsession):
    opening = models.LongStringField(initial="")  # of the round's hand; empty if the round has none


class Group(BaseGroup):
    pass


class Player(BasePlayer):
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    ck_into_target = models.StringField(initial="")
    nk_into_target = models.StringField(initial="")
    who_is_next = models.StringField(initial="")
    when_solved = models.StringField(initial="")
    face_down = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every hand of a session; BadFile with what is wrong."""
    dealt = openings(config, participants, C.NUM_ROUNDS, partial(read_deal_file, "ttt"))
    backs.check(dealt.hands[0][0].options["CardsBackFile"])
    return dealt


check_session, creating_session = dealing.of_session(deal)


@lru_cache(maxsize=64)
def hands_of(session_code: str, treatment: str) -> texts.Hands:
    """What the hands of a treatment of a session have in common."""
    first = openings_of_round(__name__, session_code, 1, treatment)[0]
    rounds = range(1, first.hands + 1)
    return texts.Hands.of(
        [openings_of_round(__name__, session_code, number, treatment)[0] for number in rounds]
    )


# PAGES


class Board(BoardPage):
    """What the hand and the board to try have in common."""

    rules = rules

    @classmethod
    def rules_vars(cls, player):
        hands = hands_of(player.participant._session_code, treatments.of_row(player))
        return texts.of_rules(config_of(player), hands)

    @classmethod
    def js_vars(cls, player):
        opening = cls.opening(player)
        return {
            **super().js_vars(player),
            "back_url": backs.address(opening.options["CardsBackFile"]),
            "words": board_texts(),
        }


class Instructions(TutorialPage, Board):
    """What the game is, with a board to try."""

    STEPS = ("exchange", "look", "number", "colour", "refused", "pay")
    # C, T, T solves it, as in the source's sample game; T is refused at first, 3H being red, 4C black.
    DEAL = "2H 3H 2C 4C 3C 4H | 2H | ck"

    @classmethod
    def steps(cls, player):
        face_down = not cls.opening(player).options["ViewCkNk"]
        return tuple(name for name in cls.STEPS if face_down or name != "look")

    @classmethod
    def opening(cls, player):
        # Always a goal that is shown, and moves enough for the way that the coach leads.
        return Opening(cls.DEAL, {**super().opening(player).options, "ViewTarget": True, "MaxRounds": 20})

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": {**board_texts(), **texts.of_coach()}}


class Check(CheckPage):
    """What the instructions say, asked; after a wrong answer in other words."""

    board = Board
    questions = staticmethod(check.questions)


class Hand(HandPage, Board):
    """One hand of the show file."""

    title = staticmethod(texts.hand_title)

    @staticmethod
    def lowest_score(config):
        return texts.LOWEST_SCORE

    @classmethod
    def js_vars(cls, player):
        timed = cls.opening(player).options["pay_by"] == "time"
        return {**super().js_vars(player), "timed": timed}

    @classmethod
    def vars_for_template(cls, player):
        looks = not cls.opening(player).options["ViewCkNk"]
        return {**super().vars_for_template(player), "looks": looks}

    @classmethod
    def news(cls, player):
        """That the goal card, if it is shown, or the keeper who begins is another than in the hand before."""
        if player.round_number == 1:
            return ""
        return texts.of_news(cls.opening(player), cls.opening(player.in_round(player.round_number - 1)))

    @classmethod
    def followed(cls, seat, hand, events, records):
        return keeper_files.grow(seat, hand, events, records)


class Pause(PausePage):
    """After practice, and after a hand whose time was over."""

    hand_page = Hand


class Results(ResultsPage):
    """The hands and the earnings, after the last hand."""

    hand_page = Hand


page_sequence = [Instructions, Check, Hand, Pause, Results]


# EXPORTS (docs/data-dictionary.md)


custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
