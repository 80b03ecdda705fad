"""The pages of the matrix card game: its board, a game with the best score so far, and the debriefing."""

from typing import Any

from otree.api import Page
from otree.common import get_models_module

from cardlab.games.dealing import Config
from cardlab.games.matrix import debriefing, highlights, texts
from cardlab.games.matrix.deal import complete
from cardlab.games.number_format import plain, signed
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import GroupHandPage
from cardlab.sessions import money
from cardlab.sessions.apps import games_of
from cardlab.sessions.config import config_of


class Board(BoardPage):
    """The board of the game and of the tutorial."""

    game = "matrix"
    plays_games = True

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the option that the board needs to predict moves."""
        changes = complete(cls.options(player))["change_choice"]
        return {**super().js_vars(player), "options": {"change_choice": changes}}


class MatrixHand(GroupHandPage, Board):
    """A game."""

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the best score of the player's earlier games, "" in the first (ruling 13)."""
        hands = [(cls.hand(earlier), earlier.seat) for earlier in player.in_previous_rounds()]
        scores = [hand.result(seat).score for hand, seat in hands if hand]
        return {**super().vars_for_template(player), "best": signed(max(scores)) if scores else ""}


class Debriefing(Page):
    """The earnings and highlights of the games.

    On demand, it shows the 2×2 games that the player's pair met, with their game-theoretic analysis.
    """

    @staticmethod
    def is_displayed(player: Any) -> bool:
        """Returns whether the results page follows, and the player has played."""
        results = get_models_module(player.get_folder_name()).Results
        return results.is_displayed(player) and any(earlier.seat for earlier in player.in_all_rounds())

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns the games, their highlights and their earnings."""
        app, rounds, config = player.get_folder_name(), player.in_all_rounds(), config_of(player)
        pages = get_models_module(app)
        games = [
            debriefing.ReviewedHand(hand.state_for(round_player.seat), round_player.seat, hand.opening.number)
            for round_player in rounds
            if (hand := pages.Hand.hand(round_player))
        ]
        points = float(sum(round_player.payoff for round_player in rounds))
        table, fee_next = pages.Results.table(player), games_of(config)[-1] == app
        earned = None
        if config["show_earnings"]:
            pay_text = " ".join(pages.Results.pay_sentences(player))
            earned = earned_vars(config, points, **table, pay_text=pay_text, fee_next=fee_next)
        return {**debriefing.page(games), "highlights": highlights.find_highlights(games), "earned": earned}


def earned_vars(
    config: Config,
    points: float,
    rows: list[tuple[Any, ...]],
    drawn: int,
    pay_text: str = "",
    fee_next: bool = True,
) -> dict[str, Any]:
    """Returns the ``money`` that the games have earned, ``sentences`` that explain it, and the ``games``.

    If there are several games, each has its number, score and points; otherwise ``games`` is empty. ``rows``
    and ``drawn`` come from the results page, which adds the participation fee if ``fee_next``. ``pay_text``
    says how a score is paid; beside several games there is no room for it.
    """
    money_text = money.format_money(money.to_money(config, points))
    sentences = texts.earned_sentences(rows, drawn, plain(money.points_as_score(config, points)), money_text)
    if pay_text and len(rows) == 1:
        sentences.append(pay_text)
    if config["participation_fee"] and fee_next:
        sentences.append(texts.fee_follows_sentence())
    games = [(number, signed(result.score), earned) for number, result, _score, earned in rows]
    return {"money": money_text, "sentences": sentences, "games": games if len(games) > 1 else []}
