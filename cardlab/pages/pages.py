"""Pages that several games share: the hand page, and the comprehension check.

A game's own page says which rules it plays and which row owns the hand; the rest is here. The board
is played over the hand socket (``cardlab.live.hand_socket``); oTree's form only says "on to the next page".
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from gettext import gettext as _
from math import inf
from typing import Any

from otree.api import Page

from cardlab.core.clock import now_ms
from cardlab.core.hand_cache import UnreadableRecord, read_hand
from cardlab.core.number_format import plain
from cardlab.core.transitions import STOPPED
from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.events import BEST_HANDS, EARNINGS, RULES, TUTORIAL_STEP
from cardlab.games.hand import Hand, SeatState
from cardlab.games.record import Opening, is_opening_line, read_event, read_opening
from cardlab.groups import rounds
from cardlab.live import pauses
from cardlab.live.lab import LAB
from cardlab.live.record_store import Payee, Records
from cardlab.live.seat import Playable, Seat, hand_id, payee_of, seat_of_player
from cardlab.pages import texts as words
from cardlab.sessions import completion, money, treatments
from cardlab.sessions.apps import games_of
from cardlab.sessions.arrival import reached_the_end
from cardlab.sessions.config import REQUIRED, config_of, drawn_hand, payoff
from cardlab.sessions.dealing import openings_for


class BoardPage(Playable, Page):
    """A page on which one hand is played. Subclasses set ``rules`` and what differs."""

    @classmethod
    def opening(cls, player) -> Opening | None:
        """The hand of this round for the player, None if the round has none."""
        there = openings_for(player, player.round_number)
        return there[(player.participant.id_in_session - 1) % len(there)] if there else None

    @classmethod
    def hand(cls, player) -> Hand | None:
        """The hand as its record tells, None before it was first shown, or if the record cannot be read."""
        hand_id = cls.hand_id(player)
        try:
            return read_hand(LAB.page_records.end(hand_id), cls.rules, hand_id, LAB.page_records)
        except UnreadableRecord:  # reported to the researcher on connecting (cardlab.live.hand_socket)
            return None

    @classmethod
    def stopped(cls, player) -> bool:
        """Whether the participant stopped in this hand, and plays no further hands of the app."""
        hand = cls.hand(player)
        return hand is not None and hand.seats[cls.seat(player)].stopped

    @staticmethod
    def called() -> str:
        """What participants know a hand as, in their language."""
        return _("hand")

    @classmethod
    def rules_vars(cls, player) -> dict[str, Any]:
        """What the app's ``Rules.html`` is filled in with; nothing that participants may not know."""
        return {}

    # What oTree asks of a page.

    @classmethod
    def is_displayed(cls, player) -> bool:
        return cls.opening(player) is not None

    @classmethod
    def js_vars(cls, player) -> dict[str, Any]:
        participant = player.participant
        return {
            "socket": f"/hand/{participant.code}/{participant._index_in_pages}",
            "hand": cls.hand_number(player),
            "light_up": config_of(player)["light_up"],
        }

    @classmethod
    def error_message(cls, player, values) -> str | None:
        hand = cls.hand(player)
        if hand is None or not hand.is_over_for(cls.seat(player)):
            return _("This hand is not over yet.")
        return None

    @classmethod
    def before_next_page(cls, player, timeout_happened) -> None:
        """Close the hand, or leave it to the others: "advance slowest" and timeouts come here without
        asking error_message."""
        outcome = "timeout" if _past_timeout(player.participant) else "advanced"
        with suppress(UnreadableRecord):  # it stays as it is, and pays nothing
            LAB.service.leave_and_write(seat_of_player(cls, player), outcome, LAB.page_records)


def _past_timeout(participant) -> bool:
    """Whether the page's own time limit is up (oTree says "timeout" of an advanced participant too)."""
    return (
        participant._timeout_page_index == participant._index_in_pages
        and participant._timeout_expiration_time is not None
        and participant._timeout_expiration_time - pauses.time_of(participant) < 2
    )


