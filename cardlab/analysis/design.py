"""Reads and validates the design of an experiment whose power is simulated, a TOML file.

The head has the fields of the experiment. A section for each treatment follows, as in a treatment file
(``cardlab.games.treatments``): the fields of the session config that differ in it, its ``share``, and the
``strategy`` of its participants. docs/how-to/analyse-power.md has an example.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from cardlab.analysis.simulation import plan
from cardlab.analysis.simulation.source_files import FileReader, deal_file_reader
from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game, games_by_name
from cardlab.games.simulation import find_strategy
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import MAX_TREATMENTS, parse_treatment

TESTS = {
    "permutation": "permutation of participants, or of groups where people interact, with Welch's t",
    "t": "Welch's t-test of the means of participants, or of groups",
    "rank": "Mann and Whitney's test of the means of participants, or of groups",
}
REPEATS, LEVEL = 1000, 0.05  # defaults
MAX_REPEATS, MAX_PARTICIPANTS, MAX_SIZES = 100_000, 10_000, 50

HEAD = ("game", "participants", "repeats", "seed", "measure", "test", "level", "thresholds")
_REQUIRED = ("game", "participants", "measure")


@dataclass(frozen=True)
class Arm:
    """A treatment of the design.

    ``deals`` says how it is dealt, ``strategies`` the share of each strategy among its participants. It has
    ``share`` times as many participants as ``Design.participants``.
    """

    name: str
    deals: plan.DealRequest
    strategies: Mapping[str, Fraction]
    share: int


@dataclass(frozen=True)
class Design:
    """The experiment to simulate.

    ``participants`` are the sizes of a treatment with share 1, in ascending order. ``table`` is the number of
    participants who share a hand. ``files`` reads the deal files.
    """

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
    files: FileReader

    @property
    def game(self) -> Game:
        """The game. It is looked up, because modules cannot be pickled."""
        return games_by_name()[self.game_name]

    @property
    def pairs(self) -> list[tuple[Arm, Arm]]:
        """All pairs of treatments, in the order of the file."""
        return list(combinations(self.arms, 2))

    @property
    def sources(self) -> list[Path]:
        """The files that were read."""
        return self.files.paths

    def dealing(self, arm: Arm) -> plan.Simulation:
        """Returns the simulation that deals the hands of a treatment, session by session."""
        return plan.Simulation(self.game, {}, {"": arm.deals}, self.seed, self.repeats, self.files)


def read_design(path: Path) -> Design:
    """Reads a design. Raises BadFile, which names the file, the section and the field."""
    if not path.is_file():
        raise BadFile(str(path), "There is no such file.")
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(str(path), "This file is not text in UTF-8. Save it as UTF-8.") from None
    tables = toml_file.read_toml(text, str(path))
    head = {key: value for key, value in tables.items() if key in HEAD or not isinstance(value, dict)}
    sections = {key: value for key, value in tables.items() if key not in head}
    _check_names(str(path), head)
    game = games_by_name()[_parse_choice(str(path), head, "game", games_by_name())]
    files = deal_file_reader(game.name)
    arms = tuple(_parse_arm(str(path), game, name, section, files) for name, section in sections.items())
    if not 2 <= len(arms) <= MAX_TREATMENTS:
        raise BadFile(
            str(path),
            f"A design needs 2 to {MAX_TREATMENTS} treatments, each with a section such as "
            f"[control]. This file has {len(arms)}.",
        )
    measures = [measure.__name__ for measure in game.performance.participant_measures]
    thresholds = head.get("thresholds", {})
    design = Design(
        file=str(path),
        game_name=game.name,
        arms=arms,
        participants=_parse_sizes(str(path), head["participants"]),
        repeats=_parse_whole(str(path), head, "repeats", REPEATS, MAX_REPEATS),
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
            near = difflib.get_close_matches(key, HEAD, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadFile(
                file,
                f"Unknown setting {quote(key)} before the first treatment.{hint} Only "
                f"{', '.join(HEAD[:-1])} and {HEAD[-1]} are allowed there. Write the fields of a "
                "treatment below its name, such as [control].",
            )
    for key in _REQUIRED:
        if key not in head:
            raise BadFile(file, f"{key} is missing. Set it before the first treatment.")


def _parse_choice(file: str, head: Mapping[str, Any], key: str, choices: Any, default: str = "") -> str:
    value = head.get(key, default)
    if not isinstance(value, str) or value not in choices:
        raise BadFile(file, f"{key} must be one of {', '.join(choices)}, not '{shorten(value)}'.")
    return value


def _parse_whole(file: str, head: Mapping[str, Any], key: str, default: int, max_value: int) -> int:
    value = head.get(key, default)
    if type(value) is not int or not 1 <= value <= max_value:
        raise BadFile(file, f"{key} must be a whole number from 1 to {max_value}, not '{shorten(value)}'.")
    return value


def _parse_sizes(file: str, value: Any) -> tuple[int, ...]:
    sizes = value if isinstance(value, list) else [value]
    if not 1 <= len(sizes) <= MAX_SIZES or any(
        type(size) is not int or not 1 <= size <= MAX_PARTICIPANTS for size in sizes
    ):
        raise BadFile(
            file,
            "participants must be the number per treatment: a whole number such as 30, or "
            f"several such as [10, 20, 30], each from 1 to {MAX_PARTICIPANTS}. Not "
            f"'{shorten(value)}'.",
        )
    return tuple(sorted(set(sizes)))


def _parse_level(file: str, value: Any) -> float:
    if type(value) is not float or not 0 < value < 1:
        raise BadFile(file, f"level must be a number between 0 and 1, such as 0.05, not '{shorten(value)}'.")
    return value


def _parse_thresholds(file: str, game: Game, values: Any) -> Any:
    from cardlab.analysis.report.data import make_thresholds  # pandas takes a second to load

    if not isinstance(values, dict):
        defaults = game.performance.thresholds()._asdict().items()
        example = ", ".join(f"{name} = {value}" for name, value in defaults)
        raise BadFile(file, f"thresholds must be a table such as {{ {example} }}, not '{shorten(values)}'.")
    for name, value in values.items():
        if type(value) not in (int, float):
            raise BadFile(f"{file} thresholds", f"{shorten(name)} must be a number, not '{shorten(value)}'.")
    try:
        return make_thresholds(game, values)
    except BadFile as wrong:
        raise BadFile(f"{file} thresholds", wrong.message) from None


def _parse_arm(file: str, game: Game, name: str, section: Mapping[str, Any], files: FileReader) -> Arm:
    location, fields = f"{file} [{name}]", dict(section)
    strategies = game.load_module("strategies").STRATEGIES
    text = fields.pop("strategy", None)
    if not isinstance(text, str) or not text.strip():
        raise BadFile(
            location,
            "strategy must name how the participants play, such as random, or several "
            f"strategies with their shares, such as random:1,{list(strategies)[-1]}:2. The "
            f"strategies of {game.title} are {', '.join(strategies)}.",
        )
    treatment = parse_treatment(file, name, fields)
    try:
        shares = plan.parse_mix(text) if ":" in text or "," in text else {text.strip(): Fraction(1)}
        for strategy in shares:
            find_strategy(game.title, strategies, strategy)
    except BadFile as wrong:
        raise BadFile(location, f"strategy: {wrong}") from None
    without = plan.Simulation(game, {}, {"": plan.DealRequest({}, None, None)}, 1, 1, files)
    return Arm(name, plan.request_for_treatment(without, file, treatment), shares, treatment.share)


def _check_seating(design: Design) -> Design:
    """Returns the design with the size of its tables. Raises BadFile if the participants cannot be seated."""
    sessions = {arm.name: design.dealing(arm).deal(1) for arm in design.arms}
    for name, session in sessions.items():
        groups = session.groups
        if groups and len(groups.games_with_new_groups(session.config, session.hands_by_group[0])) > 1:
            raise BadFile(
                f"{design.file} [{name}]",
                "If participants have several partners, all their results depend on each other, "
                "so conditions cannot be compared. Set partners to kept.",
            )
    table = plan.common_table_size(design.game, [*sessions.values()], design.file)
    for size in design.participants:
        for arm in design.arms:
            if size * arm.share % table:
                raise BadFile(
                    f"{design.file} [{arm.name}]",
                    f"{size * arm.share} participants cannot be seated at tables of {table}. The "
                    f"number of participants must be a multiple of {table}.",
                )
    return replace(design, table=table)
