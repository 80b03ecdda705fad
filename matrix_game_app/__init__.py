"""The matrix card game: two or four players choose in secret; the payoff matrix is built of cards."""

from functools import partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, models

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.matrix import debriefing, highlights, measures, rules
from cardlab.games.matrix.dealing import openings, seated, to_try
from cardlab.games.matrix.texts import board_texts
from cardlab.games.seating import GroupRules
from cardlab.groups import matchmaking, rounds
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, GroupHandPage, PausePage, ResultsPage, TutorialPage
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import dealing
from cardlab.sessions.apps import games_of
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from matrix_game_app import check, texts

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "matrix"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    # The first round has the instructions, each further one a game. Fixed: oTree looks pages up by it, so
    # another value would break sessions already in the database.
    NUM_ROUNDS = 11
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    openings = models.LongStringField(initial="")  # a line for each group of the round; or one for all


class Group(BaseGroup):
    opening = models.LongStringField(initial="")  # of the game; empty if the group plays none


class Player(BasePlayer):
    seat = models.StringField(initial="")  # S, W, N or E; empty if the player has none in this round
    waiting_since_ms = models.FloatField()
    seen_waiting_ms = models.FloatField()
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    who_collects = models.StringField(initial="")
    new_cross = models.StringField(initial="")
    left_right = models.StringField(initial="")
    red_card = models.StringField(initial="")
    turning = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every game of a session; BadFile with what is wrong."""
    return openings(config, participants, C.NUM_ROUNDS - 1, partial(read_deal_file, "matrix"))


check_session, creating_session = dealing.of_session(deal, "openings", first_round=2)


def group_by_arrival_time_method(subsession: Subsession, waiting_players):
    return matchmaking.next_group(subsession, len(page_sequence))


# PAGES


class Gather(GatherPage):
    """Groups are put together of those who have come."""

    groups = GroupRules(seated)

    @classmethod
    def what_next(cls, player):
        return texts.of_no_shows(config_of(player))


class Board(BoardPage):
    """What the game and the one to try have in common."""

    rules = rules
    called = staticmethod(texts.called)

    @classmethod
    def rules_vars(cls, player):
        config = config_of(player)
        shown = ("players", "change_choice", "games", "turn_limit_seconds")  # not the seed: see HandPage
        return {
            **{key: config[key] for key in shown},
            "robots": config["players"] - config["group_size"],
            "courts": texts.of_courts(config),
            "pay_text": texts.of_pay(config),
        }

    @classmethod
    def js_vars(cls, player):
        robots = cls.opening(player).options["robots"]
        return {**super().js_vars(player), "robots": list(robots), "words": board_texts()}


class Instructions(TutorialPage, Board):
    """What the game is, with a game to try against a robot."""

    STEPS = ("choose", "column", "collect", "turn", "pay")

    @classmethod
    def steps(cls, player):
        two = config_of(player)["players"] == 2
        return tuple(name for name in cls.STEPS if two or name != "turn")

    @classmethod
    def opening(cls, player):
        return to_try(config_of(player))

    @classmethod
    def seat(cls, player):
        return "S"

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "words": {**board_texts(), **texts.of_coach()}}


class Check(CheckPage):
    """What the instructions say, asked; after a wrong answer in other words."""

    board = Board
    questions = staticmethod(check.questions)

    @classmethod
    def options(cls, player):
        return to_try(config_of(player)).options


class Hand(GroupHandPage, Board):
    """One game."""

    title = staticmethod(texts.hand_title)

    @classmethod
    def vars_for_template(cls, player):
        return {**super().vars_for_template(player), "best": texts.points(best_score(player))}


def best_score(player) -> int | None:
    """The best score of the player's earlier games, None in the first (ruling 13)."""
    played = [(Hand.hand(earlier), earlier.seat) for earlier in player.in_previous_rounds()]
    return max((hand.result(seat).score for hand, seat in played if hand), default=None)


class Pause(PausePage):
    """After a game whose time was over."""

    hand_page = Hand


class Debriefing(Page):
    """What the games earned, what was remarkable, and on demand the 2×2 games that the player's pair met and
    what game theory says of them."""

    @staticmethod
    def is_displayed(player):
        return Results.is_displayed(player) and any(earlier.seat for earlier in player.in_all_rounds())

    @staticmethod
    def vars_for_template(player):
        rounds = player.in_all_rounds()
        games = [told for game in rounds if (told := to_be_told(game))]
        points = float(sum(game.payoff for game in rounds))
        config, told = config_of(player), Results.hands_of(player)
        last = games_of(config)[-1] == player.get_folder_name()
        earned = texts.of_earned(config, points, **told, fee_next=last) if config["show_earnings"] else None
        return {**debriefing.page(games), "highlights": highlights.of(games), "earned": earned}


def to_be_told(player) -> debriefing.Told | None:
    """What the debriefing needs of the player's game of a round; None if there was none."""
    hand = Hand.hand(player)
    if hand is None:
        return None
    return debriefing.Told(hand.state_for(player.seat), player.seat, hand.opening.number)


class Results(ResultsPage):
    """The games and the earnings, after the last game."""

    hand_page = Hand

    @classmethod
    def is_displayed(cls, player):
        return rounds.is_last_game(player) or Hand.stopped(player)


page_sequence = [Gather, Instructions, Check, Hand, Pause, Debriefing, Results]


# EXPORTS (docs/data-dictionary.md)


custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)


def custom_export_turns(players):
    """One row a turn: the 2×2 game as it stood, what theory says of it, what the pair chose."""
    return tables.part_rows(players, Hand, measures.TURN_COLUMNS, measures.turns_of)
