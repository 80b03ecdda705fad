"""The page of a hand of the session, for one participant or a group."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from cardlab.games.events import BEST_HANDS, EARNINGS, RULES
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, read_shared_opening
from cardlab.groups import rounds
from cardlab.live.record_store import Payee, Records
from cardlab.live.seat import Seat, payee_of
from cardlab.pages import leaderboard, texts
from cardlab.pages.board import BoardPage, GroupTexts
from cardlab.sessions import money
from cardlab.sessions.arrival import has_withdrawn
from cardlab.sessions.config import config_of, payoff


class HandPage(BoardPage):
    """A hand of the session. A game's own template extends ``cardlab/HandPage.html``."""

    is_hand = True  # makes an app with a page ``Hand`` of this class a game (cardlab.sessions.apps)
    template_name = "cardlab/HandPage.html"

    @property
    def timer_text(self) -> str:  # type: ignore[override]  # oTree's is an attribute
        """What oTree writes before the time that is left."""
        return _("Time left:")

    @classmethod
    def pay(cls, seat: Seat, hand: Hand, records: Records) -> None:
        """Pays each participant for whom the hand is over."""
        for payee in cls.payees(seat, records):
            name = payee.seat
            if name in hand.seats and hand.is_over_for(name) and not hand.seats[name].stopped_before:
                score = hand.result(name).score
                points = payoff(payee.config, hand.opening, payee.id_in_session, score)
                records.set_payoff(payee, points)

    @classmethod
    def payees(cls, seat: Seat, records: Records) -> list[Payee]:
        """Returns all payees of the hand of a seat."""
        return [seat.payee] if seat.payee else []

    @classmethod
    def end_message(cls, seat: Seat, records: Records) -> dict[str, Any]:
        """Returns what the purse holds with this hand, if it is shown."""
        if seat.payee is None or not seat.payee.config["purse"]:
            return {}
        ledger = money.ledger_for(seat.payee.config, records.points_by_app(seat.payee))
        return {"purse": money.format_money(ledger.earned)}

    @classmethod
    def purse(cls, player: Any) -> str:
        """Returns what the participant has earned so far; "" if it is not shown."""
        is_shown = config_of(player)["purse"]
        return money.format_money(money.ledger_of(player.participant).earned) if is_shown else ""

    @classmethod
    def title(cls, opening: Opening) -> str:
        """Returns the hand's title for participants, such as "Hand 3 of 40"."""
        return texts.hand_title(opening, cls.plays_games)

    @classmethod
    def can_note(cls, name: str) -> bool:
        """Returns whether the page may note in the record that a drawer was opened."""
        return name in (RULES, EARNINGS, BEST_HANDS)

    @classmethod
    def best_vars(cls, player: Any) -> dict[str, Any]:
        """Returns whether the participant sees the ten best hands, and these hands."""
        hands = leaderboard.best_hands(cls, player)
        return {"ten_best": hands is not None, "best": hands or []}

    @classmethod
    def earnings_sentences(cls, player: Any) -> list[str]:
        """Returns sentences about the participant's earnings so far; [] if they are not shown."""
        config = config_of(player)
        if not config["earnings_so_far"]:
            return []
        if config["pay_hands"] == "one":
            return [texts.drawn_sentence(cls.plays_games)]
        return money.earnings_sentences(config, player)

    @classmethod
    def news(cls, player: Any) -> str:
        """Returns a sentence about changes since the previous hand, shown at the beginning."""
        return ""

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the time limit of a hand in seconds, or None."""
        return config_of(player)["time_limit_seconds"] or None

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the settings and texts for the beginning and the end of a hand."""
        config = config_of(player)
        return {
            **super().js_vars(player),
            "feedback": config["feedback"],
            "last": cls.shown_opening(player).is_last,
            "news": cls.news(player),
            "begin_signal": config["begin_signal"],
            "calls": {"begins": _("Your game begins"), "turn": _("Your turn")},
        }

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the title of the hand, and the contents of the drawers.

        They include nothing else of the opening, because oTree's debug panel shows them and an opening has
        the face-down cards.
        """
        opening, config = cls.shown_opening(player), config_of(player)
        variables = cls.template_vars(player)
        if not config["rules_at_hand"]:
            variables = {"rules": "", **{name: variables[name] for name in ("game", "board", "styles")}}
        return {
            **cls.best_vars(player),
            "hand_title": cls.title(opening),
            "practice": opening.practice,
            "has_sound": config["begin_signal"] == "sound",
            "shared": cls.row(player) is not player,
            "earnings": cls.earnings_sentences(player),
            "purse": cls.purse(player),
            **variables,
        }


class GroupHandPage(HandPage):
    """A hand with several seats: the group owns it, and each player has a ``seat``.

    The app's first round has the instructions, each further one a hand (``cardlab.groups.rounds``). The group
    needs a field ``opening``, "" without a hand.
    """

    texts: GroupTexts

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the opening of the group's hand in this round; None without one."""
        return read_shared_opening(player.group.opening) if player.group.opening else None

    @classmethod
    def row(cls, player: Any) -> Any:
        """Returns the group, which owns the hand."""
        return player.group

    @classmethod
    def payees(cls, seat: Seat, records: Records) -> list[Payee]:
        """Returns the participants of the group, except those who have withdrawn."""
        payee = seat.payee
        if payee is None:
            return []
        with records.otree_rows():
            player = payee.model.objects_get(id=payee.player_id)
            members = cls.row(player).get_players()
            return [payee_of(cls, member) for member in members if not has_withdrawn(member.participant)]

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the player's seat in the group."""
        return str(player.seat)

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns the number of the game, from 1."""
        return rounds.game_number(player)
