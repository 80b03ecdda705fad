"""Verifies folders and archives: their tables, the seal, and tables against each other."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cardlab import seal
from cardlab.analysis.verification.finding import Finding
from cardlab.analysis.verification.tables import VerifiedTable, verify_table
from cardlab.games.contract import BadFile

SUMS = "SHA256SUMS"
# The ends of the names of an app's tables, in exports and in archives.
PAIRS = (("_actions.csv", "_hands.csv"), ("_description-actions_data.csv", "_description-hands_data.csv"))


class Verification:
    """Collects findings and notes. ``key`` is the key that signs seals, None if it is unknown."""

    def __init__(self, key: str | None) -> None:
        self.findings: list[Finding] = []
        self.notes: list[str] = []
        self.table_count = self.hand_count = 0
        self._key = key

    def add(self, result: tuple[list[Finding], list[str], int]) -> None:
        """Adds findings, notes and the number of hands of a database."""
        findings, notes, hands = result
        self.findings += findings
        self.notes += notes
        self.hand_count += hands

    def verify_archive(self, path: Path) -> None:
        """Verifies a ZIP file, whose files are named like those of a folder. Raises BadFile."""
        with tempfile.TemporaryDirectory(prefix="card-lab-") as folder:
            try:
                with zipfile.ZipFile(path) as archive:
                    archive.extractall(folder)
            except (zipfile.BadZipFile, OSError, RuntimeError) as error:
                raise BadFile(str(path), f"This ZIP file cannot be read ({error}).") from None
            self.verify_folder(Path(folder), str(path))

    def verify_folder(self, folder: Path, name: str) -> None:
        """Verifies all tables in a folder and its subfolders. ``name`` is the folder's in messages."""
        files = sorted(folder.rglob("*.csv"))
        sums = sorted(folder.rglob(SUMS))
        if not files and not sums:
            raise BadFile(name, "This folder has no tables (.csv).")
        tables = {}
        for file in files:
            tables[file] = self._verify(file, f"{name}/{file.relative_to(folder).as_posix()}")
        sealed = sorted(path.parent for path in folder.rglob(seal.NAME))
        for place in sealed:
            own = {file: table for file, table in tables.items() if file.is_relative_to(place)}
            self._check_seal(place, _name_below(name, folder, place), own, is_complete=True)
        self._compare_pairs(tables)
        if not sealed and any(table.has_digests for table in tables.values()):
            self.notes.append(f"{name} has no seal ({seal.NAME}), so missing hands may stay unnoticed.")
        for file in sums:
            self._check_sums(file, _name_below(name, folder, file.parent))

    def verify_file(self, path: Path) -> None:
        """Verifies one table, also by the seal in its folder."""
        table = self._verify(path, str(path))
        if not table.hands:
            self.notes.append(f"{path} has no hands to verify.")
        elif (path.parent / seal.NAME).exists():
            self._check_seal(path.parent, str(path.parent), {path: table}, is_complete=False)
        elif table.has_digests:
            self.notes.append(f"{path} has no seal beside it, so missing hands may stay unnoticed.")

    def _verify(self, path: Path, name: str) -> VerifiedTable:
        try:
            table = verify_table(path, name)
        except BadFile as error:
            table = VerifiedTable(name)
            table.add(error.line, "", error.message)
        if table.is_actions and not table.has_digests:
            self.notes.append(
                f"{name} is of an earlier version and has no digests. Its hands were replayed; altered times "
                "and missing notes may stay unnoticed."
            )
        self.findings += table.findings
        self.table_count += bool(table.hands)
        self.hand_count += len(table.hands) if table.is_actions else 0
        return table

    def _compare_pairs(self, tables: dict[Path, VerifiedTable]) -> None:
        """Compares the tables of actions and of hands of each app.

        Hands that differ from the seal have their finding already.
        """
        for path, actions in tables.items():
            pair = next((pair for pair in PAIRS if path.name.endswith(pair[0])), None)
            hands = tables.get(path.with_name(path.name.removesuffix(pair[0]) + pair[1])) if pair else None
            if hands and hands.has_digests and actions.has_digests:
                damaged = {each.hand for each in actions.findings if "was damaged" in each.sentence}
                self._compare(actions, hands, damaged | actions.unsealed | hands.unsealed)

    def _compare(self, actions: VerifiedTable, hands: VerifiedTable, explained: set[str]) -> None:
        for one, other in ((actions, hands), (hands, actions)):
            for hand in one.hands.keys() - other.hands.keys() - explained:
                self._add(other.name, None, hand, f"This hand is missing, but is in {one.name}.")
        for hand in actions.hands.keys() & hands.hands.keys():
            if actions.hands[hand][3:] != hands.hands[hand][3:]:
                line = int(hands.hands[hand][0])
                self._add(
                    hands.name, line, hand, f"The end of its record differs from that in {actions.name}."
                )

    def _check_seal(
        self, folder: Path, name: str, tables: dict[Path, VerifiedTable], *, is_complete: bool
    ) -> None:
        """Compares tables with the seal of their folder. With ``is_complete``, no table may be missing."""
        where = f"{name}/{seal.NAME}"
        try:
            content = seal.read_seal(folder) or {}
        except (ValueError, OSError) as error:
            self._add(where, None, "", f"This seal cannot be read ({error}).")
            return
        self._check_signature(where, content)
        by_name = {path.relative_to(folder).as_posix(): (path, table) for path, table in tables.items()}
        sealed: dict[str, Any] = content["tables"]
        for missing in sorted(sealed.keys() - by_name.keys()) if is_complete else ():
            self._add(f"{name}/{missing}", None, "", "This table is missing. The seal has it.")
        for table_name, (path, table) in by_name.items():
            if table_name in sealed:
                self._check_table(path, table, sealed[table_name])
            elif table.has_digests:
                self._add(table.name, None, "", "This table is not in the seal.")

    def _check_signature(self, name: str, content: dict[str, Any]) -> None:
        if self._key is None:
            self.notes.append(f"{name}: The signature was not checked. Name the key with --key FILE.")
        elif not seal.is_signed(content, self._key):
            self._add(
                name, None, "", "The signature is wrong: the seal was altered, or signed with another key."
            )

    def _check_table(self, path: Path, table: VerifiedTable, sealed: dict[str, Any]) -> None:
        """Compares a table with its seal, hand by hand."""
        count = len(self.findings)
        hands = sealed.get("hands") or {}
        for hand in hands.keys() - table.hands.keys():
            self._add(table.name, None, hand, "This hand is missing. The seal has it.")
        if hands:
            table.unsealed = hands.keys() ^ table.hands.keys()
            for hand in table.hands.keys() - hands.keys():
                sentence = "This hand was added. The seal does not have it."
                self._add(table.name, int(table.hands[hand][0]), hand, sentence)
        for hand in hands.keys() & table.hands.keys():
            line, *found = table.hands[hand]
            if difference := _difference(found, hands[hand]):
                self._add(table.name, int(line), hand, difference)
        is_explained = len(self.findings) > count or table.findings
        if not is_explained and seal.hash_file(path) != sealed.get("sha256"):
            self._add(table.name, None, "", "This table differs from its seal.")

    def _check_sums(self, file: Path, name: str) -> None:
        """Compares the files of an archive with its checksums."""
        for line in file.read_text("utf-8", "replace").splitlines():
            digest, _blanks, relative = line.partition("  ")
            path = file.parent / relative
            if not path.is_file():
                self._add(f"{name}/{relative}", None, "", f"This file is missing. {SUMS} has it.")
            elif seal.hash_file(path) != digest:
                self._add(f"{name}/{relative}", None, "", f"This file differs from its checksum in {SUMS}.")

    def _add(self, file: str, line: int | None, hand: str, sentence: str) -> None:
        self.findings.append(Finding(file, line, hand, sentence))


def _name_below(name: str, folder: Path, place: Path) -> str:
    relative = place.relative_to(folder).as_posix()
    return name if relative == "." else f"{name}/{relative}"


def _difference(found: Sequence[Any], sealed: Any) -> str:
    """Returns what differs between a hand and its seal, "" if nothing does."""
    if not isinstance(sealed, list) or len(sealed) < 2:
        return "The seal of this hand cannot be read."
    if found[0] != sealed[0]:
        return f"This hand has {found[0]} rows. The seal has {sealed[0]}."
    if [*map(str, found[1:])] != [*map(str, sealed[1:])]:
        return "This hand was altered: its digests are not those of the seal."
    return ""


def first_lines(findings: Iterable[Finding]) -> list[Finding]:
    """Returns the findings in the order of files and lines, each once; those without a line are last."""
    places = {each: (each.file, each.line is None, each.line or 0, each.hand) for each in findings}
    return sorted(places, key=places.__getitem__)
