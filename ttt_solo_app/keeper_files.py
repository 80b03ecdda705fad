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

from experiment.exports import by_participant, created_ms
from experiment.folds import Unreadable, fold
from experiment.seat import Seat, hand_id
from experiment.store import ON_THE_PAGE, Records
from games.events import Event
from games.record import Opening, read
from games.ttt import keeper_log, rules
from games.ttt.rules import KEEPERS

logger = logging.getLogger("cardlab.keeper_files")

LOGS = Path(__file__).resolve().parent.parent / "logs"


def logs(keeper: str, players: Iterable) -> Iterator[str]:
    """The logs of all participants, one after the other, for the exports."""
    for rounds in by_participant(players).values():
        participant, created = rounds[0].participant, created_ms(rounds[0].session)
        numbers = [player.round_number for player in rounds]
        hands = {number: hand_id(rounds[0], participant.code, number) for number in numbers}
        told = _told(keeper, participant.code, participant.id_in_session, created, hands, ON_THE_PAGE)
        yield from told[1]


def _told(
    keeper: str, code: str, id_in_session: int, created_ms: int, hands: dict[int, str], records: Records
) -> tuple[keeper_log.ParticipantLog | None, list[str]]:
    """A participant's log of all these hands, by their numbers, and the teller to go on with."""
    log, told = None, []
    for number in sorted(hands):
        lines = records.lines(hands[number])
        if not lines:
            continue
        try:
            hand = fold(rules, hands[number], lines)
        except Unreadable:  # it stands as it is in the table of actions
            continue
        opening, events = read([line.text for line in lines])
        log = log or keeper_log.ParticipantLog(keeper, code, id_in_session, opening.hands, created_ms)
        told += log.begin(number, opening.deal, opening.options, hand.shown_ms, events)
    return log, told


class _Files:
    """The two growing files of one participant."""

    def __init__(self, seat: Seat, opening: Opening, records: Records):
        """Tell both logs anew from all that has been played."""
        id_in_session, created = records.participant(seat.key.participant_id)
        day = datetime.fromtimestamp(created / 1000, timezone.utc).date()
        folder, code = LOGS / opening.options["Path"], seat.participant_code
        self._paths = [folder / keeper_log.file_name(keeper, day, code) for keeper in KEEPERS]
        beginning = seat.key.hand.rpartition("-")[0]
        hands = {number: f"{beginning}-{number}" for number in range(1, 1 + opening.hands)}
        told = [_told(keeper, code, id_in_session, created, hands, records) for keeper in KEEPERS]
        self._logs = [log for log, _lines in told]
        self._lines = [lines for _log, lines in told]

    def make(self) -> None:
        for path, lines in zip(self._paths, self._lines):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
            unfinished.replace(path)
        self._lines = []

    def add(self, seat: Seat, events: list[Event], records: Records) -> None:
        number = seat.hand_number
        for path, log in zip(self._paths, self._logs):
            if log.number == number:
                lines = log.go_on(events)
            else:
                opening, so_far = read([line.text for line in records.lines(seat.key.hand)])
                lines = log.begin(number, opening.deal, opening.options, opening.shown_ms, so_far)
            if lines:
                with path.open("a", encoding="utf-8", newline="\n") as file:
                    file.write("".join(f"{line}\n" for line in lines))


_growing: dict[str, _Files] = {}


def grow(seat: Seat, opening: Opening, events: list[Event], records: Records) -> None:
    """Add to a participant's files what has just been added to a record.

    A disk that is full or cannot be written stops no hand: the researcher is told, and the files are
    made anew, whole, as soon as the disk can be written again.
    """
    folder = opening.options["Path"]
    if not folder:
        return
    files = _growing.pop(seat.participant_code, None)
    made_anew = files is None
    if files is None:
        files = _Files(seat, opening, records)
    try:
        if made_anew:
            files.make()
        else:
            files.add(seat, events, records)
    except OSError as error:
        logger.error("ck/nk logs of participant %s in logs/%s: %s", seat.participant_code, folder, error)
        records.tell_researcher(
            seat.key.session_id,
            f"The ck and nk logs in logs/{folder}/ cannot be written ({error.strerror}). Play goes on and "
            "nothing is lost: the logs can be exported, and the files are completed once the disk is free.",
        )
    else:
        _growing[seat.participant_code] = files
