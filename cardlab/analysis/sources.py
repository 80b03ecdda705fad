"""Reads the hands of any number of sources, each hand once: tables of actions, and a game's own logs.

The kind of a file is detected from its content, not from its name. A game that writes logs has a module
``logs`` (``cardlab.analysis.games``) with

``NOUN``
    The name of such a file in messages: ``a ck or nk log``.
``read(lines, name)``
    Returns the contents of a file and the warnings about it. Raises BadFile for a file of another kind.
``hands(contents, warn) -> list[SourceHand]``
    Returns the hands of all files, each once.
``key(hand)``
    Returns a key that is equal for a hand of a table and the same hand of a log.
"""

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from cardlab import folders, seal
from cardlab.analysis import actions_table, games
from cardlab.analysis.actions_table import SeenNames
from cardlab.analysis.folding import check_hand
from cardlab.analysis.progress import show_each
from cardlab.analysis.source_hand import DamagedHand, PlayerKey, SourceHand
from cardlab.analysis.spreadsheet_cells import REMEDY, is_date, is_rounded
from cardlab.analysis.spreadsheets import TableFile, read_first_text, restore_tables
from cardlab.games.contract import BadFile

_P = TypeVar("_P")  # a line, a block or a chunk of a file

TableReader = Callable[[TableFile], Iterator[SourceHand]]
HandKey = Callable[[SourceHand], Hashable]
Warn = Callable[[str], None]

# A heading with one of these belongs to a table of the server, though perhaps the wrong one.
_TABLE_SIGNS = ("session_code", "participant_code", "participant.code")

MAX_NAMED = 10  # damaged hands with a warning of their own

ALL_DAMAGED = "All hands in this file are damaged."

NO_HAND = "This file has no hands: nobody had started to play when it was written."


class DamagePolicy:
    """Excludes and counts damaged hands, with a warning for each of the first ``MAX_NAMED``.

    With ``strict``, a damaged hand is an error. ``count_by_session`` counts the excluded hands.
    """

    def __init__(self, warn: Warn, strict: bool = False) -> None:
        self.count_by_session: Counter[str] = Counter()
        self._warn, self._strict = warn, strict

    def exclude(self, hand: SourceHand, error: DamagedHand) -> None:
        """Counts a damaged hand and warns of it. Raises the error if the policy is strict."""
        if self._strict:
            raise error
        self.count_by_session[hand.cells["session_code"]] += 1
        if self.count_by_session.total() <= MAX_NAMED:
            self._warn(f"{error} The hand was left out.")

    def warn_of_rest(self) -> None:
        """Warns of the number of damaged hands without a warning of their own."""
        unnamed_count = self.count_by_session.total() - MAX_NAMED
        if unnamed_count > 0:
            self._warn(
                f"{unnamed_count} more damaged {'hand was' if unnamed_count == 1 else 'hands were'} left out."
            )


def read_hands(
    paths: Sequence[Path], warn: Warn, read: TableReader | None = None, *, damage: DamagePolicy | None = None
) -> Iterator[SourceHand]:
    """Yields every hand of the sources once: those of tables in order, then those only in logs.

    Of a hand in several tables, such as an export during the session and one at its end, the version with the
    most rows is used. A log adds nothing to a hand of a table. A warning gives the number of merged hands.

    Parameters:
        paths: the files.
        warn: is called with each warning.
        read: reads a table, by default :func:`read_table`.
        damage: the policy for damaged hands of tables, by default to exclude them with a warning.

    Raises:
        BadFile: if a file cannot be read, two tables contradict each other, or no hand is left.
    """
    table_paths = [path for path in paths if is_table(path)]
    logs = _read_logs([path for path in paths if path not in table_paths], warn)
    with restore_tables(table_paths, warn) as tables:
        policy = damage or DamagePolicy(warn)
        found = _merge_hands(str(paths[0]), tables, logs, warn, read or read_table, policy)
        yield from _warn_of_lost_labels(found, warn)