def _stopped_before(place: SeatState) -> bool:
    """Whether the participant of a seat stopped in an earlier hand: they are not paid for this one."""
    return place.left is not None and place.left.outcome == STOPPED and not place.stopped


PAUSE_SECONDS = 120  # that are left between two hands with a time limit to who has read something new


class HandPage(BoardPage):
    """A hand that counts. Its template extends ``experiment/HandPage.html``."""

    is_hand = True  # an app with a page ``Hand`` of this kind is a game (cardlab.sessions.apps)

    timer_text = _("Time left:")  # oTree sets the language before it imports the apps

    @classmethod
    def pay(cls, seat: Seat, hand: Hand, records: Records) -> None:
        for payee in cls.payees(seat, records):
            name = payee.seat
            if name in hand.seats and hand.is_over_for(name) and not _stopped_before(hand.seats[name]):
                score = hand.result(name).score
                points = payoff(payee.config, hand.opening, payee.id_in_session, score)
                records.set_payoff(payee, points)

    @classmethod
    def payees(cls, seat: Seat, records: Records) -> list[Payee]:
        """Everybody who is paid for the hand of a seat."""
        return [seat.payee]

    @staticmethod
    def title(opening: Opening) -> str:
        """What participants know the hand as: "Hand 3 of 40"."""
        raise NotImplementedError("the game names its hands")

    @staticmethod
    def lowest_score(config: Config) -> float:
        """The lowest score that a hand can have; participants are told which scores earn nothing."""
        return -inf

    @classmethod
    def may_note(cls, name: str) -> bool:
        return name in (RULES, EARNINGS, BEST_HANDS)

    @classmethod
    def best(cls, player) -> list | None:
        """The best hands of the session, where participants may see them (``cardlab.pages.leaderboard``)."""
        return None

    @classmethod
    def news(cls, player) -> str:
        """What is otherwise in this hand than in the one before, as the page says when it begins; else ""."""
        return ""

    @classmethod
    def get_timeout_seconds(cls, player) -> float | None:
        return config_of(player)["time_limit_seconds"] or None

    @classmethod
    def js_vars(cls, player) -> dict[str, Any]:
        config = config_of(player)
        return {
            **super().js_vars(player),
            "feedback": config["feedback"],
            "last": cls.opening(player).is_last,
            "news": cls.news(player),
            "begin_signal": config["begin_signal"],
            "calls": {"begins": _("Your game begins"), "turn": _("Your turn")},
        }

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        # Nothing else of the opening: oTree's debug panel shows these, and it holds what lies face down.
        opening, config, best = cls.opening(player), config_of(player), cls.best(player)
        return {
            "ten_best": best is not None,
            "best": best or [],
            "hand_title": cls.title(opening),
            "practice": opening.practice,
            "shared": cls.row(player) is not player,
            "earnings": money.so_far(config, player, cls.called()) if config["earnings_so_far"] else [],
            **(rules_at_hand(cls, player) if config["rules_at_hand"] else {"rules": ""}),
        }


class GroupHandPage(HandPage):
    """A hand that several play together: the group owns it, and each player has a ``seat`` in it.

    The app's first round has the instructions, each further one a hand (``cardlab.groups.rounds``). The
    group needs its ``opening``, "" where it plays none.
    """

    @classmethod
    def opening(cls, player) -> Opening | None:
        return read_opening(player.group.opening) if player.group.opening else None

    @classmethod
    def row(cls, player) -> Any:
        return player.group

    @classmethod
    def payees(cls, seat: Seat, records: Records) -> list[Payee]:
        with records.otree_rows():
            player = seat.payee.model.objects_get(id=seat.payee.player_id)
            return [payee_of(cls, one) for one in cls.row(player).get_players()]

    @classmethod
    def seat(cls, player) -> str:
        return player.seat

    @classmethod
    def hand_number(cls, player) -> int:
        return rounds.game_number(player)


