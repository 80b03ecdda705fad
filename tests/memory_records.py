"""Stores records in memory with the commit and rollback behaviour of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

from cardlab.core.record_chain import HandKey, RecordEnd, RecordLine, chain
from cardlab.live.lab import LAB


class MemoryRecords:
    """Replaces ``cardlab.live.record_store.Records``.

    ``page_of`` returns the page of a participant, None if they have withdrawn.
    """

    def __init__(self, page_of: Callable[[int], int | None] = lambda _participant_id: None) -> None:
        self.page_of = page_of
        self.kept: dict[str, list[RecordLine]] = {}
        self.added: list[tuple[str, RecordLine]] = []
        self.row_of: Callable[[Any], Any] = lambda payee: payee
        self.payoffs: list[tuple[Any, float]] = []  # of players, set at the next commit
        self.researcher_sentences: list[tuple[int, str]] = []

    def put(self, hand: str, texts: tuple[str, ...]) -> None:
        """Stores a whole record, as if it had been committed."""
        self.kept[hand] = chain(hand, "", texts)

    def lines(self, hand: str) -> list[RecordLine]:
        return self.kept.get(hand, []) + [line for name, line in self.added if name == hand]

    def lines_of_hands(self, hands: list[str]) -> dict[str, list[RecordLine]]:
        return {hand: lines for hand in hands if (lines := self.lines(hand))}

    def end(self, hand: str) -> RecordEnd:
        lines = self.lines(hand)
        return RecordEnd(len(lines), lines[-1].digest) if lines else RecordEnd()

    def end_and_page(self, key: HandKey) -> tuple[RecordEnd, int] | None:
        page = self.page_of(key.participant_id)
        return None if page is None else (self.end(key.hand), page)

    def append(self, key: HandKey, end: RecordEnd, lines: list[RecordLine]) -> None:
        assert self.end(key.hand) == end, "two would be written at one place"
        self.added += [(key.hand, line) for line in lines]

    def tell_researcher(self, session_id: int, sentence: str) -> None:
        self.researcher_sentences.append((session_id, sentence))

    def rows(self, _statement: object, **_values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a query about notices, of which there are none."""
        return []

    def otree_rows(self) -> AbstractContextManager[None]:
        return nullcontext()

    def set_payoff(self, payee: Any, points: float) -> None:
        self.payoffs.append((self.row_of(payee), points))

    def commit(self) -> None:
        for hand, line in self.added:
            self.kept.setdefault(hand, []).append(line)
        for player, points in self.payoffs:
            player.participant.payoff += points - player._payoff
            player._payoff = points
        self.added, self.payoffs = [], []

    def rollback(self) -> bool:
        self.added, self.payoffs = [], []
        return False

    @contextmanager
    def on_the_page(self) -> Iterator[None]:
        """Lets pages and exports use these records within a ``with`` block."""
        with patch.object(LAB, "page_records", self, create=True):
            yield