def _merge_hands(
    first_name: str,
    tables: Sequence[TableFile],
    logs: Sequence[tuple[SourceHand, HandKey]],
    warn: Warn,
    read: TableReader,
    damage: DamagePolicy,
) -> Iterator[SourceHand]:
    """Yields the hands of the tables, then those only in logs. Raises BadFile if there are none."""
    merged = _MergedTables(tables, {hand.cells["app"]: key for hand, key in logs} if tables else {})
    cross_check = _CrossCheck(tables)
    has_hands = has_intact_hands = False
    altered: Counter[str] = Counter()  # hands that do not match their digests, by file
    for hand in merged.read_hands(read):
        has_hands = True
        try:
            check_hand(hand)
            cross_check.check(hand)
        except DamagedHand as error:
            damage.exclude(hand, error)
            continue
        has_intact_hands = True
        altered[hand.file] += not hand.is_whole
        yield hand
    damage.warn_of_rest()
    _warn_of_altered(tables, altered, warn)
    repeated = merged.repeated
    for hand, key in logs:
        has_hands = True
        repeated += hand.source_count - 1
        if merged.keys and key(hand) in merged.keys:
            repeated += 1
        else:
            has_intact_hands = True
            yield hand
    if not has_intact_hands:
        raise BadFile(first_name, ALL_DAMAGED if has_hands or repeated else NO_HAND)
    if repeated:
        warn(
            f"{repeated} {'hand was' if repeated == 1 else 'hands were'} merged: found in both "
            "logs of a participant, or in overlapping sources."
        )


def _warn_of_altered(tables: Sequence[TableFile], altered: Mapping[str, int], warn: Warn) -> None:
    """Warns of tables that are not whole: hands differ from their digests, or the table from its seal.

    Damaged hands have their own warnings.
    """
    for name in dict.fromkeys(table.name for table in tables):
        if count := altered[name]:
            what = "1 hand was altered or lacks" if count == 1 else f"{count} hands were altered or lack"
            sentence = f"{what} rows"
        elif seal.compare_with_seal(Path(name)) is False:
            sentence = "This table differs from its seal"
        else:
            continue
        warn(f"{name}: {sentence}. For details, run: {folders.command('analysis verify')} {name}")


def _warn_of_lost_labels(hands: Iterable[SourceHand], warn: Warn) -> Iterator[SourceHand]:
    """Yields the hands, then warns of labels that a spreadsheet has probably replaced."""
    lost: dict[str, str] = {}  # by label where it appears first
    for hand in hands:
        for _code, label, _is_bot in hand.people.values():
            if label not in lost and label[:1].isalnum() and (is_rounded(label) or is_date(label)):
                lost[label] = f"{hand.file}, line {hand.line}"
        yield hand
    for label, place in lost.items():
        warn(
            f"{place}: participant_label is {label}. A spreadsheet has probably replaced the label with a "
            f"rounded number or a date. {REMEDY}"
        )


class _MergedTables:
    """Merges the hands of several tables, so that each appears once.

    ``key_functions`` has by app the function ``key`` of its logs. ``keys`` collects the keys of the hands,
    and ``repeated`` counts the duplicates.
    """

    def __init__(self, tables: Sequence[TableFile], key_functions: Mapping[str, HandKey]) -> None:
        self.repeated = 0
        self.keys: set[Hashable] = set()
        self._tables, self._key_functions = tables, key_functions

    def read_hands(self, read: TableReader) -> Iterator[SourceHand]:
        """Yields each hand once. Raises BadFile."""
        fullest = _find_fullest(self._tables) if len(self._tables) > 1 else None
        seen_names = SeenNames()
        for place, table in enumerate(self._tables):
            for hand in read(table):
                if fullest and fullest[hash(hand.hand_id)].place != place:
                    self.repeated += 1
                    continue
                if not seen_names.add(hand.hand_id):
                    fullest = fullest or _find_fullest(self._tables)  # raises if the copies differ
                    self.repeated += 1
                    continue
                if key := self._key_functions.get(hand.cells["app"]):
                    self.keys.add(key(hand))
                yield hand


