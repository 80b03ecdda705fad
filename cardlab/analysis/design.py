"""Reads and validates the design of an experiment whose power is simulated, a TOML file.

The head has the fields of the experiment. A section for each treatment follows, as in a treatment file
(``cardlab.games.treatments``): the fields of the session config that differ in it, its ``share``, and the
``strategy`` of its participants. docs/how-to/analyse-power.md has an example.
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis.exclusions import Rule
from cardlab.analysis.simulation import plan
from cardlab.analysis.simulation.source_files import FileReader, deal_file_reader
from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game, games_by_name
from cardlab.games.simulation import find_strategy
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import MAX_TREATMENTS, parse_treatment

BY_COMPARE, MIXED_MODEL = "permutation", "model"
TESTS = {
    BY_COMPARE: "the test of the command compare: Welch's t with permuted clusters, or the paired t",
    "t": "Welch's t-test of the means of participants, or of groups",
    "rank": "the Mann–Whitney test of the means of participants, or of groups",
    MIXED_MODEL: "each coefficient of the mixed model that the script of model fits in Python",
}
REPEATS, LEVEL = 1000, 0.05  # defaults
MAX_REPEATS, MAX_PARTICIPANTS, MAX_SIZES, MAX_SESSIONS = 100_000, 10_000, 50, 10

HEAD = (
    *("game", "participants", "sessions", "session_size", "excluded", "repeats", "seed"),
    *("measure", "within", "equivalence", "test", "terms", "level", "thresholds"),
)
_REQUIRED = ("game", "participants", "measure")
PREREGISTRATION = "preregistration"  # a section that is not a treatment


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

    ``participants`` are the sizes of a treatment with share 1, in ascending order. Each participant takes
    part in ``sessions`` sessions. In games for several, ``session_size`` participants come to the same
    sessions; 0 is all those of a treatment. A random share ``excluded`` of the participants is left out, and
    then the rules of ``exclusions`` apply. ``measures`` are compared between treatments, or within persons
    between the values of the column ``within``. With the test ``MIXED_MODEL`` they are outcomes of mixed
    models with the fixed ``terms``. ``equivalence`` has the smallest difference of interest by measure.
    ``table`` is the number of participants who share a hand. ``files`` reads the deal files.
    """

    file: str
    game_name: str
    arms: tuple[Arm, ...]
    participants: tuple[int, ...]
    sessions: int
    session_size: int
    excluded: float
    repeats: int
    seed: int
    measures: tuple[str, ...]
    within: str
    equivalence: Mapping[str, float]
    test: str
    terms: str | None
    level: float
    thresholds: Any
    table: int
    files: FileReader
    exclusions: tuple[Rule, ...] = ()

    @property
    def game(self) -> Game:
        """The game. It is looked up, because modules cannot be pickled."""
        return games_by_name()[self.game_name]

    @property
    def sources(self) -> list[Path]:
        """The files that were read."""
        return self.files.paths

    def dealing(self, arm: Arm) -> plan.Simulation:
        """Returns the simulation that deals the hands of a treatment, session by session."""
        return plan.Simulation(self.game, {}, {"": arm.deals}, self.seed, self.repeats, self.files)


class DesignFile(NamedTuple):
    """The text of a design file, and its tables."""

    name: str
    text: str
    tables: dict[str, Any]


def read_file(path: Path) -> DesignFile:
    """Reads a design file. Raises BadFile."""
    if not path.is_file():
        raise BadFile(str(path), "There is no such file.")
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile(str(path), "This file is not text in UTF-8. Save it as UTF-8.") from None
    return DesignFile(str(path), text, toml_file.read_toml(text, str(path)))


def read_design(path: Path) -> Design:
    """Reads a design. Raises BadFile, which names the file, the line and column, and the field."""
    return parse_design(read_file(path))


