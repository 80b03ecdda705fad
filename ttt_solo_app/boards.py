"""The base classes of the pages of Target the Two, for one player and for two."""

from __future__ import annotations

from typing import Any

from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.ttt import texts
from cardlab.live.seat import Seat
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of
from ttt_solo_app import backs, keeper_files


class TargetBoard(BoardPage):
    """A board of Target the Two."""

    game = "ttt"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the card back, the visible cards, whether cards may be looked at, and the clicks of a move."""
        options = cls.options(player)
        return {
            **super().js_vars(player),
            "back_url": backs.image_url(options["CardsBackFile"]),
            "looks": not options["ViewCkNk"],
            "options": {name: options[name] for name in ("ViewCard", "ViewCkNk")},
            "twice": texts.clicks_twice(config_of(player), options),
        }


class TargetTutorial(TutorialPage, TargetBoard):
    """The instructions of Target the Two."""

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Leaves out the step on looking at cards if they are face up."""
        face_down = not cls.options(player)["ViewCkNk"]
        return tuple(name for name in cls.STEPS if face_down or name != "look")


class TargetHand(HandPage):
    """A hand of Target the Two that counts; :class:`TargetBoard` adds the board."""

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether the hand is paid by time."""
        timed = cls.options(player)["pay_by"] == "time"
        return {**super().js_vars(player), "timed": timed}

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds which keys look at cards."""
        options = cls.options(player)
        may_look, sees_cards = not options["ViewCkNk"], options["ViewCard"] != "none"
        return {**super().vars_for_template(player), "looks": may_look, "both": sees_cards}

    @classmethod
    def news(cls, player: Any) -> str:
        """Returns a sentence if the first mover, or a goal card that is shown, differs from the last hand."""
        last_opening = (
            cls.opening(player.in_round(player.round_number - 1)) if player.round_number > 1 else None
        )
        opening = cls.opening(player)
        return texts.news(opening, last_opening) if opening and last_opening else ""

    @classmethod
    def update_logs(cls, seat: Seat, hand: Hand, events: list[Event], records: Any) -> list[str]:
        """Adds the events to the growing ck and nk logs."""
        return keeper_files.grow_files(seat, hand, events, records)

    @classmethod
    def forget_logs(cls) -> None:
        """Makes the logs be rewritten from the records, which now have a pseudonym."""
        keeper_files.forget_files()
