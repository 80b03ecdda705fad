"""Challenge (Svoyi Koziri): play a better card or pick up the table; who plays their last card wins."""

from functools import partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models

from cardlab.exports import tables
from cardlab.games.challenge import commands, log, measures, rules
from cardlab.games.challenge.dealing import openings, options_in_force, seated, to_analyse, to_try
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.packs import RANKS
from cardlab.games.challenge.texts import board_texts
from cardlab.games.dealing import DRAWN_BY_SEED, DealtSession
from cardlab.games.record import read_opening
from cardlab.games.seating import GroupRules
from cardlab.groups import matchmaking, rounds
from cardlab.live.seat import hand_id
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, GroupHandPage, PausePage, ResultsPage, TutorialPage, rules_at_hand
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import dealing, treatments
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from challenge_app import check, texts

doc = __doc__


TIME_TO_ANALYSE = 180  # seconds, where another participant waits for the next game
ANALYSED = 1000  # added to the number of a game that is analysed: it is another hand


class C(BaseConstants):
    NAME_IN_URL = "challenge"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    # The first round has the instructions, each further one a game. Fixed: oTree looks pages up by it, so
    # another value would break sessions already in the database.
    NUM_ROUNDS = 21
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    openings = models.LongStringField(initial="")  # a line for each group of the round; or one for all


class Group(BaseGroup):
    opening = models.LongStringField(initial="")  # of the game; empty if the group plays none


class Player(BasePlayer):
    seat = models.StringField(initial="")  # S or N; empty if the player has none in this round
    waiting_since_ms = models.FloatField()
    seen_waiting_ms = models.FloatField()
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    which_beats = models.StringField(initial="")
    what_is_taken = models.StringField(initial="")
    who_leads = models.StringField(initial="")
    who_wins = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every game of a session; BadFile with what is wrong."""
    return openings(config, participants, C.NUM_ROUNDS - 1, partial(read_deal_file, "challenge"))


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
    """What the game, the one to try and the one to be analysed have in common."""

    rules = rules
    called = staticmethod(texts.called)

    @classmethod
    def rules_vars(cls, player):
        config = config_of(player)
        shown = ("games", "group_size", "analysing", "turn_limit_seconds")
        return {
            **options_in_force(config),
            **{key: config[key] for key in shown},
            "size": texts.of_sizes(sizes(player)),
            "ranks": " ".join(RANKS[: max(sizes(player))]),
            "commands": texts.of_commands(config),
            "claims_text": texts.of_claims(config),
            "pay_text": texts.of_pay(config),
        }

    @classmethod
    def js_vars(cls, player):
        return {
            **super().js_vars(player),
            "words": board_texts(),
            "spellings": commands.SPELLINGS,
            "refusals": commands.refusals(),
            "commands": commands.command_list(complete_options(cls.opening(player).options)),
        }


def sizes(player) -> set[int]:
    """The sizes of the packs of the session's games: a deal file may have several. Where not all cards are
    seen they would tell of those that are not, so there it is the config's."""
    config = config_of(player)
    if config["deal_file"] == DRAWN_BY_SEED or config["show"] == "own":
        return {config["size"]}
    games, treatment = player.subsession.in_rounds(2, 1 + config["games"]), treatments.of_row(player)
    lines = [line for game in games for line in dealing.lines_of(game.openings, treatment)]
    return {read_opening(line).options["size"] for line in lines}


class Instructions(TutorialPage, Board):
    """What the game is, with a small one to try."""

    STEPS = ("trumps", "lead", "beat", "pick_up", "end", "pay")

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
    lowest_score = staticmethod(texts.lowest_score)

    @classmethod
    def js_vars(cls, player):
        return {**super().js_vars(player), "analysing": config_of(player)["analysing"]}


class Pause(PausePage):
    """After a game whose time was over."""

    hand_page = Hand


class Analyse(Board):
    """The game that is over, to be taken apart against the computer, if the session has it; earns nothing.

    Where two play it goes on by itself in the end, so that nobody waits long for who still analyses.
    """

    endless = True
    timer_text = PausePage.timer_text

    @classmethod
    def get_timeout_seconds(cls, player):
        return TIME_TO_ANALYSE if config_of(player)["group_size"] > 1 else None

    @classmethod
    def is_displayed(cls, player):
        game = Hand.hand(player) if config_of(player)["analysing"] else None
        return game is not None and game.is_over and not Hand.stopped(player)

    @classmethod
    def opening(cls, player):
        game = Hand.hand(player)
        return to_analyse(game.opening, game.state, player.seat) if game else None

    @classmethod
    def hand_id(cls, player):
        return hand_id(player, player.participant.code, f"analysed-{player.round_number}")

    @classmethod
    def seat(cls, player):
        return player.seat

    @classmethod
    def hand_number(cls, player):
        return ANALYSED + Hand.hand_number(player)

    @classmethod
    def error_message(cls, player, values):
        return None

    @classmethod
    def vars_for_template(cls, player):
        return rules_at_hand(cls, player)


class Results(ResultsPage):
    """The games and the earnings, after the last game."""

    hand_page = Hand

    @classmethod
    def is_displayed(cls, player):
        return rounds.is_last_game(player) or Hand.stopped(player)


page_sequence = [Gather, Instructions, Check, Hand, Pause, Analyse, Results]


# EXPORTS (docs/data-dictionary.md)

custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)


def custom_export_moves(players):
    """One row a move: what was played, what could have been, how long it took."""
    return tables.part_rows(players, Hand, *measures.PARTS["moves"])


def custom_export_log(players):
    """The games that are to be logged, one after another, as the analysing mode reads them."""
    games = (
        log.game_from_history(history, f"session {played.somebody.session.code} hand {played.hand_id}")
        for played, history in tables.readable_hands(players, Hand)
        if history.hand.state.logged
    )
    return tables.text_rows(line for game in games for line in log.lines(game))


def custom_export_analysed(players):
    """What was done where games were taken apart, row by row, as the table of actions has it."""
    return tables.action_rows([player for player in players if Analyse.opening(player)], Analyse)