class _CrossCheck:
    """Checks that nobody plays a hand twice, or a later hand while one is open."""

    def __init__(self, tables: Sequence[TableFile]) -> None:
        self._tables = tables
        self._played = SeenNames()
        self._last: dict[PlayerKey, int] | None = None  # where each last arrived, read when needed

    def check(self, hand: SourceHand) -> None:
        """Raises DamagedHand for a repeated hand number, or an open hand before a later hand."""
        for played_hand in hand.played:
            if not self._played.add(played_hand):
                raise hand.damage_error(
                    f"Hand {played_hand.hand} of {played_hand.participant} also appears in an earlier "
                    "source, under another hand_id."
                )
        if hand.end is None:
            self._last = _find_last_hands(self._tables) if self._last is None else self._last
            for played_hand in hand.played:
                later = self._last.get(played_hand.who, 0)
                if played_hand.participant in hand.remaining_codes and later > played_hand.hand:
                    raise hand.damage_error(
                        f"The hand dealt here has no row end, although {played_hand.participant} has "
                        f"since played hand {later}."
                    )


def warn_at_end(
    hands: Iterable[SourceHand],
    warn: Warn,
    still_open_means: str = "the outcome is open, and the score is the current one",
) -> Iterator[SourceHand]:
    """Yields the hands, then warns of open hands and of different versions of Card Lab.

    ``still_open_means`` completes the warning about open hands.
    """
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
            "The hands were dealt by different versions of Card Lab "
            f"({', '.join(sorted(versions))}). See the changelog for the differences."
        )


def is_table(path: Path) -> bool:
    """Returns whether the file has the heading of a table of the server.

    Raises BadFile if it is missing, empty, or cannot be read twice (a pipe).
    """
    if path.is_dir():
        raise BadFile(str(path), "This is a folder. Name the files in it.")
    if not path.exists():
        raise BadFile(str(path), "There is no such file.")
    if not path.is_file():
        raise BadFile(str(path), "This file cannot be read twice. Save it to disk first.")
    heading, _line_end, rest = read_first_text(path).partition("\n")
    if not heading.strip() and not rest.strip():
        raise BadFile(str(path), "The file is empty.")
    return any(sign in heading for sign in _TABLE_SIGNS)


def is_log(path: Path) -> bool:
    """Returns whether the file is a log of one of the games."""
    for kind in games.modules("logs"):
        try:
            with _open_text(TableFile.exported(path), errors="replace") as lines:
                kind.read(lines, str(path))
        except BadFile:
            continue
        return True
    return False


def read_table(table: TableFile, also: Sequence[str] = ()) -> Iterator[SourceHand]:
    """Yields the hands of a table of actions. ``also`` names additional required columns. Raises BadFile."""
    with _open_text(table) as lines:
        yield from actions_table.read_hands(lines, table.name, also, table.is_sealed)


class _Fullest(NamedTuple):
    """The version of a hand with the most rows so far.

    ``rows`` is the digest of its rows, ``place`` the index of its table, ``line`` where it begins.
    """

    rows: bytes
    place: int
    line: int


def _find_fullest(tables: Sequence[TableFile]) -> dict[int, _Fullest]:
    """Returns the first version with the most rows of each hand, by the hash of the hand's id.

    Raises BadFile if two versions contradict each other. One may have more rows, but the rows that both have
    must be equal.
    """
    fullest: dict[int, _Fullest] = {}
    for place, table in enumerate(tables):
        with _open_text(table) as lines:
            for digest in actions_table.read_digests(lines, table.name):
                hand = hash(digest.hand_id)
                new_version = _Fullest(digest.rows, place, digest.line)
                old_version = fullest.setdefault(hand, new_version)
                shorter, longer = sorted((old_version.rows, new_version.rows), key=len)
                if not longer.startswith(shorter) or old_version.place == place and longer != shorter:
                    raise BadFile(
                        table.name,
                        f"The hand {digest.hand_id!r} differs from its version in "
                        f"{tables[old_version.place].name}, line {old_version.line}: its deal, settings or "
                        "actions are not the same. Remove the wrong version.",
                        digest.line,
                    )
                if len(new_version.rows) > len(old_version.rows):
                    fullest[hand] = new_version
    return fullest


