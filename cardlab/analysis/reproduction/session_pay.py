"""Computes the pay of archived participants from the session configs, with the server's own functions."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis.folding import history
from cardlab.analysis.hands import find_game
from cardlab.analysis.source_hand import SourceHand
from cardlab.games import pay
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, DealFile
from cardlab.games.ledger import Ledger, make_ledger
from cardlab.games.treatments import Treatments, config_for_treatment, reread_treatments

_OTREE_PLACES = {"POINTS_DECIMAL_PLACES": 0, "REAL_WORLD_CURRENCY_DECIMAL_PLACES": 2}  # unless set otherwise
Row = Mapping[str, str]


class ArchivedSession(NamedTuple):
    """The materials of an archived session: everything but its tables.

    ``numbers`` are oTree's numbers of the participants and ``statuses`` their statuses, by their codes.
    """

    config: Config
    treatments: Treatments | None
    numbers: Mapping[str, int]
    statuses: Mapping[str, str]

    def config_of(self, app: str, treatment: str) -> Config:
        """Returns the config of an app in a treatment ("" for none)."""
        fields = self.treatments.fields(treatment) if self.treatments and treatment else {}
        return config_for_treatment(self.config, fields, app)


def read_sessions(folder: Path) -> dict[str, ArchivedSession]:
    """Returns the sessions that an archive has in ``materials/``, by their codes. Raises BadFile."""
    sessions = {}
    for file in sorted(folder.rglob("materials/session-*.json")):
        try:
            data = json.loads(file.read_text("utf-8"))
            people = [one for one in data["participants"] if one.get("status") != "withdrawn"]
            files = tuple(DealFile(*each) for each in data.get("treatment_files") or [])
            sessions[data["code"]] = ArchivedSession(
                data["config"],
                reread_treatments(files) if files else None,
                {one["code"]: one["id_in_session"] for one in people},
                {one["code"]: one.get("status") or "" for one in people},
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadFile(str(file), f"This session cannot be read ({error}).") from None
    return sessions


def read_places(folder: Path) -> pay.Places:
    """Returns the decimal places that the archived ``settings.py`` assigns, or those of oTree."""
    values = dict(_OTREE_PLACES)
    for file in folder.rglob("materials/settings.py"):
        with suppress(SyntaxError, ValueError):
            for node in ast.parse(file.read_text("utf-8-sig")).body:
                if isinstance(node, ast.Assign) and isinstance(value := node.value, ast.Constant):
                    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
                    values |= {name: int(str(value.value)) for name in names if name in values}
    return pay.Places(*values.values())


class SessionPay:
    """The pay of all participants, from the hands of each app and the rows of the table ``wide``."""

    def __init__(
        self,
        sessions: Mapping[str, ArchivedSession],
        places: pay.Places,
        hands: Mapping[str, Sequence[SourceHand]],
        wide: Iterable[Row],
    ) -> None:
        self.sessions, self.places = sessions, places
        self._wide = {row["participant.code"]: row for row in wide}
        self._practised = {
            (hand.cells["session_code"], app)
            for app, own_hands in hands.items()
            for hand in own_hands
            if hand.cells["practice"] == "1"
        }
        self._points: dict[tuple[str, str], Decimal] = defaultdict(Decimal)  # by participant and app
        for app, own_hands in hands.items():
            for hand in own_hands:
                self._add_points(app, hand)

    def _add_points(self, app: str, hand: SourceHand) -> None:
        hand_state = history(hand, find_game(hand).rules).hand
        for seat in hand_state.seats:
            cells = self.cells(hand, seat, hand_state.result(seat).score, hand_state.is_over_for(seat))
            if cells:
                self._points[hand.participant_cells(seat)["participant_code"], app] += Decimal(
                    cells["payoff"] or 0
                )

    def cells(self, hand: SourceHand, seat: str, score: int, is_over: bool) -> dict[str, Any]:
        """Returns the cells ``paid`` and ``payoff`` of a seat of a hand; none if the session is unknown."""
        session, code = (
            self.sessions.get(hand.cells["session_code"]),
            hand.participant_cells(seat)["participant_code"],
        )
        if session is None:
            return {}
        if not code:
            return {"paid": "", "payoff": ""}  # of a robot
        config = session.config_of(hand.cells["app"], hand.cells["treatment"])
        number = session.numbers.get(code, 0)
        if not number and config["pay_hands"] != "all":
            return {}  # a withdrawn participant has no number
        place = history(hand, find_game(hand).rules).hand.seats[seat]
        is_paid = pay.is_paid(config, self._place(hand, config), number) and not place.stopped_before
        earned = pay.points_for_score(config, score, self.places.points) if is_paid and is_over else 0
        return {"paid": int(is_paid), "payoff": earned}

    def _place(self, hand: SourceHand, config: Config) -> pay.PlaceInSeries:
        """Returns the place of a hand among the practice hands, which come first, or the paid ones."""
        has_practice = (hand.cells["session_code"], hand.cells["app"]) in self._practised
        practice = config["practice_hands"] if has_practice else 0
        if hand.cells["practice"] == "1":
            return pay.PlaceInSeries(hand.number, practice, True)
        return pay.PlaceInSeries(hand.number - practice, hand.whole("hands") - practice, False)

    def points(self, code: str, app: str) -> Decimal:
        """Returns a participant's points in an app, rounded like oTree's; those of a game from its hands."""
        if (code, app) in self._points:
            return pay.rounded(self._points[code, app], self.places.points)
        cells = [
            cell
            for name, cell in self._wide.get(code, {}).items()
            if name.startswith(f"{app}.") and name.endswith(".player.payoff")
        ]
        return pay.rounded(sum((Decimal(cell or 0) for cell in cells), Decimal(0)), self.places.points)

    def ledger(self, session_code: str, code: str) -> Ledger:
        """Returns a participant's ledger."""
        session, row = self.sessions[session_code], self._wide.get(code, {})
        points = {app: self.points(code, app) for app in session.config["app_sequence"]}
        all_points = pay.rounded(Decimal(row.get("participant.payoff") or 0), self.places.points)
        points[""] = all_points - sum(points.values(), Decimal(0))
        terms = pay.terms(session.config, self.places.money)
        has_arrived = bool(row.get("participant.time_started_utc"))
        if not has_arrived or pay.is_unpaid(session.config, session.statuses[code]):
            terms = terms._replace(fee=Decimal(0), per_point=Decimal(0))
        return make_ledger(terms, points)
