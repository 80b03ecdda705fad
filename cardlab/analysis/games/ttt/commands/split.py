"""The command ``split``: writes the ck and nk logs of a table of actions, as the server writes them.

A participant who moved both keepers has both files. Two who played together have one each.
"""

import argparse
import os
import re
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from cardlab.analysis import cli, sources
from cardlab.analysis.folding import final_state, history, reject_malformed_settings
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.contract import BadFile
from cardlab.games.ttt import APPS, board, keeper_log, rules
from cardlab.games.ttt.board import KEEPERS

HELP = "Target the Two: write ck and nk logs from a table of actions"

NEEDED_COLUMNS = ("id_in_session", "hands")  # columns for the head of a log
_MAX_PENDING_LINES = 100_000  # in memory, before they are written
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("actions", metavar="ACTIONS.csv", help="a table of actions (custom_export)")
    cli.add_folder_argument(parser)
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    log_count = write(Path(arguments.actions), Path(arguments.out), cli.warn, cli.damage_policy(arguments))
    print(f"Wrote {cli.format_count(log_count, 'log file')} to {arguments.out}")


def write(actions: Path, folder: Path, warn: sources.Warn, damage: sources.DamagePolicy | None = None) -> int:
    """Writes the logs of all participants of a table to ``folder`` and returns the number of files.

    All files appear after the whole table has been read, or none does. ``warn`` and ``damage`` are like those
    of :func:`cardlab.analysis.sources.read_hands`. Raises BadFile if the table has no hand, or one that is
    not in the server's format.
    """
    if not sources.is_table(actions):
        raise BadFile(str(actions), "This is not a table of actions (custom_export).")
    if folder.exists() and not folder.is_dir():
        raise BadFile(str(folder), "This is not a folder. Name a folder to write to.")
    existing = next(path for path in (folder, *folder.absolute().parents) if path.is_dir())
    with tempfile.TemporaryDirectory(dir=existing, prefix=".split-") as unfinished:
        files = _Files(Path(unfinished))
        hands = sources.read_hands(
            [actions], warn, lambda table: sources.read_table(table, NEEDED_COLUMNS), damage=damage
        )
        for hand in sources.warn_at_end(hands, warn, "the logs have no end of the hand"):
            files.add(hand)
        files.flush()
        if files.left_out:
            hands_were = "1 hand was" if files.left_out == 1 else f"{files.left_out} hands were"
            warn(
                f"{hands_were} left out, because a log names the partner, who had not yet arrived at "
                "the hand."
            )
        folder.mkdir(parents=True, exist_ok=True)
        for file in Path(unfinished).iterdir():
            os.replace(file, folder / file.name)
    return len(files.names)


class _Files:
    """Writes the log files. The hands of participants alternate in the table, so lines are collected.

    ``names`` are the names of the files, ``left_out`` is the number of hands that are in no file.
    """

    def __init__(self, folder: Path):
        self.names: set[str] = set()
        self.left_out = 0
        self._participants: dict[str, _Logs] = {}
        self._folder = folder
        self._waiting: dict[str, list[str]] = {}
        self._lines = 0

    def add(self, hand: SourceHand) -> None:
        state = final_state(hand, APPS, rules)
        hand_state = history(hand, rules).hand
        for seat in rules.seats(state):
            if seat in hand.robots or not keeper_log.is_logged(hand_state, seat):
                continue
            partners = [
                partner for partner in rules.seats(state) if partner != seat and partner not in hand.robots
            ]
            if any(partner not in hand.people for partner in partners):
                self.left_out += 1
            else:
                self._add(hand, seat)
        if self._lines > _MAX_PENDING_LINES:
            self.flush()

    def _add(self, hand: SourceHand, seat: str) -> None:
        """Adds a hand to the logs of the participant in a seat."""
        code = hand.participant_cells(seat)["participant_code"]
        if code not in self._participants:
            self._participants[code] = _Logs(hand, code, seat)
        for name, lines in self._participants[code].lines(hand, seat):
            self.names.add(name)
            self._waiting.setdefault(name, []).extend(lines)
            self._lines += len(lines)

    def flush(self) -> None:
        for name, lines in self._waiting.items():
            with (self._folder / name).open("a", encoding="utf-8", newline="") as file:
                file.writelines(f"{line}\n" for line in lines)
        self._waiting, self._lines = {}, 0


class _Logs:
    """The logs of one participant. ``first`` is the participant's first hand, with the values of the head."""

    def __init__(self, first_hand: SourceHand, code: str, seat: str):
        created_ms = first_hand.created_ms
        self._code = _checked(code, first_hand)
        day = datetime.fromtimestamp(created_ms / 1000, timezone.utc).date()
        self._names = {keeper: keeper_log.file_name(keeper, day, code) for keeper in KEEPERS}
        # 0 for a player in a pair, whose head has the code instead.
        id_in_session = first_hand.whole("id_in_session") if seat == board.SEAT else 0
        identity = code, id_in_session, first_hand.whole("hands"), created_ms
        self._number = 0
        self._logs = {keeper: keeper_log.ParticipantLog(keeper, *identity) for keeper in KEEPERS}

    def lines(self, hand: SourceHand, seat: str) -> list[tuple[str, list[str]]]:
        """Returns the names of the hand's files, each with the lines to add. Raises BadFile."""
        if hand.number <= self._number:
            raise hand.error_at(
                f"Hand {hand.number} of {self._code} comes after hand {self._number}. The hands "
                "must be in the order of the export."
            )
        self._number = hand.number
        codes = {other_seat: _checked(code, hand) for other_seat, (code, *_) in hand.people.items() if code}
        partner = keeper_log.partner_code(seat, codes)
        with reject_malformed_settings(hand):
            hand_data = (hand.number, hand.deal, hand.options, hand.shown_ms, hand.events, partner)
            return [
                (self._names[keeper], self._logs[keeper].begin_hand(*hand_data))
                for keeper in keeper_log.file_keepers(seat)
            ]


def _checked(code: str, hand: SourceHand) -> str:
    """Returns a participant's code. Raises BadFile if it is invalid."""
    if not _CODE.fullmatch(code):
        raise hand.error_at(f"{code!r} is not a valid participant code, so it cannot name a file.")
    return code
