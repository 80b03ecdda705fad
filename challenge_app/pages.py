"""The pages of Challenge: its board, a game that may be analysed afterwards, and its analysis."""

from dataclasses import replace
from typing import Any

from cardlab.games.challenge import commands
from cardlab.games.challenge.dealing import ADAPTIVE, analysis_opening
from cardlab.games.challenge.levels import adapted_level
from cardlab.games.challenge.options import complete_options
from cardlab.games.record import Opening
from cardlab.live.seat import hand_id
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import GroupHandPage, HandPage
from cardlab.pages.results import PausePage
from cardlab.sessions.config import config_of

ANALYSIS_SECONDS = 180  # time limit if another participant waits for the next game
PREDICTING_OPTIONS = ("after_pickup", "after_better", "max_actions", "draw_offers", "claims", "hints")
ANALYSIS_HAND_NUMBER = 1000  # added to the game's number, because its analysis is another hand


class Board(BoardPage):
    """The board of the game, of the tutorial and of the analysis."""

    game = "challenge"
    plays_games = True

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the commands of the command line, and the options that the board needs to predict moves."""
        options = complete_options(cls.options(player))
        typed = commands.command_line(options, shown=config_of(player)["commands"])
        options_for_prediction = {name: options[name] for name in PREDICTING_OPTIONS}
        return {**super().js_vars(player), **typed, "options": options_for_prediction}


class ChallengeHand(GroupHandPage, Board):
    """A game."""

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Adds the level of an adaptive computer, which follows from the latest game against it."""
        opening = super().opening(player)
        if opening is None or config_of(player)["computer"] != ADAPTIVE:
            return opening
        rows = [row for row in player.in_previous_rounds() if row.seat]
        games = [(row, hand) for row in rows if (hand := cls.hand(row)) and hand.opening.options["robots"]]
        if not games:
            return opening
        row, hand = games[-1]
        outcome = hand.result(row.seat).outcome
        level = adapted_level(hand.opening.options["level"], outcome, len(games))
        return replace(opening, options={**opening.options, "level": level})

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether the game may be analysed when it is over."""
        return {**super().js_vars(player), "analysing": config_of(player)["analysing"]}


class AnalysisPage(Board):
    """The analysis of a finished game against the computer, if the session offers it; earns nothing.

    In games of two participants, the page continues after ``ANALYSIS_SECONDS``, so that neither waits long
    for the other. Subclasses set ``hand_page``.
    """

    endless = True
    hand_page: type[HandPage]
    timer_text = PausePage.timer_text

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the time limit of the analysis if another participant waits, else None."""
        return ANALYSIS_SECONDS if config_of(player)["group_size"] > 1 else None

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the session offers the analysis, and the player has finished a game."""
        hand = cls.hand_page.hand(player) if config_of(player)["analysing"] else None
        return hand is not None and hand.is_over and not cls.hand_page.has_stopped(player)

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the opening of the analysis: the game from its deal, with the moves that were played."""
        hand = cls.hand_page.hand(player)
        return analysis_opening(hand.opening, hand.state, player.seat) if hand else None

    @classmethod
    def hand_id(cls, player: Any) -> str:
        """Returns the ID of the analysis, of which each participant has their own."""
        return hand_id(player, player.participant.code, f"analysed-{player.round_number}")

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the seat that the player had."""
        return str(player.seat)

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns a number that no game has."""
        return ANALYSIS_HAND_NUMBER + cls.hand_page.hand_number(player)

    @classmethod
    def error_message(cls, player: Any, values: dict[str, Any]) -> None:
        """Returns None, so that the player may continue at any time."""
        return None

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the template variables of the rules."""
        return cls.template_vars(player)