def _find_last_hands(tables: Sequence[TableFile]) -> dict[PlayerKey, int]:
    """Returns the number of the last hand at which each participant arrived."""
    last_hands: dict[PlayerKey, int] = {}
    for table in tables:
        with _open_text(table) as lines:
            for digest in actions_table.read_digests(lines, table.name):
                for played_hand in digest.played:
                    last_hands[played_hand.who] = max(
                        last_hands.get(played_hand.who, played_hand.hand), played_hand.hand
                    )
    return last_hands


def _read_logs(paths: Sequence[Path], warn: Warn) -> list[tuple[SourceHand, HandKey]]:
    """Returns the hands of the logs, each once, with the function ``key`` of their kind."""
    kinds = games.modules("logs")
    contents: dict[str, list[Any]] = {kind.__name__: [] for kind in kinds}
    for path in paths:
        kind, hands_of_log = _read_log(path, kinds, warn)
        contents[kind.__name__] += hands_of_log
    return [(hand, kind.key) for kind in kinds for hand in kind.hands(contents[kind.__name__], warn)]


def _read_log(path: Path, kinds: Sequence[ModuleType], warn: Warn) -> tuple[ModuleType, list[Any]]:
    """Returns the module that can read a log, and its contents. Raises BadFile if no game can read it."""
    for kind in kinds:
        try:
            with _open_text(TableFile.exported(path), errors="replace") as lines:
                hands, warnings = kind.read(lines, str(path))
        except BadFile:
            continue
        for warning in warnings:
            warn(warning)
        return kind, hands
    if path.suffix.lower() == ".zip":
        raise BadFile(
            str(path), "This command does not read archives. Unpack the ZIP file and name its folder."
        )
    nouns = " nor ".join(kind.NOUN for kind in kinds)
    raise BadFile(str(path), f"This is neither a table of actions (custom_export) nor {nouns}.")


@contextmanager
def _open_text(file: TableFile, errors: str = "strict") -> Iterator[Iterator[str]]:
    """Opens a UTF-8 text file, with or without the byte order mark that Excel needs, and shows progress."""
    with file.path.open("rb") as content:
        lines = show_progress(content, file, lambda _line: content.tell(), every=20_000)
        yield decode_lines(lines, file.name, errors)


def decode_lines(lines: Iterable[bytes], name: str, errors: str = "strict", above: int = 0) -> Iterator[str]:
    """Yields the lines as text. Raises BadFile if one is not in UTF-8.

    ``above`` is the number of lines of the file before them.
    """
    for number, line in enumerate(lines, start=above + 1):
        try:
            # utf-8-sig, which removes the byte order mark, is slow, so only lines with a mark use it.
            yield line.decode("utf-8-sig" if line[:1] == b"\xef" else "utf-8", errors)
        except UnicodeDecodeError:
            raise BadFile(name, "This line is not text in UTF-8. Save the file as UTF-8.", number) from None


def show_progress(
    parts: Iterable[_P], file: TableFile, read: Callable[[_P], int], every: int = 1
) -> Iterable[_P]:
    """Returns the lines, blocks or chunks of a file, and shows on the terminal how much has been read.

    ``read`` returns the number of bytes up to the end of a part. One in ``every`` parts updates the display.
    """
    if not sys.stderr.isatty():
        return parts
    size, name = max(1, file.path.stat().st_size), Path(file.name).name
    return show_each(parts, lambda part: f"Reading {name}: {100 * read(part) // size} %", every)