def parse_design(source: DesignFile) -> Design:
    """Returns the design in a file. Raises BadFile like :func:`read_design`."""
    file, text, tables = source
    head = {key: value for key, value in tables.items() if key in HEAD or not isinstance(value, dict)}
    sections = {key: value for key, value in tables.items() if key not in head and key != PREREGISTRATION}
    with toml_file.add_place_to_errors(text):
        _check_names(file, head)
        game = games_by_name()[_parse_choice(file, head, "game", games_by_name())]
    files = deal_file_reader(game.name)
    arms = []
    for name, section in sections.items():
        with toml_file.add_place_to_errors(text, name):
            arms.append(_parse_arm(file, game, name, section, files))
    with toml_file.add_place_to_errors(text):
        within = _parse_within(file, head)
        test = _parse_choice(file, head, "test", TESTS, BY_COMPARE)
        _check_number(file, arms, 1 if within or test == MIXED_MODEL else 2)
        measures = _parse_measures(file, game, head, test)
        design = Design(
            file=file,
            game_name=game.name,
            arms=tuple(arms),
            participants=_parse_sizes(file, head["participants"]),
            sessions=_parse_whole(file, head, "sessions", 1, MAX_SESSIONS),
            session_size=_parse_whole(file, head, "session_size", 0, MAX_PARTICIPANTS),
            excluded=_parse_excluded(file, head.get("excluded", 0.0)),
            repeats=_parse_whole(file, head, "repeats", REPEATS, MAX_REPEATS),
            seed=_parse_whole(file, head, "seed", 1, 2**63 - 1),
            measures=measures,
            within=within,
            equivalence=_parse_equivalence(source, head, measures),
            test=test,
            terms=_parse_terms(file, head, test),
            level=_parse_level(file, head.get("level", LEVEL)),
            thresholds=_parse_thresholds(source, game, head.get("thresholds", {})),
            table=1,
            files=files,
        )
        _check_test(design)
    return _check_seating(design, text)


def _check_number(file: str, arms: Sequence[Arm], fewest: int) -> None:
    """Raises BadFile if the design has too few or too many treatments."""
    if not fewest <= len(arms) <= MAX_TREATMENTS:
        raise BadFile(
            file,
            f"A design needs {fewest} to {MAX_TREATMENTS} treatments, each with a section such as "
            f"[control]. This file has {len(arms)}.",
        )


def _parse_within(file: str, head: Mapping[str, Any]) -> str:
    value = head.get("within", "")
    if not isinstance(value, str):
        raise BadFile(
            file, f"within must be the name of a column of hands, such as \"phase\", not '{shorten(value)}'."
        )
    return value.strip()


def _parse_terms(file: str, head: Mapping[str, Any], test: str) -> str | None:
    value = head.get("terms")
    if value is not None and (not isinstance(value, str) or test != MIXED_MODEL):
        raise BadFile(
            file,
            f'terms must be a formula such as "condition * block", with test = "{MIXED_MODEL}", not '
            f"'{shorten(value)}'.",
        )
    return value


def _parse_measures(file: str, game: Game, head: Mapping[str, Any], test: str) -> tuple[str, ...]:
    """Returns the measures: one, or a list. Those of a mixed model are outcomes of hands."""
    from cardlab.analysis.model import outcome_columns  # pandas takes a second to load

    value = head["measure"]
    names = value if isinstance(value, list) else [value]
    known = [measure.__name__ for measure in game.performance.participant_measures]
    if test == MIXED_MODEL:
        known = [*outcome_columns(game)]
    for name in names:
        _parse_choice(file, {"measure": name}, "measure", known)
    if not names or len(set(names)) < len(names):
        raise BadFile(file, f"measure must name different measures, not '{shorten(value)}'.")
    return tuple(names)


