"""Target the Two for two: each has a keeper, and they bring the goal card into Target together."""

from functools import lru_cache, partial

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models
from otree.models import Session

from cardlab.exports import tables
from cardlab.games.dealing import DealtSession
from cardlab.games.record import Opening, read_opening
from cardlab.games.ttt import measures, pairs, rules
from cardlab.games.ttt.texts import board_texts
from cardlab.groups import matchmaking, rounds
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.pages import BoardPage, GroupHandPage, PausePage, ResultsPage, TutorialPage
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import dealing, treatments
from cardlab.sessions.config import config_of
from cardlab.sessions.deal_files import read_deal_file
from ttt_pair_app import check, texts
from ttt_solo_app import backs, keeper_files
from ttt_solo_app.texts import LOWEST_SCORE, Hands, hand_title, of_news

doc = __doc__


class C(BaseConstants):
    NAME_IN_URL = "target_pair"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    # The first round has the instructions, each further one a hand. Fixed: oTree looks pages up by it, so
    # another value would break sessions already in the database.
    NUM_ROUNDS = 61
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    openings = models.LongStringField(initial="")  # a line for each group of the round; or one for all


class Group(BaseGroup):
    opening = models.LongStringField(initial="")  # of the hand; empty if the group plays none


class Player(BasePlayer):
    seat = models.StringField(initial="")  # ck or nk; empty if the player has none in this round
    waiting_since_ms = models.FloatField()
    seen_waiting_ms = models.FloatField()
    instructions_done_ms = models.FloatField()
    check_attempts = models.LongStringField(initial="")
    check_done_ms = models.FloatField()
    results_shown_ms = models.FloatField()
    ck_into_target = models.StringField(initial="")
    nk_into_target = models.StringField(initial="")
    whose_turn = models.StringField(initial="")
    what_is_seen = models.StringField(initial="")
    what_is_told = models.StringField(initial="")
    when_solved = models.StringField(initial="")


def deal(config: dict, participants: int) -> DealtSession:
    """Every hand of a session; BadFile with what is wrong."""
    dealt = pairs.openings(config, participants, C.NUM_ROUNDS - 1, partial(read_deal_file, "ttt"))
    backs.check(dealt.hands[0][0].options["CardsBackFile"])
    return dealt


check_session, creating_session = dealing.of_session(deal, "openings", first_round=2)


def group_by_arrival_time_method(subsession: Subsession, waiting_players):
    return matchmaking.next_group(subsession, len(page_sequence))


@lru_cache(maxsize=64)
def hands_of(session_code: str, treatment: str) -> Hands:
    """What the hands of a treatment of a session have in common, those of all pairs."""
    rounds = Subsession.objects_filter().join(Session).filter(Session.code == session_code)
    openings = [
        read_opening(line)
        for round_of_hand in sorted(rounds, key=lambda one: one.round_number)
        for line in dealing.lines_of(round_of_hand.openings, treatment)
    ]
    return Hands.of(openings)


def hands_for(player) -> Hands:
    return hands_of(player.participant._session_code, treatments.of_row(player))


# PAGES


class Gather(GatherPage):
    """Pairs are put together of those who have come."""

    groups = pairs.GROUPS

    @classmethod
    def what_next(cls, player):
        return texts.of_no_shows(config_of(player))


class Board(BoardPage):
    """What the hand and the board to try have in common."""

    rules = rules

    @classmethod
    def rules_vars(cls, player):
        return texts.of_two(config_of(player), hands_for(player))

    @classmethod
    def js_vars(cls, player):
        options = cls.opening(player).options
        return {
            **super().js_vars(player),
            "back_url": backs.address(options["CardsBackFile"]),
            "robots": list(options["robots"]),
            "words": board_texts(),
        }


