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

ANALYSIS_SECONDS = 180  # seconds, where another participant waits for the next game
PREDICTING_OPTIONS = ("after_pickup", "after_better", "max_actions", "draw_offers", "claims", "hints")
ANALYSIS_HAND_NUMBER = 1000  # added to the number of a game that is analysed: it is another hand


class Board(BoardPage):
    """What the game, the one to try and the one to be analysed have in common."""

    game = "challenge"
    plays_games = True

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the commands of the line in which they are typed, and the options to predict moves from."""
        options = complete_options(cls.options(player))
        typed = commands.command_line(options, shown=config_of(player)["commands"])
        options_for_prediction = {name: options[name] for name in PREDICTING_OPTIONS}
        return {**super().js_vars(player), **typed, "options": options_for_prediction}


class ChallengeHand(GroupHandPage, Board):
    """A game."""

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Adds the level of an adaptive computer: it follows from the latest game against it."""
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
    """The game that is over, to be taken apart against the computer, if the session has it; earns nothing.

    Where two play the page continues automatically in the end, so that nobody waits long for the other.
    Subclasses set ``hand_page``.
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
        """Returns whether the session has it, and the player has finished a game."""
        hand = cls.hand_page.hand(player) if config_of(player)["analysing"] else None
        return hand is not None and hand.is_over and not cls.hand_page.has_stopped(player)

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the game from its beginning, with what was played."""
        hand = cls.hand_page.hand(player)
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
        return ANALYSIS_HAND_NUMBER + cls.hand_page.hand_number(player)

    @classmethod
    def error_message(cls, player: Any, values: dict[str, Any]) -> None:
        """Lets the player go on at any time."""
        return None

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the rules."""
        return cls.template_vars(player)
