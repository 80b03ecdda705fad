"""The pages that only the matrix card game has: a hand with the best score so far, and the debriefing."""

from typing import Any

from otree.api import Page
from otree.common import get_models_module

from cardlab.games.dealing import Config
from cardlab.games.matrix import debriefing, highlights, texts
from cardlab.games.number_format import plain, signed
from cardlab.pages.hand import GroupHandPage
from cardlab.sessions import money
from cardlab.sessions.apps import games_of
from cardlab.sessions.config import config_of


class MatrixHand(GroupHandPage):
    """A game."""

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the best score of the player's earlier games, "" in the first (ruling 13)."""
        hands = [(cls.hand(earlier), earlier.seat) for earlier in player.in_previous_rounds()]
        scores = [hand.result(seat).score for hand, seat in hands if hand]
        return {**super().vars_for_template(player), "best": signed(max(scores)) if scores else ""}


class Debriefing(Page):
    """What the games earned and what was remarkable.

    On demand it shows the 2×2 games that the player's pair met, and what game theory says of them.
    """

    @staticmethod
    def is_displayed(player: Any) -> bool:
        """Returns whether the results follow, and the player has played."""
        results = get_models_module(player.get_folder_name()).Results
        return results.is_displayed(player) and any(earlier.seat for earlier in player.in_all_rounds())

    @staticmethod
    def vars_for_template(player: Any) -> dict[str, Any]:
        """Returns the games and what they have earned."""
        app, rounds, config = player.get_folder_name(), player.in_all_rounds(), config_of(player)
        pages = get_models_module(app)
        games = [
            debriefing.ReviewedHand(hand.state_for(round_player.seat), round_player.seat, hand.opening.number)
            for round_player in rounds
            if (hand := pages.Hand.hand(round_player))
        ]
        points = float(sum(round_player.payoff for round_player in rounds))
        table, fee_next = pages.Results.table(player), games_of(config)[-1] == app
        earned = earned_vars(config, points, **table, fee_next=fee_next) if config["show_earnings"] else None
        return {**debriefing.page(games), "highlights": highlights.find_highlights(games), "earned": earned}


def earned_vars(
    config: Config, points: float, rows: list[tuple[Any, ...]], drawn: int, fee_next: bool = True
) -> dict[str, Any]:
    """Returns the ``money`` that the games have earned, ``sentences`` that explain it, and each one's points.

    Of several ``games``, each has its number, score and points.
    ``rows`` and ``drawn`` are those of the page of results; ``fee_next``: it adds the fee.
    """
    money_text = money.format_money(money.to_money(config, points))
    sentences = texts.earned_sentences(rows, drawn, plain(money.points_as_score(config, points)), money_text)
    if config["participation_fee"] and fee_next:
        sentences.append(texts.fee_follows_sentence())
    games = [(number, signed(result.score), earned) for number, result, _score, earned in rows]
    return {"money": money_text, "sentences": sentences, "games": games if len(games) > 1 else []}
