"""The hands of any number of sources, each once: tables of actions read in parts, and a game's own logs.

What a file is follows from its content, not from its name. A game whose hands other files tell too has a
module ``logs`` (``cardlab.analysis.games``) with

``CALLED``
    What such a file is, in a sentence: ``a ck or nk log``.
``read(lines, name)`` and ``read_moves(blocks, name)``
    What a file tells and the warnings about it, from its lines, or fast, from its bytes, as far as the moves
    go. BadFile if it is no such file.
``hands(told, warn) -> list[ToldHand]``
    The hands of all that was read, each once.
``key(hand)``
    By which a hand of a table is known to be one of a log, equal for both.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple, TypeVar

from cardlab.analysis import actions_table, games
from cardlab.analysis.actions_table import SeenNames
from cardlab.analysis.folding import check_hand
from cardlab.analysis.source_hand import DamagedHand, PlayerKey, SourceHand
from cardlab.games.contract import BadFile

_P = TypeVar("_P")

Warn = Callable[[str], None]
TableReader = Callable[[Path], Iterator[SourceHand]]  # the hands of a table

# A heading with one of these is a table of the server, if perhaps the wrong one.
_TABLE_SIGNS = ("session_code", "participant_code", "participant.code")

_BLOCK_BYTES = 1 << 16

MAX_NAMED = 10  # of damaged hands

ALL_DAMAGED = "All hands in it are damaged."

NO_HAND = "There is no hand in it: nobody had begun to play when it was written."


class DamagePolicy:
    """What becomes of damaged hands: they are left out and named in warnings, the first of them one by one;
    with ``strict`` the first is an error. ``by_session`` counts them."""

    def __init__(self, warn: Warn, strict: bool = False) -> None:
        self.count_by_session: Counter[str] = Counter()
        self._warn, self._strict = warn, strict

    def exclude(self, hand: SourceHand, found: DamagedHand) -> None:
        if self._strict:
            raise found
        self.count_by_session[hand.cells["session_code"]] += 1
        if self.count_by_session.total() <= MAX_NAMED:
            self._warn(f"{found} The hand is left out.")

    def warn_of_rest(self) -> None:
        """Say how many more there were than those that were named."""
        more = self.count_by_session.total() - MAX_NAMED
        if more > 0:
            self._warn(f"And {more} more damaged {'hand was' if more == 1 else 'hands were'} left out.")


def read_hands(
    paths: Sequence[Path],
    warn: Warn,
    read: TableReader | None = None,
    *,
    moves_only: bool = False,
    damage: DamagePolicy | None = None,
) -> Iterator[SourceHand]:
    """Every hand of the sources once: those of tables in their order, then those of logs alone.

    Of a hand that stands in several tables (an export made in mid-session, another at its end) the one
    with the most rows is taken, and BadFile says where two tell it differently; a log adds nothing to a hand
    that a table tells. How many were left out is said in a warning. ``damage`` takes the hands of tables that
    are damaged: they are left out with a warning unless it says otherwise. ``read`` reads a table,
    :func:`read_table` unless another way is given; with ``moves_only`` logs are read fast, for their
    moves. Raises BadFile.
    """
    tables = [path for path in paths if is_table(path)]
    logs = _read_logs([path for path in paths if path not in tables], warn, moves_only)
    damage = damage or DamagePolicy(warn)
    fullest = _find_fullest(tables) if len(tables) > 1 else None
    once, others = SeenNames(), _CrossCheck(tables)
    keys = {hand.cells["app"]: key for hand, key in logs} if tables else {}
    known: set[Any] = set()
    repeated, there, hand = 0, False, None
    for place, path in enumerate(tables):
        for hand in (read or read_table)(path):
            if fullest and fullest[hash(hand.hand_id)].place != place:
                repeated += 1
                continue
            if not once.add(hand.hand_id):
                fullest = fullest or _find_fullest(tables)  # which says if the table tells it differently
                repeated += 1
                continue
            if key := keys.get(hand.cells["app"]):
                known.add(key(hand))
            try:
                check_hand(hand)
                others.check(hand)
            except DamagedHand as found:
                damage.exclude(hand, found)
                continue
            there = True
            yield hand
    damage.warn_of_rest()
    for hand, key in logs:
        repeated += hand.source_count - 1
        if known and key(hand) in known:
            repeated += 1
        else:
            there = True
            yield hand
    if not there:
        raise BadFile(str(paths[0]), ALL_DAMAGED if hand else NO_HAND)
    if repeated:
        warn(
            f"{repeated} {'hand was' if repeated == 1 else 'hands were'} merged: told more than once, by the "
            "ck and the nk log of a participant or by sources that overlap, and taken once."
        )


class _CrossCheck:
    """What hands say of each other: nobody plays on while a hand of theirs is open, or a hand twice."""

    def __init__(self, tables: Sequence[Path]) -> None:
        self._tables = tables
        self._played = SeenNames()
        self._last: dict[PlayerKey, int] | None = None  # the last hand of each participant, if anybody asked

    def check(self, hand: SourceHand) -> None:
        """Damaged if the participants of a hand have played its number before, or a later hand although this
        one is open."""
        for played in hand.played:
            if not self._played.add(played):
                raise hand.damage_error(
                    f"Hand {played.hand} of {played.participant} stands in the sources before, under another "
                    "hand_id."
                )
        if hand.end is None:
            self._last = _find_last_hands(self._tables) if self._last is None else self._last
            for played in hand.played:
                later = self._last[played.who]
                if played.participant in hand.remaining_codes and later > played.hand:
                    raise hand.damage_error(
                        f"The hand dealt here has no row end, although {played.participant} has played hand "
                        f"{later} since."
                    )


def warn_at_end(
    hands: Iterable[SourceHand],
    warn: Warn,
    still_open_means: str = "the outcome is open, the score that of the moment",
) -> Iterator[SourceHand]:
    """The same hands; what whoever reads a table of them should know is warned of at their end."""
    still_open, versions = 0, set()
    for hand in hands:
        yield hand
        if not hand.from_log:
            still_open += hand.end is None
            versions.add(hand.cells.get("card_lab_version", ""))
    if still_open:
        warn(
            f"{still_open} {'hand was' if still_open == 1 else 'hands were'} not over when exported: "
            f"{still_open_means}."
        )
    if len(versions) > 1:
        warn(
            f"The hands were dealt by different versions of Card Lab ({', '.join(sorted(versions))}); "
            "the changelog says what has changed."
        )


def is_table(path: Path) -> bool:
    """Whether the file begins like one of the server's tables. BadFile if it cannot be read, or not twice (a
    pipe), or is empty."""
    if path.is_dir():
        raise BadFile(str(path), "This is a folder; name the files in it.")
    if not path.exists():
        raise BadFile(str(path), "There is no such file.")
    if not path.is_file():
        raise BadFile(str(path), "This is no file that can be read twice; save it first.")
    with path.open("rb") as file:
        heading = file.readline(100_000)
        if not heading.strip() and not file.read(100_000).strip():
            raise BadFile(str(path), "The file is empty.")
    return any(sign.encode() in heading for sign in _TABLE_SIGNS)


def read_table(path: Path, also: Sequence[str] = ()) -> Iterator[SourceHand]:
    """The hands of a table of actions; ``also`` names columns that must be there besides. Raises BadFile."""
    with _open_text(path) as lines:
        yield from actions_table.read_hands(lines, str(path), also)


class _Fullest(NamedTuple):
    """The fullest digest of a hand so far: its rows in short, the table, and the line where it begins."""

    rows: bytes
    place: int
    line: int


def _find_fullest(tables: Sequence[Path]) -> dict[int, _Fullest]:
    """For each hand, by the hash of its id, the first table that has the most rows of it.

    BadFile if two tables tell a hand differently: one may have more of its rows than the other, but those
    that both have must be the same.
    """
    fullest: dict[int, _Fullest] = {}
    for place, path in enumerate(tables):
        with _open_text(path) as lines:
            for digest in actions_table.read_digests(lines, str(path)):
                hand = hash(digest.hand_id)
                new = _Fullest(digest.rows, place, digest.line)
                old = fullest.setdefault(hand, new)
                less, more = sorted((old.rows, new.rows), key=len)
                if not more.startswith(less) or old.place == place and more != less:
                    raise BadFile(
                        str(path),
                        f"The hand {digest.hand_id!r} is told differently in {tables[old.place]}, line "
                        f"{old.line}: its deal, settings or actions are others. Take out what is wrong.",
                        digest.line,
                    )
                if len(new.rows) > len(old.rows):
                    fullest[hand] = new
    return fullest


def _find_last_hands(tables: Sequence[Path]) -> dict[PlayerKey, int]:
    """The number of the last hand of each participant."""
    last: dict[PlayerKey, int] = {}
    for path in tables:
        with _open_text(path) as lines:
            for digest in actions_table.read_digests(lines, str(path)):
                for played in digest.played:
                    last[played.who] = max(last.get(played.who, played.hand), played.hand)
    return last


def _read_logs(
    paths: Sequence[Path], warn: Warn, moves_only: bool
) -> list[tuple[SourceHand, Callable[[SourceHand], Any]]]:
    """The hands of the logs, each once, with the function by which a table's hand is known to be the same."""
    kinds = games.modules("logs")
    told: dict[str, list[Any]] = {kind.__name__: [] for kind in kinds}
    for path in paths:
        kind, found = _read_log(path, kinds, warn, moves_only)
        told[kind.__name__] += found
    return [(hand, kind.key) for kind in kinds for hand in kind.hands(told[kind.__name__], warn)]