def rules_at_hand(page: type[BoardPage], player) -> dict[str, Any]:
    """The template that tells the rules of the player's session, as ``rules``, and what it is filled with."""
    return {"rules": f"{player.get_folder_name()}/Rules.html", **page.rules_vars(player)}


class TutorialPage(BoardPage):
    """The instructions, in the first round: step by step, with a board to try that may be dealt again.

    A step is a part of the app's ``Rules.html`` and a task on the board (``_static/<game>/tutorial.js``);
    that it was done is noted in the board's record, as the page tells it. Subclasses set ``STEPS``, the
    names of all; the last is words alone. The player needs ``instructions_done_ms``.
    """

    repeatable = True
    STEPS: tuple[str, ...]

    @classmethod
    def steps(cls, player) -> tuple[str, ...]:
        """The steps that the participant is shown."""
        return cls.STEPS

    @classmethod
    def may_note(cls, name: str) -> bool:
        return name.startswith(TUTORIAL_STEP) and name[len(TUTORIAL_STEP) :] in cls.STEPS

    @classmethod
    def steps_done(cls, player) -> list[str]:
        """The steps that the participant has done, each once; none if the record is damaged."""
        if cls.hand(player) is None:
            return []
        texts = [line.text for line in LAB.page_records.lines(cls.hand_id(player))]
        noted = [read_event(text).tutorial_step for text in texts if not is_opening_line(text)]
        return list(dict.fromkeys(name for name in noted if name))

    @classmethod
    def hand_id(cls, player) -> str:
        return hand_id(player, player.participant.code, "tutorial")

    @classmethod
    def hand_number(cls, player) -> int:
        return 0

    @classmethod
    def is_displayed(cls, player) -> bool:
        return player.round_number == 1

    @classmethod
    def js_vars(cls, player) -> dict[str, Any]:
        required = config_of(player)["tutorial"] == REQUIRED
        return {**super().js_vars(player), "required": required, "done": cls.steps_done(player)}

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        return rules_at_hand(cls, player)

    @classmethod
    def error_message(cls, player, values) -> str | None:
        """The board to try need not be played to its end; but its steps, if the session says so."""
        if config_of(player)["tutorial"] == REQUIRED:
            left = set(cls.steps(player)[:-1]) - set(cls.steps_done(player))
            if left:
                return _("Please do every step of the instructions first.")
        return None

    @classmethod
    def before_next_page(cls, player, timeout_happened) -> None:
        if not timeout_happened:
            player.instructions_done_ms = now_ms()


class PausePage(Page):
    """Between two hands, where something is to be known before the next begins: that the time was over, that
    the practice is. Subclasses set ``hand_page``.

    Where hands have a time limit it goes on by itself in the end, so that nobody waits for who has gone.
    """

    template_name = "experiment/Pause.html"
    hand_page: type[HandPage]
    timer_text = _("It goes on by itself in:")

    @classmethod
    def sentences(cls, player) -> list[str]:
        opening, hand = cls.hand_page.opening(player), cls.hand_page.hand(player)
        if hand is None or opening.is_last:
            return []
        seat, said = cls.hand_page.seat(player), []
        if hand.outcome_for(seat) == "timeout":
            score = plain(hand.result(seat).score)
            over = _("Time is over: this {hand} has ended with the score {score}.")
            said.append(over.format(hand=cls.hand_page.called(), score=score))
        if opening.practice and opening.number == opening.of:
            said.append(_("The practice is over. What follows is paid."))
        return said

    @classmethod
    def is_displayed(cls, player) -> bool:
        return bool(cls.sentences(player)) and not cls.hand_page.stopped(player)

    @classmethod
    def get_timeout_seconds(cls, player) -> float | None:
        return PAUSE_SECONDS if config_of(player)["time_limit_seconds"] else None

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        return {"sentences": cls.sentences(player)}


