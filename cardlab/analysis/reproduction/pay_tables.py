"""Rebuilds the tables of participants and of payments from hands and configs.

Only the columns ``FROM_HANDS`` of the table of participants are rebuilt. Payments for waiting without a
partner are records, and so are the data that are kept to pay a participant who has withdrawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from cardlab.analysis.folding import history
from cardlab.analysis.hands import find_game
from cardlab.analysis.reproduction.session_pay import Row, SessionPay
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import OUTCOMES
from cardlab.games.hand import Hand
from cardlab.games.ledger import FEE, OTHER, ROUNDING, WAITING, in_money
from cardlab.games.pay import ALONE, terms
from cardlab.games.tables import format_utc

FROM_HANDS = (
    *("first_hand_shown_utc", "last_hand_ended_utc", "hands_over", "hands_played_out", "score"),
    *("payoff", "payoff_money", "earnings_total"),
)

Seated = tuple[SourceHand, Hand, str]  # a hand, its last state, and a participant's seat


def participant_rows(
    heading: Sequence[str], rows: Iterable[Row], hands: Iterable[SourceHand], pay: SessionPay
) -> Iterator[list[Any]]:
    """Yields the rows of the table of participants of a game, the heading first."""
    seated = _hands_by_participant(hands)
    yield [*heading]
    for row in rows:
        rebuilt = {**row, **_cells_from_hands(seated[row["participant_code"]]), **_pay_cells(row, pay)}
        yield [rebuilt[name] for name in heading]


def _hands_by_participant(hands: Iterable[SourceHand]) -> dict[str, list[Seated]]:
    seated: dict[str, list[Seated]] = defaultdict(list)
    for hand in hands:
        state = history(hand, find_game(hand).rules).hand
        for seat in state.seats:
            seated[hand.participant_cells(seat)["participant_code"]].append((hand, state, seat))
    return seated


def _cells_from_hands(seated: Iterable[Seated]) -> dict[str, Any]:
    shown = [ms for _hand, state, seat in seated if (ms := state.seats[seat].arrived_ms) is not None]
    ended = [ms for _hand, state, seat in seated if (ms := state.ended_ms_for(seat)) is not None]
    results = [
        state.result(seat)
        for hand, state, seat in seated
        if state.is_over_for(seat) and hand.cells["practice"] != "1"
    ]
    return {
        "first_hand_shown_utc": format_utc(min(shown, default=None)),
        "last_hand_ended_utc": format_utc(max(ended, default=None)),
        "hands_over": len(results),
        "hands_played_out": sum(OUTCOMES[result.outcome].is_goal for result in results),
        "score": sum(result.score for result in results),
    }


def _pay_cells(row: Row, pay: SessionPay) -> dict[str, Any]:
    code, session = row["participant_code"], pay.sessions[row["session_code"]]
    points = pay.points(code, row["app"])
    cells = {
        "payoff": float(points),
        "payoff_money": float(in_money(terms(session.config, pay.places.money), points)),
    }
    if session.statuses[code] != ALONE:
        cells["earnings_total"] = float(pay.ledger(row["session_code"], code).total)
    return cells


def payment_rows(heading: Sequence[str], rows: Iterable[Row], pay: SessionPay) -> Iterator[list[Any]]:
    """Yields the rows of the table of payments, the heading first."""
    yield [*heading]
    for row in rows:
        code, session = row["participant_code"], pay.sessions[row["session_code"]]
        is_record = session.statuses.get(code) in (None, ALONE)
        yield [{**row, **({} if is_record else _amounts(row, pay))}[name] for name in heading]


def _amounts(row: Row, pay: SessionPay) -> Mapping[str, str]:
    ledger = pay.ledger(row["session_code"], row["participant_code"])
    amounts: dict[str, Decimal] = {
        "participation_fee": ledger.amount(FEE),
        "other": ledger.amount(WAITING, OTHER, ROUNDING),
        "total": ledger.total,
    }
    for app, part in ledger.parts.items():
        if f"{app}_points" in row:
            amounts |= {f"{app}_points": part.points, f"{app}_money": part.amount}
    return {name: f"{amount:f}" for name, amount in amounts.items()}
