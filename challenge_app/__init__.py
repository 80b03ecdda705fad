"""Challenge (Svoyi Koziri): play a better card or pick up the table; first to run out of cards wins."""

from collections.abc import Iterator
from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.challenge import commands, log, measures, texts
from cardlab.games.challenge.dealing import (
    analysis_opening,
    openings,
    options_in_force,
    practice_opening,
    seated,
)
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.packs import RANKS
from cardlab.games.challenge.questions import questions
from cardlab.games.dealing import DRAWN_BY_SEED, Config
from cardlab.games.record import Opening, read_opening
from cardlab.games.seating import GroupRules
from cardlab.live.seat import hand_id
from cardlab.pages.app_factory import group_game, group_player_fields, opening_field
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import GroupHandPage
from cardlab.pages.results import PausePage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions import dealing, treatments
from cardlab.sessions.config import config_of

doc = __doc__


ANALYSIS_SECONDS = 180  # seconds, where another participant waits for the next game
ANALYSIS_HAND_NUMBER = 1000  # added to the number of a game that is analysed: it is another hand


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "challenge"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    NUM_ROUNDS = 21  # the instructions and the games; another value would break sessions in the database
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    openings = opening_field()


class Group(BaseGroup):
    """The participants who play a hand together, and the hand."""

    opening = opening_field()


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(group_player_fields("which_beats", "what_is_taken", "who_leads", "who_wins"))


class Board(BoardPage):
    """What the game, the one to try and the one to be analysed have in common."""

    game = "challenge"
    plays_games = True
    RULES_FIELDS = ("games", "group_size", "analysing", "turn_limit_seconds")

    @classmethod
    def lowest_score(cls, config: Config) -> float:
        """Returns the worst of the three outcomes."""
        lowest: float = min(config["win"], config["draw"], config["loss"])
        return lowest

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the options of the game, the packs, the commands and the claims."""
        config, sizes = config_of(player), pack_sizes(player)
        return {
            **options_in_force(config),
            **super().rules_vars(player),
            "size": texts.pack_sizes(sizes),
            "ranks": " ".join(RANKS[: max(sizes)]),
            "commands": texts.typed_commands(config),
            "claims_text": texts.claim_sentences(config),
            "length_text": texts.length_sentence(config["max_actions"]),
            "turn_text": texts.turn_sentence(config["turn_limit_seconds"]),
        }

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the commands of the line in which they are typed."""
        return {
            **super().js_vars(player),
            "spellings": commands.SPELLINGS,
            "refusals": commands.refusals(),
            "commands": commands.command_list(complete_options(cls.options(player))),
        }


def pack_sizes(player: Any) -> set[int]:
    """Returns the sizes of the packs of the session's games: a deal file may have several.

    Where not all cards are seen the sizes would tell of those that are not, so there it is the config's.
    """
    config = config_of(player)
    if config["deal_file"] == DRAWN_BY_SEED or config["show"] == "own":
        return {config["size"]}
    rounds, treatment = player.subsession.in_rounds(2, 1 + config["games"]), treatments.row_treatment(player)
    lines = [line for subsession in rounds for line in dealing.lines_of(subsession.openings, treatment)]
    return {read_opening(line).options["size"] for line in lines}


class Instructions(TutorialPage, Board):
    """The rules, with a small game to try."""

    STEPS = ("trumps", "lead", "beat", "pick_up", "end", "pay")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the game to try."""
        return practice_opening(config_of(player))

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the seat that leads."""
        return "S"


class Hand(GroupHandPage, Board):
    """One game."""

    template_name = "challenge_app/Hand.html"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether the game may be analysed when it is over."""
        return {**super().js_vars(player), "analysing": config_of(player)["analysing"]}


class Analyse(Board):
    """The game that is over, to be taken apart against the computer, if the session has it; earns nothing.

    Where two play the page continues automatically in the end, so that nobody waits long for the other.
    """

    endless = True
    timer_text = PausePage.timer_text

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the time to analyse where somebody else waits, else None."""
        return ANALYSIS_SECONDS if config_of(player)["group_size"] > 1 else None

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the session has it, and the player has finished a game."""
        hand = Hand.hand(player) if config_of(player)["analysing"] else None
        return hand is not None and hand.is_over and not Hand.has_stopped(player)

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the game from its beginning, with what was played."""
        hand = Hand.hand(player)
        return analysis_opening(hand.opening, hand.state, player.seat) if hand else None

    @classmethod
    def hand_id(cls, player: Any) -> str:
        """Returns the name of the analysis' record: the participant's own."""
        return hand_id(player, player.participant.code, f"analysed-{player.round_number}")

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the seat that the player had."""
        return str(player.seat)

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns a number that no game has."""
        return ANALYSIS_HAND_NUMBER + Hand.hand_number(player)

    @classmethod
    def error_message(cls, player: Any, values: dict[str, Any]) -> None:
        """Lets the player go on at any time."""
        return None

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the rules."""
        return cls.template_vars(player)


game = group_game(C.NUM_ROUNDS, openings, questions, Instructions, Hand, GroupRules(seated))
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
group_by_arrival_time_method = game.group_by_arrival_time_method
Gather, Check, Pause, Results = game.Gather, game.Check, game.Pause, game.Results
page_sequence = [Gather, Instructions, Check, Hand, Pause, Analyse, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_moves = tables.part_export(Hand, measures, "moves")


def custom_export_log(players: list[Any]) -> Iterator[list[Any]]:
    """Yields the logged games, one after another, as the analysing mode reads them."""
    games = (
        log.game_from_history(history, f"session {played.any_player.session.code} hand {played.hand_id}")
        for played, history in tables.readable_hands(players, Hand)
        if history.hand.state.logged
    )
    return tables.text_rows(line for logged in games for line in log.lines(logged))


def custom_export_analysed(players: list[Any]) -> Iterator[list[Any]]:
    """Yields the actions of the analyses, a row each."""
    return tables.action_rows([player for player in players if Analyse.opening(player)], Analyse)
