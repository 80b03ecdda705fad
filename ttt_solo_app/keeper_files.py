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
from experiment.folds import Unreadable, fold
from games.events import Event
from games.record import read, read_opening
from games.ttt import keeper_log, rules
from games.ttt.rules import KEEPERS

logger = logging.getLogger("cardlab.keeper_files")

LOGS = Path(__file__).resolve().parent.parent / "logs"


def logs(keeper: str, players: Iterable) -> Iterator[str]:
    """The logs of all participants, one after the other, for the exports."""
    for rounds in by_participant(players).values():
        records = {player.round_number: player.record for player in rounds if player.record}
        participant, created = rounds[0].participant, created_ms(rounds[0].session)
        yield from _told(keeper, participant.code, participant.id_in_session, created, records)[1]


def _told(
    keeper: str, code: str, id_in_session: int, created_ms: int, records: dict[int, str]
) -> tuple[keeper_log.ParticipantLog | None, list[str]]:
    """A participant's log of all these records, by hand number, and the teller to go on with."""
    log, lines = None, []
    for number in sorted(records):
        try:
            fold(rules, records[number])
        except Unreadable:  # it stands as it is in the table of actions
            continue
        opening, events = read(records[number])
        log = log or keeper_log.ParticipantLog(keeper, code, id_in_session, opening.hands, created_ms)
        lines += log.begin(number, opening.deal, opening.options, opening.shown_ms, events)
    return log, lines


class _Files:
    """The two growing files of one participant."""

    def __init__(self, table: str, participant_code: str, number: int, record: str, folder: str):
        """Tell both logs anew from all that has been played, ``record`` included."""
        earlier = store.earlier_hands(table, participant_code)
        records = {**earlier.records, number: record}
        day = datetime.fromtimestamp(earlier.created_ms / 1000, timezone.utc).date()
        self.session_id = earlier.session_id
        self._paths = [
            LOGS / folder / keeper_log.file_name(keeper, day, participant_code) for keeper in KEEPERS
        ]
        told = [
            _told(keeper, participant_code, earlier.id_in_session, earlier.created_ms, records)
            for keeper in KEEPERS
        ]
        self._logs = [log for log, _lines in told]
        self._lines = [lines for _log, lines in told]

    def make(self) -> None:
        for path, lines in zip(self._paths, self._lines):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
            unfinished.replace(path)
        self._lines = []

    def add(self, number: int, record: str, events: list[Event]) -> None:
        for path, log in zip(self._paths, self._logs):
            if log.number == number:
                lines = log.go_on(events)
            else:
                opening, events_so_far = read(record)
                lines = log.begin(number, opening.deal, opening.options, opening.shown_ms, events_so_far)
            if lines:
                with path.open("a", encoding="utf-8", newline="\n") as file:
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
