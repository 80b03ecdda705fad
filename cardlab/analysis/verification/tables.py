"""Verifies a table: each row by its digest, each hand by its length and by the rules of its game."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from cardlab.analysis import sources
from cardlab.analysis.actions_table import COLUMNS
from cardlab.analysis.folding import check_hand, history
from cardlab.analysis.source_hand import DamagedHand, SourceHand
from cardlab.analysis.spreadsheets import TableFile
from cardlab.analysis.verification.finding import Finding
from cardlab.analysis.verification.hand_rows import CellCheck, ChainCheck, Row, chain_faults
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_app
from cardlab.games.tables import UNREADABLE
from cardlab.row_chain import COLUMN, HAND, RowChain, has_digests

REWRITTEN = (
    "No hand begins with a row that matches its digest. A column was added, removed, renamed or moved, or a "
    "program has rewritten the cells. Use the file as exported."
)


MAX_HANDS = 1000  # of a participant; a game under review counts as a hand with a higher number

PlayedNumbers = dict[tuple[str, str, str], dict[int, tuple[int, str]]]  # player → number → line, hand_id


@dataclass
class VerifiedTable:
    """The result for a table.

    Attributes:
        name: The file, as messages name it.
        findings: What is wrong.
        hands: By hand, its line, number of rows, last digest, and the end of its record if the table has it.
        has_digests: Whether its rows have digests.
        is_actions: Whether it is a table of actions.
        unsealed: The hands that only the table has, or only its seal.
    """

    name: str
    findings: list[Finding] = field(default_factory=list)
    hands: dict[str, list[str | int]] = field(default_factory=dict)
    has_digests: bool = False
    is_actions: bool = False
    unsealed: set[str] = field(default_factory=set)

    def add(self, line: int | None, hand: str, sentence: str) -> None:
        """Adds a finding."""
        self.findings.append(Finding(self.name, line, hand, sentence))


def verify_table(path: Path, name: str) -> VerifiedTable:
    """Verifies a table with a column ``hand_id``; one without it has no findings. Raises BadFile."""
    table = VerifiedTable(name)
    csv.field_size_limit(2**31 - 1)  # a record is one cell
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            heading_line = text.readline()
            separator = max(",;\t", key=heading_line.count)
            heading = next(csv.reader([heading_line], delimiter=separator), [])
            if HAND not in heading:
                return table
            table.has_digests, table.is_actions = has_digests(heading), {*COLUMNS} <= {*heading}
            _HandChecks(table, heading).check(csv.reader(text, delimiter=separator))
    except UnicodeDecodeError:
        raise BadFile(name, "This file is not text in UTF-8.") from None
    except csv.Error as error:
        raise BadFile(name, f"This file is not valid CSV ({error}).") from None
    if table.is_actions:
        _check_play(table, path)
    return table


class _HandChecks:
    """Checks the hands of a table one after the other."""

    def __init__(self, table: VerifiedTable, heading: Sequence[str]) -> None:
        self._table, self._heading = table, heading
        self._chain = RowChain(heading) if table.has_digests else None
        self._cell_check = CellCheck(heading)
        self._hand_place = heading.index(HAND)
        self._digest_place = heading.index(COLUMN) if table.has_digests else 0
        self._ends = [heading.index(name) for name in ("record_lines", "record_digest") if name in heading]
        self._wrong_beginnings: list[Finding] = []  # altered first rows, which a changed heading causes too

    def check(self, reader: Any) -> None:
        """Checks all rows; ``reader`` is a ``csv.reader`` of the lines after the heading."""
        for hand, group in groupby(self._rows(reader), key=lambda row: row.cells[self._hand_place]):
            rows = [*group]
            if hand in self._table.hands:
                line = self._table.hands[hand][0]
                self._table.add(rows[0].line, hand, f"This hand also has rows from line {line}.")
            if self._chain:
                self._check_chain(hand, rows)
            for fault in self._cell_check.faults(hand, rows):
                self._table.add(fault.line, hand, fault.sentence)
            self._note_end(hand, rows)
        self._summarize_beginnings()

    def _rows(self, reader: Any) -> Iterator[Row]:
        """Yields the rows of the right length."""
        for cells in reader:
            line = reader.line_num + 1  # the heading is read before
            if len(cells) == len(self._heading):
                yield Row(line, cells)
            elif cells:
                sentence = f"This row has {len(cells)} cells, but the heading has {len(self._heading)}."
                self._table.add(line, "", sentence)

    def _check_chain(self, hand: str, rows: Sequence[Row]) -> None:
        assert self._chain
        check = ChainCheck(self._chain, self._digest_place, rows)
        for fault in chain_faults(check, rows[-1].line, self._expected_rows(rows)):
            finding = Finding(self._table.name, fault.line, hand, fault.sentence)
            if fault.line == rows[0].line and fault.line in check.unexplained:
                self._wrong_beginnings.append(finding)
            self._table.findings.append(finding)

    def _expected_rows(self, rows: Sequence[Row]) -> int | None:
        """Returns the number of rows that a hand should have, None if it is unknown."""
        cells = rows[0].cells
        if not self._table.is_actions or not self._ends or not cells[self._ends[0]].isdecimal():
            return None
        return int(cells[self._ends[0]])

    def _note_end(self, hand: str, rows: Sequence[Row]) -> None:
        _line, count, *_rest = self._table.hands.get(hand, [rows[0].line, 0])
        digest = rows[-1].cells[self._digest_place] if self._chain else ""
        ends = [rows[0].cells[place] for place in self._ends]
        self._table.hands[hand] = [rows[0].line, int(count) + len(rows), digest, *ends]

    def _summarize_beginnings(self) -> None:
        """Replaces the findings about all first rows by one about the table."""
        if len(self._wrong_beginnings) == len(self._table.hands) > 1:
            first_rows = {*self._wrong_beginnings}
            self._table.findings = [each for each in self._table.findings if each not in first_rows]
            self._table.findings.insert(0, Finding(self._table.name, 1, "", REWRITTEN))


def _check_play(table: VerifiedTable, path: Path) -> None:
    """Replays the hands of a table of actions, and compares them with each other."""
    numbers: PlayedNumbers = defaultdict(dict)
    unnamed: dict[str, tuple[str, str, int, int]] = {}
    try:
        for hand in sources.read_table(TableFile.exported(path)):
            line = hand.line or 0
            if hand.cells["action"] == UNREADABLE:
                table.add(line, hand.hand_id, "The record of this hand was damaged when it was exported.")
                continue
            try:
                check_hand(hand)
                if seats := _count_unnamed_seats(hand):
                    unnamed[hand.hand_id] = hand.cells["session_code"], hand.cells["app"], hand.number, seats
            except DamagedHand as error:
                table.add(line, hand.hand_id, error.message)
            for played in hand.played:
                other_line, other = numbers[played.who].setdefault(played.hand, (line, hand.hand_id))
                if other != hand.hand_id:
                    sentence = f"{played.participant} has another hand {played.hand} in line {other_line}."
                    table.add(line, hand.hand_id, sentence)
    except BadFile as error:
        table.add(error.line, "", error.message)
    _check_numbers(table, numbers, unnamed)


def _count_unnamed_seats(hand: SourceHand) -> int:
    """Returns how many participants of a hand have no row in it, because it ended before they came."""
    game = games_by_app().get(hand.cells["app"])
    if game is None or hand.participant:
        return 0
    return len(history(hand, game.rules).hand.seats.keys() - hand.robots.keys() - hand.people.keys())


def _check_numbers(
    table: VerifiedTable, numbers: PlayedNumbers, unnamed: Mapping[str, tuple[str, str, int, int]]
) -> None:
    """Finds hands that are missing between the hands of a participant.

    A participant may have an unnamed seat of a hand with this number: of their own group, or if groups
    change, of any group. ``unnamed`` has session, app, number and unnamed seats by hand.
    """
    groups = {
        who: {_group_of(hand) for number, (_line, hand) in played.items() if number <= MAX_HANDS}
        for who, played in numbers.items()
    }
    regrouped = {(session, app) for (session, app, _person), own in groups.items() if len(own) > 1}

    def place(session: str, app: str, number: int, group: str) -> tuple[str, str, int, str]:
        return session, app, number, "" if (session, app) in regrouped else group

    seats: Counter[tuple[str, str, int, str]] = Counter()
    for hand, (session, app, number, count) in unnamed.items():
        seats[place(session, app, number, _group_of(hand))] += count
    gaps = [
        (who, number, place(*who[:2], number, next(iter(groups[who]), "")))
        for who, played in numbers.items()
        for number in _missing_numbers(played)
    ]
    wanted = Counter(seat for _who, _number, seat in gaps)
    for who, number, seat in gaps:
        if wanted[seat] > seats[seat]:
            played = numbers[who]
            line, hand = played[min(later for later in played if later > number)]
            table.add(line, hand, f"Hand {number} of {who[2]} is missing before this one.")


def _group_of(hand: str) -> str:
    """Returns the group in the id of a hand, which is the same in each round until groups change."""
    return hand.rpartition("-")[0].rpartition("-")[2]


def _missing_numbers(played: Collection[int]) -> list[int]:
    numbered = [number for number in played if 0 < number <= MAX_HANDS]
    return sorted({*range(1, max(numbered, default=1))} - {*played})