class ResultsPage(Page):
    """The hands and the earnings, after the last hand. Subclasses set ``hand_page``.

    A game's template extends ``experiment/Results.html`` and fills the block ``hands``; the player needs
    ``results_shown_ms``.
    """

    hand_page: type[HandPage]

    @classmethod
    def is_displayed(cls, player) -> bool:
        opening = cls.hand_page.opening(player)
        return opening is not None and opening.is_last

    @classmethod
    def vars_for_template(cls, player) -> dict[str, Any]:
        if player.field_maybe_none("results_shown_ms") is None:
            player.results_shown_ms = now_ms()
        cls.remember(player)
        config, participant, app = config_of(player), player.participant, player.get_folder_name()
        upcoming = config["app_sequence"][config["app_sequence"].index(app) + 1 :]
        if not upcoming:  # else what follows decides
            reached_the_end(participant)
        told = cls.hands_of(player)
        shown = config["show_earnings"]
        return {
            **told,
            "pay_text": words.of_pay(config, cls.hand_page.called(), cls.hand_page.lowest_score(config))
            if told["rows"] and shown
            else [],
            "show_earnings": shown,
            "earnings": money.earned_in(player, games_of(config), upcoming) if shown else [],
            "more": bool(upcoming),
            "stopped": cls.hand_page.stopped(player),
            **({} if upcoming else completion.completion_of(participant)._asdict()),
        }

    @classmethod
    def before_next_page(cls, player, timeout_happened) -> None:
        cls.remember(player)

    @classmethod
    def remember(cls, player) -> None:
        """Tell the apps that follow how the game went: ``participant.vars["cardlab"]``, by app."""
        played, page = player.in_all_rounds(), cls.hand_page
        hands = [(page.hand(each), page.seat(each)) for each in played]
        results = [hand.result(seat) for hand, seat in hands if hand and not hand.opening.practice]
        told = {
            "score": sum(result.score for result in results),
            "scores": [result.score for result in results],
            "outcomes": dict(Counter(result.outcome for result in results)),
            "payoff": float(sum(each.payoff for each in played)),
            "treatment": treatments.of(player.participant),
        }
        vars = (
            player.participant.vars
        )  # last: oTree keeps what is changed before its next look at the database
        vars["cardlab"] = {**vars.get("cardlab", {}), player.get_folder_name(): told}

    @classmethod
    def hands_of(cls, player) -> dict[str, Any]:
        """The ``rows`` of the hands that may be paid, and the number of the one that is ``drawn``, else 0."""
        config, participant, page = config_of(player), player.participant, cls.hand_page
        hands = [(page.hand(earlier), page.seat(earlier)) for earlier in player.in_all_rounds()]
        paid = [(hand, seat) for hand, seat in hands if hand and not hand.opening.practice]
        drawn = config["pay_hands"] == "one" and config["show_earnings"] and paid
        return {
            "rows": [cls.row_of(player, hand, hand.result(seat)) for hand, seat in paid],
            "drawn": drawn_hand(config, participant.id_in_session, paid[0][0].opening.of) if drawn else 0,
        }

    @staticmethod
    def row_of(player, hand: Hand, result: Result) -> tuple[int, Result, str, str]:
        """A hand in the table of the results: its number, result, score and earned points, which are "" where
        earnings are not shown. Points are turned into money once, in the sum: rounded amounts of the hands
        would not add up to it.
        """
        config, told = config_of(player), (hand.opening.number, result, plain(result.score))
        if not config["show_earnings"]:
            return *told, ""
        points = payoff(config, hand.opening, player.participant.id_in_session, result.score)
        return *told, plain(money.shown(config, points))

    @classmethod
    def ends_session(cls, player) -> bool:
        """Whether no page follows: the participant stopped, and there is no further app."""
        apps = player.session.config["app_sequence"]
        return apps[-1] == player.get_folder_name() and cls.hand_page.stopped(player)

    @classmethod
    def app_after_this_page(cls, player, upcoming_apps) -> str | None:
        """Straight on, past the rounds that have no hand."""
        return upcoming_apps[0] if upcoming_apps else None
