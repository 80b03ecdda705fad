"""Builds the table of pairs of Target the Two: a row for each pair and block of hands.

A row has all measures of a participant, computed over the pair's joined hands (``cardlab.games.ttt.joint``),
the measures that only pairs have, and each member's training: the show files and the usual route.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cardlab.analysis.report.data import ReportData
from cardlab.games.columns import GuardedText, Integer, Number, measure_columns
from cardlab.games.events import PERSON
from cardlab.games.statistics import Row
from cardlab.games.tables import PARTICIPANT_ID_COLUMNS, guard_formula
from cardlab.games.ttt import board, joint, performance

IDENTITY = {
    "session_code": PARTICIPANT_ID_COLUMNS["session_code"],
    "pair": Integer("number of the pair in the session, in order of meeting"),
    "block": Integer("the block of hands; empty in the row for all blocks of a pair"),
    "cluster": Integer("number of the participants who have met directly or through others"),
    **{
        f"{keeper}_{name}": meaning
        for keeper in ("ck", "nk")
        for name, meaning in (
            ("participant_code", "code of the player; empty for a robot"),
            ("participant_label", GuardedText("label of the player")),
        )
    },
    "condition": "the condition of the two; `one + other` if they differ",
    "robot": "name of the robot; else empty",
    "show_file": "files of the pair's hands, separated by `; `",
    **{
        f"{keeper}_{name}": meaning
        for keeper in ("ck", "nk")
        for name, meaning in (
            (
                "trained_with",
                "files of the player's hands in earlier blocks; empty in the first block and for a robot",
            ),
            (
                "route",
                "route that solved most of the player's earlier hands in which both compete",
            ),
        )
    },
    "partners": "`kept` (together in the previous block), `new`, or `again` (together earlier); empty in "
    "their first block",
    "first_hand": Integer("number of the pair's first hand that counts, including practice"),
    "last_hand": Integer("number of the pair's last hand"),
}  # fmt: skip

ROBOT = "robot "  # precedes the name of a robot among the members; no participant code has a space

RECOVERY = {
    "lost_after_change": Number(
        f"mean `pair_moves_lost` of the block's first {joint.LAST} hands minus that of the last {joint.LAST} "
        "that each player had before; empty in their first block"
    ),
    "seconds_after_change": Number("as `lost_after_change`, for `seconds_per_move`"),
}
RECOVERS = dict(zip(RECOVERY, ("moves_lost", "seconds_per_move")))  # the columns from which they are computed


@dataclass(eq=False)
class Pair:
    """A pair of players with their joined ``hands`` of all blocks in order.

    ``members`` are participants' codes or a robot's name. ``number`` counts the pairs of a session from 1.
    """

    session: str
    number: int
    members: frozenset[str]
    cluster: int
    hands: list[Row] = field(default_factory=list)

    @property
    def people(self) -> list[str]:
        """The codes of the members who are not robots."""
        return sorted(member for member in self.members if not member.startswith(ROBOT))

    def blocks(self) -> dict[Any, list[Row]]:
        """Returns the hands by block."""
        rows_by_block: dict[Any, list[Row]] = {}
        for hand in self.hands:
            rows_by_block.setdefault(hand["block"], []).append(hand)
        return rows_by_block


def has_pairs(data: ReportData) -> bool:
    """Returns whether two players played any of the hands that count."""
    return bool(data.counted["seat"].isin(board.KEEPERS).any())


def find_pairs(data: ReportData) -> list[Pair]:
    """Returns the pairs, session by session in the order of their first hands.

    The hands have further cells, such as ``members`` by keeper, and ``place``, the number of the hand in the
    pair.
    """
    pairs_by_key: dict[Any, Pair] = {}
    for session, cluster, hand in _hands(data):
        members = frozenset(hand["members"].values())
        number = sum(other_session == session for other_session, _members in pairs_by_key) + 1
        pair = pairs_by_key.setdefault((session, members), Pair(session, number, members, cluster))
        pair.hands.append(hand)
    for pair in pairs_by_key.values():
        pair.hands = [
            {**hand, "place": place} for place, hand in enumerate(joint.add_own_routes(pair.hands), 1)
        ]
    return list(pairs_by_key.values())


def _hands(data: ReportData) -> Iterator[tuple[str, int, Row]]:
    """Yields session, cluster and joined row of each hand of two players that counts for either."""
    counted_hands = data.counted[data.counted["seat"].isin(board.KEEPERS)]
    numbers = {
        hand_id: (int(number), int(group))
        for hand_id, number, group in zip(
            counted_hands["hand_id"], counted_hands["number"], counted_hands["group"]
        )
    }
    seats: dict[str, dict[str, Row]] = {}
    pair_rows = data.all_hands[data.all_hands["hand_id"].isin(numbers.keys())]
    for row in pair_rows.to_dict("records"):
        seats.setdefault(row["hand_id"], {})[row["seat"]] = row
    complete_hands = [
        (hand_id, rows_by_seat)
        for hand_id, rows_by_seat in seats.items()
        if len(rows_by_seat) == len(board.KEEPERS)
    ]
    sessions = list(
        dict.fromkeys(rows_by_seat["ck"]["session_code"] for _hand_id, rows_by_seat in complete_hands)
    )
    in_order = sorted(
        complete_hands, key=lambda item: (sessions.index(item[1]["ck"]["session_code"]), _hand(item[1]["ck"]))
    )
    for hand_id, rows_by_seat in in_order:
        number, group = numbers[hand_id]
        hand = joint.join_rows(rows_by_seat) | {
            "number": number,
            "members": {keeper: _member(keeper, rows_by_seat) for keeper in board.KEEPERS},
            "labels": {keeper: rows_by_seat[keeper]["participant_label"] for keeper in board.KEEPERS},
            "conditions": {keeper: rows_by_seat[keeper]["condition"] for keeper in board.KEEPERS},
        }
        yield rows_by_seat["ck"]["session_code"], group, hand


def _member(keeper: str, seats: Mapping[str, Row]) -> str:
    """Returns the code of the participant who plays a keeper, or ``ROBOT`` and the robot's name."""
    robot = seats[board.other(keeper)]["partner"]
    return seats[keeper]["participant_code"] if robot in (PERSON, "") else f"{ROBOT}{robot}"