class Instructions(TutorialPage, Board):
    """What the game is, with a board to try against a robot."""

    STEPS = ("exchange", "partner", "look", "target", "pay")
    # For either keeper: the first move brings them the goal card; T is refused at first.
    DEALS = {"ck": "2H 3H 2C 4C 3C 4H | 2H | ck", "nk": "4H 2C 3C 4C 2H 3H | 2H | nk"}
    # Always a goal that is shown, and time and moves enough for what the coach asks.
    OPTIONS = {"ViewTarget": True, "MaxRounds": 20, "turn_limit_seconds": 0, "seed": "a hand to try"}

    @classmethod
    def opening(cls, player):
        seat = cls.seat(player)
        robots = {"robots": {rules.other(seat): "informed"}}
        return Opening(cls.DEALS[seat], {**hands_for(player).last.options, **cls.OPTIONS, **robots})

    @classmethod
    def seat(cls, player):
        """The keeper that the participant will have as far as that is known."""
        config = config_of(player)
        return rules.other(config["robot_seat"]) if config["group_size"] == 1 else "ck"

    @classmethod
    def js_vars(cls, player):
        return {
            **super().js_vars(player),
            "looks": not cls.opening(player).options["ViewCkNk"],
            "words": {**board_texts(), **texts.of_coach(cls.seat(player))},
        }


class Check(CheckPage):
    """What the instructions say, asked; after a wrong answer in other words."""

    board = Board
    questions = staticmethod(check.questions)

    @classmethod
    def options(cls, player):
        return hands_for(player).last.options


class Hand(GroupHandPage, Board):
    """One hand of a show file."""

    title = staticmethod(hand_title)

    @staticmethod
    def lowest_score(config):
        return LOWEST_SCORE

    @classmethod
    def js_vars(cls, player):
        timed = cls.opening(player).options["pay_by"] == "time"
        return {**super().js_vars(player), "timed": timed, "company": of_company(player)}

    @classmethod
    def vars_for_template(cls, player):
        options = cls.opening(player).options
        looks, both = not options["ViewCkNk"], options["ViewCard"] != "none"
        return {**super().vars_for_template(player), "looks": looks, "both": both}

    @classmethod
    def news(cls, player):
        before = cls.opening(player.in_round(player.round_number - 1))
        return of_news(cls.opening(player), before) if before else ""

    @classmethod
    def followed(cls, seat, hand, events, records):
        return keeper_files.grow(seat, hand, events, records)


def of_company(player) -> str:
    """What is new in a hand of who plays, and with which keeper."""
    before = player.in_round(player.round_number - 1)
    new_partner = bool(before.seat) and partners_of(player) != partners_of(before)
    return texts.of_company(player.seat, before.seat, new_partner)


def partners_of(player) -> list[str]:
    """The codes of those with whom the player plays."""
    return [other.participant.code for other in player.get_others_in_group()]


class Pause(PausePage):
    """After practice, after a hand whose time was over, and before a block with another partner or keeper."""

    hand_page = Hand

    @classmethod
    def sentences(cls, player):
        said, opening = super().sentences(player), Hand.opening(player)
        if opening is None or opening.is_last:
            return said
        after = player.in_round(player.round_number + 1)
        follows = texts.of_what_follows(player.seat, after.seat, rounds.is_matching_due(after))
        return [*said, *filter(None, [follows])]


class Results(ResultsPage):
    """The hands and the earnings, after the last hand."""

    hand_page = Hand

    @classmethod
    def is_displayed(cls, player):
        return rounds.is_last_game(player) or Hand.stopped(player)

    @classmethod
    def vars_for_template(cls, player):
        told = super().vars_for_template(player)
        played = [one for one in player.in_all_rounds() if one.seat]
        partners = {code for one in played for code in partners_of(one)}
        return {**told, "of_pair": texts.of_pair(told["rows"], len(partners))}


page_sequence = [Gather, Instructions, Check, Hand, Pause, Results]


# EXPORTS (docs/data-dictionary.md)


custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