def _parse_equivalence(
    source: DesignFile, head: Mapping[str, Any], measures: Sequence[str]
) -> dict[str, float]:
    bounds = head.get("equivalence", {})
    if not isinstance(bounds, dict):
        raise BadFile(
            source.name,
            f"equivalence must be a table such as {{ {measures[0]} = 0.1 }}, not '{shorten(bounds)}'.",
        )
    with toml_file.add_place_to_errors(source.text, "equivalence"):
        for name, bound in bounds.items():
            if name not in measures:
                raise BadFile(
                    f"{source.name} equivalence",
                    f"{shorten(name)} is not one of the measures of this design: {', '.join(measures)}.",
                )
            if type(bound) not in (int, float) or not 0 < bound < math.inf:
                raise BadFile(
                    f"{source.name} equivalence",
                    f"{name} must be the smallest difference of interest, a number above 0, not "
                    f"'{shorten(bound)}'.",
                )
    return {name: float(bound) for name, bound in bounds.items()}


def _check_test(design: Design) -> None:
    """Raises BadFile if the test is not available for the design."""
    if design.test == BY_COMPARE:
        return
    for key, has in (("within", design.within), ("equivalence", design.equivalence)):
        if has:
            raise BadFile(design.file, f'test must be "{BY_COMPARE}" with {key}, not "{design.test}".')


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
    if key not in head:
        return default
    value = head[key]
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


def _parse_excluded(file: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < 1:
        raise BadFile(file, f"excluded must be a share below 1, such as 0.1, not '{shorten(value)}'.")
    return float(value)


def _parse_thresholds(source: DesignFile, game: Game, values: Any) -> Any:
    from cardlab.analysis.report.data import make_thresholds  # pandas takes a second to load

    if not isinstance(values, dict):
        defaults = game.performance.thresholds()._asdict().items()
        example = ", ".join(f"{name} = {value}" for name, value in defaults)
        raise BadFile(
            source.name, f"thresholds must be a table such as {{ {example} }}, not '{shorten(values)}'."
        )
    file = f"{source.name} thresholds"
    with toml_file.add_place_to_errors(source.text, "thresholds"):
        for name, value in values.items():
            if type(value) not in (int, float):
                raise BadFile(file, f"{shorten(name)} must be a number, not '{shorten(value)}'.")
        try:
            return make_thresholds(game, values)
        except BadFile as wrong:
            raise BadFile(file, wrong.message) from None


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


def _check_seating(design: Design, text: str) -> Design:
    """Returns the design with the size of its tables. Raises BadFile if the participants cannot be seated."""
    sessions = {arm.name: design.dealing(arm).deal(1) for arm in design.arms}
    for name, session in sessions.items():
        groups = session.groups
        is_mixed = groups and len(groups.games_with_new_groups(session.config, session.hands_by_group[0])) > 1
        if is_mixed and not design.session_size:
            with toml_file.add_place_to_errors(text, name):
                raise BadFile(
                    f"{design.file} [{name}]",
                    "If participants have several partners, all their results depend on each other, so "
                    "conditions cannot be compared. Set partners to kept, or session_size to the number of "
                    "participants who come to the same session.",
                )
    table = plan.common_table_size(design.game, [*sessions.values()], design.file)
    with toml_file.add_place_to_errors(text):
        _check_session_size(design, table)
        unit, place = table, f"at tables of {table}"
        if design.session_size:
            unit, place = design.session_size, f"in sessions of {design.session_size}"
        for size in design.participants:
            for arm in design.arms:
                if size * arm.share % unit:
                    raise BadFile(
                        f"{design.file} [{arm.name}]",
                        f"{size * arm.share} participants cannot be seated {place}. The "
                        f"number of participants must be a multiple of {unit}.",
                    )
    return replace(design, table=table)


def _check_session_size(design: Design, table: int) -> None:
    """Raises BadFile if the size of the sessions is missing, or does not fit the tables."""
    if table == 1 and design.session_size:
        raise BadFile(design.file, "session_size is only for participants who play with each other.")
    if design.session_size % table:
        raise BadFile(design.file, f"session_size must be a multiple of {table}, the seats of a table.")
    if table > 1 and design.sessions > 1 and not design.session_size:
        raise BadFile(
            design.file,
            "session_size is missing: the number of participants who come to the same sessions. With "
            f"{table}, partners stay the same; with more, they are drawn again in each session.",
        )