def hands_by_person(all_pairs: Iterable[Pair]) -> dict[tuple[str, str], list[Row]]:
    """Returns the hands of each person in order, by session and code."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for pair in all_pairs:
        for member in pair.people:
            found[pair.session, member] += pair.hands
    return {person: sorted(hands, key=_hand) for person, hands in found.items()}


def join_rows(seats: Mapping[str, Row]) -> Row:
    """Returns the joined row of a hand, or the row of one member if the other's does not count."""
    return joint.join_rows(seats) if len(seats) == len(board.KEEPERS) else next(iter(seats.values()))


def build_rows(all_pairs: Sequence[Pair], thresholds: Any) -> list[Row]:
    """Returns the rows of the table, pair by pair."""
    by_person, rows = hands_by_person(all_pairs), []
    for pair in all_pairs:
        blocks = pair.blocks()
        for block, hands in [*blocks.items(), *([("", pair.hands)] if len(blocks) > 1 else [])]:
            earlier_hands = {
                member: [hand for hand in by_person[pair.session, member] if _hand(hand) < _hand(hands[0])]
                for member in pair.people
            }
            rows.append(_row(pair, block, hands, earlier_hands, thresholds))
    return rows


def _row(
    pair: Pair, block: Any, hands: list[Row], earlier_hands: Mapping[str, list[Row]], thresholds: Any
) -> Row:
    """Returns the row for hands of a pair. ``earlier_hands`` has the earlier hands of each person."""
    first_hand = hands[0]
    routes = {
        f"{keeper}_route": joint.most_played(earlier_hands.get(member, ()))
        for keeper, member in first_hand["members"].items()
    }
    row: Row = {
        "session_code": pair.session,
        "pair": pair.number,
        "block": block,
        "cluster": pair.cluster,
        "condition": " + ".join(sorted({*first_hand["conditions"].values()} - {""})),
        "robot": "".join(member.removeprefix(ROBOT) for member in pair.members - set(pair.people)),
        "show_file": _files(hands),
        **routes,
        "first_hand": _hand(first_hand),
        "last_hand": _hand(hands[-1]),
    }
    for keeper, member in first_hand["members"].items():
        row |= {
            f"{keeper}_participant_code": member if member in earlier_hands else "",
            f"{keeper}_participant_label": guard_formula(first_hand["labels"][keeper]),
            f"{keeper}_trained_with": _files(earlier_hands.get(member, ())),
        }
    with_routes = [hand | routes for hand in hands]
    for measure in (*performance.MEASURES.participant_measures, *joint.MEASURES):
        row[measure.__name__] = measure(with_routes, thresholds)
    if block != "" and all(earlier_hands.values()):
        row["partners"] = _partners(pair, hands, earlier_hands)
        for name, column in RECOVERS.items():
            row[name] = joint.cost_of_change(hands, list(earlier_hands.values()), column)
    return row


def _partners(pair: Pair, hands: Sequence[Row], earlier_hands: Mapping[str, Sequence[Row]]) -> str:
    if hands[0]["place"] == 1:
        return "new"
    last_members = [set(own_hands[-1]["members"].values()) for own_hands in earlier_hands.values()]
    return "kept" if all(members == pair.members for members in last_members) else "again"


def _hand(row: Row) -> int:
    return int(row["hand"])


def _files(hands: Iterable[Row]) -> str:
    return "; ".join(dict.fromkeys(hand["show_file"] for hand in hands if hand["show_file"]))


def columns() -> dict[str, str]:
    """Returns the columns of the table with their meanings."""
    return {
        **IDENTITY,
        **measure_columns((*performance.MEASURES.participant_measures, *joint.MEASURES)),
        **RECOVERY,
    }