def _read_log(
    path: Path, kinds: Sequence[ModuleType], warn: Warn, moves_only: bool
) -> tuple[ModuleType, list[Any]]:
    """Whose log a file is, and what it tells. BadFile if it is nobody's."""
    for kind in kinds:
        try:
            if moves_only:
                with path.open("rb") as file:
                    blocks = iter(lambda: file.read(_BLOCK_BYTES), b"")
                    found, warnings = kind.read_moves(_show_file_progress(blocks, file, path), str(path))
            else:
                with _open_text(path, errors="replace") as lines:
                    found, warnings = kind.read(lines, str(path))
        except BadFile:
            continue
        for warning in warnings:
            warn(warning)
        return kind, found
    others = " nor ".join(kind.CALLED for kind in kinds)
    raise BadFile(str(path), f"This is neither a table of actions (custom_export) nor {others}.")


@contextmanager
def _open_text(path: Path, errors: str = "strict") -> Iterator[Iterator[str]]:
    """The lines of a text file in UTF-8, with or without the mark that Excel wants at its head."""
    with path.open("rb") as file:
        yield decode_lines(_show_file_progress(file, file, path, every=20_000), path, errors)


def decode_lines(
    lines: Iterable[bytes], path: Path | str, errors: str = "strict", above: int = 0
) -> Iterator[str]:
    """The lines as text; ``above`` is how many stand above them. BadFile if one is not in UTF-8."""
    for number, line in enumerate(lines, start=above + 1):
        try:
            # The codec that takes the mark off is slow, and no line but the first should have it.
            yield line.decode("utf-8-sig" if line[:1] == b"\xef" else "utf-8", errors)
        except UnicodeDecodeError:
            raise BadFile(str(path), "This line is no text in UTF-8.", number) from None


def _show_file_progress(
    parts: Iterable[bytes], file: BinaryIO, path: Path, every: int = 1
) -> Iterable[bytes]:
    return show_progress(parts, path, lambda _part: file.tell(), every)


def show_progress(parts: Iterable[_P], path: Path, read: Callable[[_P], int], every: int = 1) -> Iterable[_P]:
    """The lines, blocks or parts of a file, while the terminal shows how much of it is read: ``read`` tells
    so many bytes."""
    return _print_progress(parts, path, read, every) if sys.stderr.isatty() else parts


def _print_progress(parts: Iterable[_P], path: Path, read: Callable[[_P], int], every: int) -> Iterator[_P]:
    size = path.stat().st_size
    shown = ""
    for number, part in enumerate(parts):
        if number % every == 0 and size:
            shown = f"Reading {path.name}: {100 * read(part) // size} %"
            print(f"\r{shown}", end="", file=sys.stderr, flush=True)
        yield part
    print(f"\r{' ' * len(shown)}\r", end="", file=sys.stderr, flush=True)
