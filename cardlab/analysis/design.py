"""The design of an experiment whose power is asked for: a TOML file, read and checked as a whole.

At its head stands what is asked of every simulated experiment, then a section for each treatment, as in a
file of treatments (``cardlab.games.treatments``): the fields of the session config that differ in it, its
``share``, and besides the ``strategy`` of its participants. docs/analysing-data.md has an example.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from cardlab.analysis import simulate
from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game, games_by_name
from cardlab.games.simulation import find_strategy as named
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import MAX_TREATMENTS, parse_treatment

TESTS = {
    "permutation": "permutation of participants, or of groups where people interact, with Welch's t",
    "t": "Welch's t-test of the means of participants, or of groups",
    "rank": "Mann and Whitney's test of the means of participants, or of groups",
}
REPEATS, LEVEL = 1000, 0.05  # unless the file says otherwise
MOST_REPEATS, MOST_PARTICIPANTS, MOST_SIZES = 100_000, 10_000, 50

HEAD = ("game", "participants", "repeats", "seed", "measure", "test", "level", "thresholds")
_NEEDED = ("game", "participants", "measure")


@dataclass(frozen=True)
class Arm:
    """A treatment of the design: how it is dealt, by which shares its participants have which strategy, and
    how many times ``participants`` it has."""

    name: str
    dealt: simulate.DealRequest
    strategies: Mapping[str, Fraction]
    share: int


@dataclass(frozen=True)
class Design:
    """What is asked for. ``participants`` are the sizes of a treatment with share 1, in rising order, and
    ``table`` is how many participants share a hand."""

    file: str
    game_name: str
    arms: tuple[Arm, ...]
    participants: tuple[int, ...]
    repeats: int
    seed: int
    measure: str
    test: str
    level: float
    thresholds: Any
    table: int
    files: simulate.Files

    @property
    def game(self) -> Game:
        """The game that is played. (It is no part of what is sent from process to process.)"""
        return games_by_name()[self.game_name]

    @property
    def pairs(self) -> list[tuple[Arm, Arm]]:
        """The treatments that are compared: each with each, in the order of the file."""
        return list(combinations(self.arms, 2))

    @property
    def sources(self) -> list[Path]:
        """The files that were read."""
        return self.files.paths

    def dealing(self, arm: Arm) -> simulate.Simulation:
        """What deals the hands of a treatment, session by session."""
        return simulate.Simulation(self.game, {}, {"": arm.dealt}, self.seed, self.repeats, self.files)


def read_design(path: Path) -> Design:
    """The design that a file tells. BadFile names file, section and field of what cannot be."""
    if not path.is_file():
        raise BadFile(str(path), "There is no such file.")
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(str(path), "It is no text in UTF-8.") from None
    tables = toml_file.read_toml(text, str(path))
    head = {key: value for key, value in tables.items() if key in HEAD or not isinstance(value, dict)}
    sections = {key: value for key, value in tables.items() if key not in head}
    _check_names(str(path), head)
    game = games_by_name()[_parse_choice(str(path), head, "game", games_by_name())]
    files = simulate.Files(simulate.DEALS / game.name)
    arms = tuple(_parse_arm(str(path), game, name, section, files) for name, section in sections.items())
    if not 2 <= len(arms) <= MAX_TREATMENTS:
        raise BadFile(
            str(path),
            f"{len(arms)} treatments stand in it; needed are 2 to {MAX_TREATMENTS} sections like [control].",
        )
    measures = [measure.__name__ for measure in game.performance.PARTICIPANT_MEASURES]
    thresholds = head.get("thresholds", {})
    design = Design(
        file=str(path),
        game_name=game.name,
        arms=arms,
        participants=_parse_sizes(str(path), head["participants"]),
        repeats=_parse_whole(str(path), head, "repeats", REPEATS, MOST_REPEATS),
        seed=_parse_whole(str(path), head, "seed", 1, 2**63 - 1),
        measure=_parse_choice(str(path), head, "measure", measures),
        test=_parse_choice(str(path), head, "test", TESTS, "permutation"),
        level=_parse_level(str(path), head.get("level", LEVEL)),
        thresholds=_parse_thresholds(str(path), game, thresholds),
        table=1,
        files=files,
    )
    return _check_seating(design)


def _check_names(file: str, head: Mapping[str, Any]) -> None:
    for key in head:
        if key not in HEAD:
            meant = difflib.get_close_matches(key, HEAD, 1)
            hint = f"; perhaps {meant[0]} is meant" if meant else ""
            raise BadFile(
                file,
                f"Above the sections stand {', '.join(HEAD[:-1])} and {HEAD[-1]}, not {quote(key)}{hint}. "
                "The fields of a treatment stand below its name, like [control].",
            )
    for key in _NEEDED:
        if key not in head:
            raise BadFile(file, f"{key} is missing above the sections.")


def _parse_choice(file: str, head: Mapping[str, Any], key: str, known: Any, default: str = "") -> str:
    value = head.get(key, default)
    if not isinstance(value, str) or value not in known:
        raise BadFile(file, f"{key} must be one of {', '.join(known)}, not '{shorten(value)}'.")
    return value


def _parse_whole(file: str, head: Mapping[str, Any], key: str, default: int, most: int) -> int:
    value = head.get(key, default)
    if type(value) is not int or not 1 <= value <= most:
        raise BadFile(file, f"{key} must be a whole number from 1 to {most}, not '{shorten(value)}'.")
    return value


def _parse_sizes(file: str, value: Any) -> tuple[int, ...]:
    sizes = value if isinstance(value, list) else [value]
    if not 1 <= len(sizes) <= MOST_SIZES or any(
        type(size) is not int or not 1 <= size <= MOST_PARTICIPANTS for size in sizes
    ):
        raise BadFile(
            file,
            "participants must be how many a treatment has, a whole number like 30 or several like "
            f"[10, 20, 30], each from 1 to {MOST_PARTICIPANTS}; not '{shorten(value)}'.",
        )
    return tuple(sorted(set(sizes)))


def _parse_level(file: str, value: Any) -> float:
    if type(value) is not float or not 0 < value < 1:
        raise BadFile(file, f"level must be a number between 0 and 1, like 0.05, not '{shorten(value)}'.")
    return value


def _parse_thresholds(file: str, game: Game, given: Any) -> Any:
    from cardlab.analysis.report.data import make_thresholds  # pandas takes a second to load

    if not isinstance(given, dict):
        raise BadFile(
            file,
            f"thresholds must be a table like {{ {_example_thresholds(game)} }}, not '{shorten(given)}'.",
        )
    for name, value in given.items():
        if type(value) not in (int, float):
            raise BadFile(f"{file} thresholds", f"{shorten(name)} must be a number, not '{shorten(value)}'.")
    try:
        return make_thresholds(game, given)
    except BadFile as wrong:
        raise BadFile(f"{file} thresholds", wrong.message) from None


def _example_thresholds(game: Game) -> str:
    return ", ".join(f"{name} = {value}" for name, value in game.performance.Thresholds()._asdict().items())


def _parse_arm(file: str, game: Game, name: str, section: Mapping[str, Any], files: simulate.Files) -> Arm:
    where, fields = f"{file} [{name}]", dict(section)
    text = fields.pop("strategy", None)
    if not isinstance(text, str) or not text.strip():
        there = ", ".join(game.load_module("strategies").STRATEGIES)
        raise BadFile(
            where,
            "strategy must say how its participants play, like random, or several with their shares like "
            f"random:1,{list(game.load_module('strategies').STRATEGIES)[-1]}:2; {game.title} has {there}.",
        )
    own = parse_treatment(file, name, fields)
    try:
        shares = simulate.parse_mix(text) if ":" in text or "," in text else {text.strip(): Fraction(1)}
        for one in shares:
            named(game.title, game.load_module("strategies").STRATEGIES, one)
    except BadFile as wrong:
        raise BadFile(where, f"strategy: {wrong}") from None
    nothing = simulate.Simulation(game, {}, {"": simulate.DealRequest({}, None, None)}, 1, 1, files)
    return Arm(name, simulate.request_for_treatment(nothing, file, own), shares, own.share)


def _check_seating(design: Design) -> Design:
    """The same with the size of its tables. BadFile if the participants cannot be seated."""
    sessions = {arm.name: design.dealing(arm).session(1) for arm in design.arms}
    for name, dealt in sessions.items():
        if (
            dealt.groups
            and len(dealt.groups.games_with_new_groups(dealt.config, dealt.hands_by_group[0])) > 1
        ):
            raise BadFile(
                f"{design.file} [{name}]",
                "Who has had several partners depends on all of them, so there is nothing to compare; take "
                "partners kept.",
            )
    sizes = {simulate.table_size(design.game, dealt) for dealt in sessions.values()}
    if len(sizes) > 1:
        raise BadFile(design.file, "The treatments seat different numbers of participants at a table.")
    (table,) = sizes
    for size in design.participants:
        for arm in design.arms:
            if size * arm.share % table:
                raise BadFile(
                    f"{design.file} [{arm.name}]",
                    f"{size * arm.share} participants cannot be seated at tables of {table}; participants "
                    f"must be multiples of {table}.",
                )
    return replace(design, table=table)
