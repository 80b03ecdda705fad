"""The matrix card game: two or four players choose in secret; the payoff matrix is built of cards."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page

from cardlab.exports import tables
from cardlab.games.dealing import Config
from cardlab.games.matrix import debriefing, highlights, measures, texts
from cardlab.games.matrix.dealing import openings, practice_opening, seated
from cardlab.games.matrix.questions import questions
from cardlab.games.number_format import plain, signed
from cardlab.games.record import Opening
from cardlab.games.seating import GroupRules
from cardlab.pages.app_factory import group_game, group_player_fields, opening_field
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import GroupHandPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions import money
from cardlab.sessions.apps import games_of
from cardlab.sessions.config import config_of

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "matrix"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    NUM_ROUNDS = 11  # the instructions and the games; another value would break sessions in the database
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    openings = opening_field()


class Group(BaseGroup):
    """The participants who play a hand together, and the hand."""

    opening = opening_field()


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(group_player_fields("who_collects", "new_cross", "left_right", "red_card", "turning"))


class Board(BoardPage):
    """What the game and the one to try have in common."""

    game = "matrix"
    plays_games = True
    RULES_FIELDS = ("players", "change_choice", "games", "turn_limit_seconds")

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the number of robots and what the cards are worth."""
        config = config_of(player)
        robots = config["players"] - config["group_size"]
        return {
            **super().rules_vars(player),
            "robots": robots,
            "robots_text": texts.robots_sentence(robots),
            "turn_limit_text": texts.turn_limit_sentence(config["turn_limit_seconds"]),
            "courts": texts.pack_sentence(config),
        }

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the seats of the robots."""
        return {**super().js_vars(player), "robots": list(cls.options(player)["robots"])}


class Instructions(TutorialPage, Board):
    """The rules, with a game to try against a robot."""

    STEPS = ("choose", "column", "collect", "turn", "pay")

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the turning of crosses where four play."""
        two = config_of(player)["players"] == 2
        return tuple(name for name in cls.STEPS if two or name != "turn")

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the game to try."""
        return practice_opening(config_of(player))

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the dealer's seat."""
        return "S"


class Hand(GroupHandPage, Board):
    """One game."""

    template_name = "matrix_game_app/Hand.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the best score of the player's earlier games, "" in the first (ruling 13)."""
        played = [(cls.hand(earlier), earlier.seat) for earlier in player.in_previous_rounds()]
        scores = [hand.result(seat).score for hand, seat in played if hand]
        return {**super().vars_for_template(player), "best": signed(max(scores)) if scores else ""}


game = group_game(C.NUM_ROUNDS, openings, questions, Instructions, Hand, GroupRules(seated))
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
group_by_arrival_time_method = game.group_by_arrival_time_method
Gather, Check, Pause, Results = game.Gather, game.Check, game.Pause, game.Results


class Debriefing(Page):
    """What the games earned and what was remarkable.

    On demand it shows the 2×2 games that the player's pair met, and what game theory says of them.
    """

    @staticmethod
    def is_displayed(player: Any) -> bool:
        """Returns whether the results follow, and the player has played."""
        return Results.is_displayed(player) and any(earlier.seat for earlier in player.in_all_rounds())

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns the games and what they have earned."""
        rounds, config = player.in_all_rounds(), config_of(player)
        games = [game for each in rounds if (game := debriefed_game(each))]
        points = float(sum(each.payoff for each in rounds))
        is_last_game = games_of(config)[-1] == player.get_folder_name()
        table, shown = Results.table(player), config["show_earnings"]
        earned = earned_vars(config, points, **table, fee_next=is_last_game) if shown else None
        return {**debriefing.page(games), "highlights": highlights.find_highlights(games), "earned": earned}


def debriefed_game(player: Any) -> debriefing.ReviewedHand | None:
    """Returns the player's game of a round for the debriefing; None if there was none."""
    hand = Hand.hand(player)
    if hand is None:
        return None
    return debriefing.ReviewedHand(hand.state_for(player.seat), player.seat, hand.opening.number)


def earned_vars(
    config: Config, points: float, rows: list[tuple[Any, ...]], drawn: int, fee_next: bool = True
) -> dict[str, Any]:
    """Returns the ``money`` that the games have earned, ``sentences`` that explain it, and each one's points.

    Of several ``games``, each has its number, score and points.
    ``rows`` and ``drawn`` are those of the page of results; ``fee_next``: it adds the fee.
    """
    paid = money.format_money(money.to_money(config, points))
    sentences = texts.earned_sentences(rows, drawn, plain(money.points_shown(config, points)), paid)
    if config["participation_fee"] and fee_next:
        sentences.append(texts.fee_follows_sentence())
    games = [(number, signed(result.score), earned) for number, result, _score, earned in rows]
    return {"money": paid, "sentences": sentences, "games": games if len(games) > 1 else []}


page_sequence = [Gather, Instructions, Check, Hand, Pause, Debriefing, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_turns = tables.part_export(Hand, measures, "turns")
