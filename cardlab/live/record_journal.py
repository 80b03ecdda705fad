"""Writes the ends of changed records into the journal of the database (:mod:`cardlab.journal`).

A thread reads them from the database every few seconds. So a move only notes which hand has changed, and the
journal has only committed ends.
"""

from __future__ import annotations

import atexit
import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from otree.database import DB_FILE, IN_MEMORY, engine

from cardlab import journal
from cardlab.core.record_chain import RecordEnd
from cardlab.live.record_store import committed_ends

logger = logging.getLogger("cardlab.server")

INTERVAL_SECONDS = 3.0
END_SECONDS = 10.0  # for the thread to finish what it is writing
MAX_ATTEMPTS = 20  # to find lines in the database; they are missing after a rollback

ReadEnds = Callable[[Iterable[str] | None], Mapping[str, RecordEnd]]


def journal_file() -> Path:
    """Returns the journal of this server's database."""
    on_sqlite = engine.dialect.name == "sqlite"
    return journal.file_of(Path(DB_FILE if on_sqlite else f"{engine.url.database}.sqlite3").resolve())


class RecordJournal:
    """The journal of this server's records.

    ``read_ends`` returns the committed ends of the given hands' records, by hand; with None, of all hands.
    """

    def __init__(self, file: Path, read_ends: ReadEnds = committed_ends) -> None:
        self._file, self._read_ends = file, read_ends
        self._changed: dict[str, tuple[int, int]] = {}  # hand → number of lines, attempts to find them
        self._changes_lock, self._file_lock = threading.Lock(), threading.Lock()
        self._is_ending = threading.Event()

    def note_change(self, hand: str, lines: int) -> None:
        """Notes that the record of a hand will have this number of lines after the commit."""
        with self._changes_lock:
            self._changed[hand] = lines, 0

    def begin(self) -> None:
        """Starts the thread, unless the database is in memory."""
        if not IN_MEMORY:
            thread = threading.Thread(target=self._run, daemon=True, name="journal")
            thread.start()
            atexit.register(self._end, thread)

    def _end(self, thread: threading.Thread) -> None:
        """Ends the thread, whose connections would keep the WAL open at exit, and writes a last time."""
        self._is_ending.set()
        thread.join(END_SECONDS)
        self._write_or_log()

    def _run(self) -> None:
        try:
            self.catch_up()
        except Exception:
            logger.exception("The journal could not be compared with the database.")
        while not self._is_ending.wait(INTERVAL_SECONDS):
            self._write_or_log()

    def catch_up(self) -> None:
        """Notes the hands that have more lines than the journal says, such as after a power cut."""
        journaled = {line.entry.hand: line.entry.lines for line in journal.read(self._file) if line.entry}
        for hand, end in self._read_ends(None).items():
            if end.lines > journaled.get(hand, 0):
                self.note_change(hand, end.lines)

    def write_changes(self) -> None:
        """Appends the committed ends of the records that have changed."""
        with self._file_lock:
            with self._changes_lock:
                changed = self._changed.copy()
            if not changed:
                return
            ends, now = self._read_ends(changed), journal.now_utc()
            committed = {
                hand: ends[hand] for hand, (lines, _) in changed.items() if ends[hand].lines >= lines
            }
            journal.append(self._file, [journal.Entry(now, hand, *end) for hand, end in committed.items()])
            with self._changes_lock:
                for hand, change in changed.items():
                    if self._changed[hand] == change:  # it has not changed meanwhile
                        self._count_attempt(hand, hand in committed)

    def _count_attempt(self, hand: str, is_written: bool) -> None:
        lines, attempts = self._changed.pop(hand)
        if not is_written and attempts < MAX_ATTEMPTS:
            self._changed[hand] = lines, attempts + 1

    def _write_or_log(self) -> None:
        try:
            self.write_changes()
        except Exception:
            logger.exception("The journal could not be written. The server will try again.")
