"""The ck and nk logs of a participant: as lines for the exports, and as files that grow during play.

Where ``[LOGFILE] Path`` is set, each participant's two logs grow in ``logs/<folder>/`` (ruling 5), so
that a lab keeps them even if the database is lost. The record stays the only truth: the first time a
file is touched after a start of the server it is made anew from the records; then lines are added.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path

from experiment import store
from experiment.exports import by_participant, created_ms
from experiment.record import read, read_opening
from games.contract import Event
from games.ttt import keeper_log
from games.ttt.rules import KEEPERS

logger = logging.getLogger("cardlab.keeper_files")

LOGS = Path(__file__).resolve().parent.parent / "logs"


class KeeperLog:
    """One keeper's log of one participant, told record by record."""

    def __init__(self, keeper: str, participant_code: str, id_in_session: int, created_ms: int):
        self.keeper, self.code, self.id, self.created_ms = keeper, participant_code, id_in_session, created_ms
        self._number = 0
        self._writer: keeper_log.HandWriter | None = None

    def lines(self, number: int, record: str, new: Iterable[Event] | None = None) -> list[str]:
        """The lines that a record adds; ``new`` are its latest events, if the hand was begun before."""
        opening, events = read(record)
        told: list[str] = []
        if self._writer is None:
            told += keeper_log.head(self.code, self.id, opening.of, 0)
        if number != self._number or self._writer is None:
            # A hand that was closed before it was shown begins when it was closed.
            shown = opening.shown_ms if opening.shown_ms is not None else events[0].server_ms
            after = self._writer.ms if self._writer else 0
            self._number = number
            self._writer = keeper_log.HandWriter(
                self.keeper,
                number,
                opening.deal,
                opening.options,
                shown - self.created_ms,
                after,
                created_ms=self.created_ms,
            )
            told += self._writer.dealt()
            new = events
        for event in events if new is None else new:
            told += self._writer.event(event)
        return told


def logs(keeper: str, players: Iterable) -> Iterator[str]:
    """The logs of all participants, one after the other, for the exports."""
    for rounds in by_participant(players).values():
        participant = rounds[0].participant
        log = KeeperLog(keeper, participant.code, participant.id_in_session, created_ms(rounds[0].session))
        for player in rounds:
            if player.record:
                yield from log.lines(player.round_number, player.record)


class _Files:
    """The two growing files of one participant."""

    def __init__(self, table: str, participant_code: str, number: int, record: str, folder: str):
        """Make both files anew from what has been played, ``record`` included."""
        story = store.story(table, participant_code)
        records = {**story.records, number: record}
        created_ms = round(story.session_created * 1000)
        day = datetime.fromtimestamp(story.session_created, timezone.utc).date()
        self.session_id = story.session_id
        self._logs = [
            KeeperLog(keeper, participant_code, story.id_in_session, created_ms) for keeper in KEEPERS
        ]
        self._paths = [
            LOGS / folder / keeper_log.file_name(keeper, day, participant_code) for keeper in KEEPERS
        ]
        self._text = [
            "".join(f"{line}\n" for hand in sorted(records) for line in log.lines(hand, records[hand]))
            for log in self._logs
        ]

    def make(self) -> None:
        for path, text in zip(self._paths, self._text):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_text(text, "utf-8")
            unfinished.replace(path)
        self._text = []

    def add(self, number: int, record: str, events: list[Event]) -> None:
        for path, log in zip(self._paths, self._logs):
            lines = log.lines(number, record, events)
            if lines:
                with path.open("a", encoding="utf-8") as file:
                    file.write("".join(f"{line}\n" for line in lines))


_growing: dict[str, _Files] = {}


def grow(table: str, participant_code: str, number: int, record: str, events: list[Event]) -> None:
    """Add to a participant's files what has just been added to a record.

    A disk that is full or cannot be written stops no hand: the researcher is told, and the files are
    made anew, whole, as soon as the disk can be written again.
    """
    folder = read_opening(record.split("\n", 1)[0]).options["Path"]
    if not folder:
        return
    files = _growing.pop(participant_code, None)
    made_anew = files is None
    if files is None:
        files = _Files(table, participant_code, number, record, folder)
    try:
        if made_anew:
            files.make()
        else:
            files.add(number, record, events)
    except OSError as error:
        logger.error("ck/nk logs of participant %s in logs/%s: %s", participant_code, folder, error)
        store.tell_researcher(
            files.session_id,
            f"The ck and nk logs in logs/{folder}/ cannot be written ({error.strerror}). Play goes on and "
            "nothing is lost: the logs can be exported, and the files are completed once the disk is free.",
        )
    else:
        _growing[participant_code] = files
