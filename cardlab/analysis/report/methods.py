"""Writes the methods section: data, intervals, tests, thresholds, software and files."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
import scipy

import cardlab
from cardlab.analysis.exclusions import PARTICIPANTS
from cardlab.analysis.inference.clusters import DRAWS, LEVEL, MIN_CLUSTERS, SEED
from cardlab.analysis.report.captions import format_count
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, one_row_per_hand
from cardlab.analysis.report.page import Section

_LIBRARIES = (("NumPy", np), ("pandas", pd), ("SciPy", scipy), ("matplotlib", mpl))


class Command(NamedTuple):
    """How the report was made: the input files, the options without the folder, and the preregistration.

    ``name`` has the command and the arguments before the input files. Those that are files are paths.
    """

    sources: Sequence[Path] = ()
    options: Sequence[str] = ()
    preregistration: Path | None = None
    name: Sequence[str | Path] = ("report",)

    def words(self, name: Callable[[Path], str]) -> list[str]:
        """Returns the command and its arguments; ``name`` gives the name of a file."""
        command = [name(word) if isinstance(word, Path) else word for word in self.name]
        frozen = ["--preregistration", name(self.preregistration)] if self.preregistration else []
        return [*command, *map(name, self.sources), *self.options, *frozen]


def build_methods_section(data: ReportData, command: Command) -> Section:
    """Builds the section with the methods, one paragraph for each."""
    paragraphs = (
        describe_data(data),
        describe_inference(data, bool(command.preregistration) or command.name[0] != "report"),
        _describe_thresholds(data),
        _describe_software(data),
        _describe_files(command),
    )
    return Section("Methods", "\n\n".join(filter(None, paragraphs)))


def describe_data(data: ReportData) -> str:
    """Returns how many participants and hands there are, and which hands do not count."""
    hands = one_row_per_hand(data.hands)
    practice = hands["practice"].eq(1)
    is_open = ~practice & (hands["outcome"].eq("open") | hands["client_seconds"].isna())
    by_plan = ~practice & ~is_open & hands["place"].isna()
    rules = data.exclusions
    excluded = int(rules.loc[rules["table"] == PARTICIPANTS, "excluded"].sum())
    damaged = int(data.quality["damaged"].sum()) if "damaged" in data.quality else 0
    left_out = [
        (int(practice.sum()), "practice"),
        (int(is_open.sum()), "not over"),
        (int(by_plan.sum()), "excluded by the preregistration"),
        (damaged, "damaged"),
    ]
    reasons = ", ".join(f"{count:,} {name}" for count, name in left_out if count)
    groups = data.hands["group"].nunique()
    unit = (
        "The independent observations are the participants."
        if groups == len(data.hands[PARTICIPANT_KEY].drop_duplicates())
        else f"The independent observations are {format_count(groups, 'group')} of participants who met, "
        "directly or through others, or are the same person."
    )
    return (
        f"{data.game.title}: {format_count(len(data.participants), 'participant')} in "
        f"{format_count(data.hands['condition'].nunique(), 'condition')}, "
        f"{format_count(len(one_row_per_hand(data.counted)), 'hand')}. "
        f"Hands left out: {reasons or 'none'}. "
        f"{f'Participants excluded by the preregistration: {excluded:,}. ' if excluded else ''}{unit}"
    )


def describe_inference(data: ReportData, is_planned: bool = False) -> str:
    """Returns the methods of intervals and tests, with their literature.

    Tests are those of conditions, and with ``is_planned`` also comparisons within persons.
    """
    intervals = (
        f"Intervals have the level {LEVEL:.2f}. Those of means come from a bootstrap over independent "
        f"observations ({DRAWS:,} draws, seed {SEED}), with percentiles expanded for few of them "
        f"(Hesterberg, 2015); with fewer than {MIN_CLUSTERS}, from Student’s t. Those of shares are "
        "Wilson’s, with the effective sample size if participants have several values, or each observation "
        f"as one value if all agree or there are fewer than {MIN_CLUSTERS}."
    )
    tests = (
        "Conditions are compared by Welch’s t over independent observations, corrected for skewness (Hall, "
        f"1992). Its p comes from {DRAWS:,} permutations (seed {SEED}), or all if there are fewer, and from "
        "Welch’s t distribution if permutations are too few. If participants are in both conditions, the "
        "paired t and its distribution are used, with one degree of freedom fewer, because the skewness "
        "is estimated, too. Each interval has the differences that its test does not reject; that of a "
        "share that varies in neither condition is Newcombe’s (1998). p is adjusted "
        "within families of measures (Holm, 1979)."
    )
    is_compared = is_planned or data.counted["condition"].nunique() > 1
    return f"{intervals} {tests}" if is_compared else intervals


def _describe_thresholds(data: ReportData) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in data.thresholds._asdict().items() if value)
    return f"Thresholds of measures: {values}." if values else ""  # 0 means the threshold of the design


def _describe_software(data: ReportData) -> str:
    libraries = ", ".join(f"{name} {library.__version__}" for name, library in _LIBRARIES)
    recorded = sorted({str(version) for version in data.hands["card_lab_version"].dropna() if version})
    played = f" The hands were recorded by Card Lab {', '.join(recorded)}." if recorded else ""
    return (
        f"Computed with Card Lab {cardlab.__version__}, Python {platform.python_version()}, "
        f"{libraries}.{played}"
    )


def _describe_files(command: Command) -> str:
    if not command.sources:
        return ""
    files = "; ".join(f"{path.name} (SHA-256 {_hash_file(path)})" for path in command.sources)
    return f"Command: {command_line(command)}. Data: {files}."


def command_line(command: Command) -> str:
    """Returns the command that makes the report again, with the names of files instead of their paths."""
    words = (f'"{word}"' if " " in word else word for word in command.words(lambda path: path.name))
    return " ".join(["python -m cardlab.analysis", *words])


def _hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()
