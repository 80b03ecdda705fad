"""The ck and nk log files of a table of actions, one pair a participant, as the server writes them."""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from analysis import sources
from analysis.command import NAME, count, damage_of, takes_strict, warn
from analysis.folding import settings_in_force, state_of
from analysis.told_hand import ToldHand
from games.contract import BadFile
from games.ttt import APPS, keeper_log, rules
from games.ttt.rules import KEEPERS

HELP = "ck/nk log files from a table of actions, one pair a participant"

NEEDED = ("id_in_session", "hands")  # for the head of a log
_LINES_AT_ONCE = 100_000
_CODE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def declare(one: argparse.ArgumentParser) -> None:
    one.add_argument("actions", metavar="ACTIONS.csv", help="a table of actions (custom_export)")
    one.add_argument(
        "--out", metavar="DIR", type=NAME, required=True, help="where to write; made if it is not there"
    )
    takes_strict(one)


def run(arguments: argparse.Namespace) -> None:
    written = write(Path(arguments.actions), Path(arguments.out), warn, damage_of(arguments))
    print(f"Wrote {count(written, 'log file')} to {arguments.out}")


def write(actions: Path, folder: Path, warn: sources.Warn, damage: sources.Damage | None = None) -> int:
    """Write the logs of all participants of the table ``actions`` to ``folder``; the number of files.

    All of them appear when the table is read to its end, or none. ``damage`` as in
    :func:`analysis.sources.hands`. BadFile if there is no hand in it, or one that is not as the server writes
    it.
    """
    if not sources.is_table(actions):
        raise BadFile(str(actions), "This is no table of actions (custom_export).")
    if folder.exists() and not folder.is_dir():
        raise BadFile(str(folder), "This is no folder; give the name of a folder to write to.")
    there = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
    with tempfile.TemporaryDirectory(dir=there, prefix=".split-") as unfinished:
        files = _Files(Path(unfinished))
        hands = sources.hands([actions], warn, lambda path: sources.table(path, NEEDED), damage=damage)
        for hand in sources.noticed(hands, warn, "their logs end without an end of the hand"):
            files.add(hand)
        files.flush()
        folder.mkdir(parents=True, exist_ok=True)
        for file in Path(unfinished).iterdir():
            os.replace(file, folder / file.name)
    return len(KEEPERS) * len(files.participants)


class _Files:
    """The files under way. Participants take turns in the table, so lines wait until there are many."""

    def __init__(self, folder: Path):
        self.participants: dict[str, _Logs] = {}
        self._folder = folder
        self._waiting: dict[str, list[str]] = {}
        self._lines = 0

    def add(self, hand: ToldHand) -> None:
        state_of(hand, APPS, rules)
        code = hand.participant
        if code not in self.participants:
            self.participants[code] = _Logs(hand)
        for name, lines in self.participants[code].lines(hand):
            self._waiting.setdefault(name, []).extend(lines)
            self._lines += len(lines)
        if self._lines > _LINES_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        for name, lines in self._waiting.items():
            with (self._folder / name).open("a", encoding="utf-8", newline="") as file:
                file.writelines(f"{line}\n" for line in lines)
        self._waiting, self._lines = {}, 0


class _Logs:
    """Both logs of one participant, told hand by hand."""

    def __init__(self, first: ToldHand):
        """``first`` is the participant's first hand; its deal row tells what stands in the head."""
        code, created_ms = first.participant, first.created_ms
        if not _CODE.fullmatch(code):
            raise first.bad(f"{code!r} cannot be a participant's code: it would name a file.")
        day = datetime.fromtimestamp(created_ms / 1000, timezone.utc).date()
        id_in_session, hands = first.whole("id_in_session"), first.whole("hands")
        self._number = 0
        self._logs = {
            keeper_log.file_name(keeper, day, code): keeper_log.ParticipantLog(
                keeper, code, id_in_session, hands, created_ms
            )
            for keeper in KEEPERS
        }

    def lines(self, hand: ToldHand) -> list[tuple[str, list[str]]]:
        """The names of the two files, each with the lines that the hand adds to it, which the rules allow."""
        if hand.number <= self._number:
            raise hand.bad(
                f"Hand {hand.number} of {hand.participant} comes after their hand {self._number}; "
                "a log needs the hands in the order of the export."
            )
        self._number = hand.number
        with settings_in_force(hand):
            return [
                (name, log.begin(hand.number, hand.deal, hand.options, hand.shown_ms, hand.events))
                for name, log in self._logs.items()
            ]
