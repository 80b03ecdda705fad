"""The plan of a study: what is preregistered in addition to the design whose power is simulated.

It is the section ``[preregistration]`` of a design file (:mod:`cardlab.analysis.design`).
docs/how-to/preregister.md has an example.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.analysis import hands
from cardlab.analysis.baselines import baseline_columns
from cardlab.analysis.design import PREREGISTRATION, Arm, Design, DesignFile
from cardlab.analysis.exclusions import Rule, parse_rule
from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.record import Opening
from cardlab.games.registry import Game
from cardlab.games.text_file import quote, shorten

GREATER, LESS, DIFFERENT, EQUIVALENT = ">", "<", "!=", "="
ADJUSTMENTS = ("holm", "fdr")
_PREDICTION = re.compile(r"\s*(.+?)\s*(!=|=|<|>)\s*(.+?)\s*")
_KEYS = (
    "title",
    "hypotheses",
    "participants",
    "stopping",
    "by",
    "person",
    "adjust",
    "same_deals",
    "exclusions",
    "files",
    "power",
)
_REQUIRED = ("title", "hypotheses", "participants", "stopping")
_HYPOTHESIS_KEYS, _EXCLUSION_KEYS = ("text", "measure", "expect"), ("table", "rule", "reason")
_TABLES = ("participants", "hands")
NOT_FROZEN = ("seed", "gather_seconds")  # settings that differ between sessions, or concern only the wait


class Hypothesis(NamedTuple):
    """A hypothesis in words, and the difference that it predicts: ``first`` ``relation`` ``second``."""

    text: str
    measure: str
    first: str
    relation: str
    second: str

    @property
    def expect(self) -> str:
        """The prediction as the design file writes it."""
        return f"{self.first} {self.relation} {self.second}"


@dataclass(frozen=True)
class Condition:
    """A treatment as planned.

    ``settings`` has all values of each setting as JSON, ``deal_files`` the SHA-256 of each deal file by name,
    ``hands`` the number of hands of a participant that count.
    """

    name: str
    participants: int
    hands: int
    settings: Mapping[str, Sequence[str]]
    deal_files: Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """The frozen plan. The fields are those of the design file; ``files`` has the SHA-256 of each file."""

    title: str
    game: str
    hypotheses: tuple[Hypothesis, ...]
    conditions: tuple[Condition, ...]
    measures: tuple[str, ...]
    by: str
    within: str
    person: str
    sessions: int
    level: float
    adjust: str
    equivalence: Mapping[str, float]
    thresholds: Mapping[str, float]
    exclusions: tuple[Rule, ...]
    stopping: str
    files: Mapping[str, str]
    participants: int
    power: str = ""
    same_deals: bool = False
    power_rows: Sequence[Mapping[str, Any]] = ()
    simulated_exclusions: tuple[str, ...] = ()
    excluded: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Returns the plan as values of JSON."""
        values = asdict(self)
        values["hypotheses"] = [one._asdict() for one in self.hypotheses]
        values["exclusions"] = [rule._asdict() for rule in self.exclusions]
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Plan:
        """Returns the plan that was written by :meth:`to_json`. Raises KeyError or TypeError."""
        return cls(
            **{
                **values,
                "hypotheses": tuple(Hypothesis(**one) for one in values["hypotheses"]),
                "conditions": tuple(Condition(**one) for one in values["conditions"]),
                "exclusions": tuple(Rule(**one) for one in values["exclusions"]),
                "measures": tuple(values["measures"]),
                "simulated_exclusions": tuple(values.get("simulated_exclusions", ())),
            }
        )


def parse_plan(source: DesignFile, design: Design) -> Plan:
    """Returns the plan in a design file. Raises BadFile, which names the line and column."""
    section = source.tables.get(PREREGISTRATION)
    if not isinstance(section, dict):
        raise BadFile(
            source.name,
            f"There is no section [{PREREGISTRATION}]. Add one with {', '.join(_REQUIRED)}.",
        )
    file = f"{source.name} [{PREREGISTRATION}]"
    with toml_file.add_place_to_errors(source.text, PREREGISTRATION):
        _check_keys(file, section, _KEYS, _REQUIRED)
        if design.test != "permutation":
            raise BadFile(file, f'test must be "permutation", the test of compare, not "{design.test}".')
        size = _parse_size(file, section["participants"], design)
        adjust = _parse_text(file, section, "adjust", "holm")
        if adjust not in ADJUSTMENTS:
            raise BadFile(file, f"adjust must be {' or '.join(ADJUSTMENTS)}, not {quote(adjust)}.")
        if section.get("by") and section.get("by") == section.get("person"):
            raise BadFile(file, "by and person name the same column. A person cannot define a condition.")
        power, same_deals = _parse_text(file, section, "power", ""), _parse_same_deals(file, section)
        if same_deals and not power:
            raise BadFile(
                file, "With same_deals, power cannot be simulated. Write power with your own reasons."
            )
        return Plan(
            title=_parse_text(file, section, "title"),
            game=design.game_name,
            hypotheses=_parse_hypotheses(source, file, section["hypotheses"], design),
            conditions=_describe_conditions(design, size, same_deals),
            measures=design.measures,
            by=_parse_text(file, section, "by", ""),
            within=design.within,
            person=_parse_text(file, section, "person", ""),
            sessions=design.sessions,
            level=design.level,
            adjust=adjust,
            equivalence=design.equivalence,
            thresholds=_changed_thresholds(design),
            exclusions=_parse_exclusions(source, file, section.get("exclusions", []), design.game),
            stopping=_parse_text(file, section, "stopping"),
            files=_hash_files(file, section.get("files", [])),
            participants=size,
            power=power,
            same_deals=same_deals,
        )


def _check_keys(file: str, table: Mapping[str, Any], known: Sequence[str], required: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadFile(
                file, f"Unknown setting {quote(key)}.{hint} Only {', '.join(known)} are allowed here."
            )
    for key in required:
        if key not in table:
            raise BadFile(file, f"{key} is missing. Add it to this section.")


def _parse_text(file: str, table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise BadFile(file, f"{key} must be a text in quotation marks, not '{shorten(value)}'.")
    return " ".join(value.split())


def _parse_same_deals(file: str, table: Mapping[str, Any]) -> bool:
    value = table.get("same_deals", False)
    if not isinstance(value, bool):
        raise BadFile(file, f"same_deals must be true or false, not '{shorten(value)}'.")
    return value


def _parse_size(file: str, value: Any, design: Design) -> int:
    sizes = ", ".join(map(str, design.participants))
    if type(value) is not int or value not in design.participants:
        raise BadFile(
            file,
            "participants must be the planned number per treatment, one of those whose power is simulated "
            f"({sizes}), not '{shorten(value)}'.",
        )
    return value


def _parse_hypotheses(source: DesignFile, file: str, tables: Any, design: Design) -> tuple[Hypothesis, ...]:
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise BadFile(
            file,
            f"hypotheses must be sections [[{PREREGISTRATION}.hypotheses]] with text, measure and expect.",
        )
    found = []
    for place, table in enumerate(tables):
        with toml_file.add_place_to_errors(source.text, PREREGISTRATION, "hypotheses", place):
            found.append(_parse_hypothesis(f"{file} hypothesis {place + 1}", table, design))
    return tuple(found)


def _parse_hypothesis(file: str, table: Mapping[str, Any], design: Design) -> Hypothesis:
    _check_keys(file, table, _HYPOTHESIS_KEYS, _HYPOTHESIS_KEYS)
    text, measure, expect = (_parse_text(file, table, key) for key in _HYPOTHESIS_KEYS)
    if measure not in design.measures:
        raise BadFile(
            file,
            f"measure must be one of the design's measures, {', '.join(design.measures)}, not {measure}.",
        )
    names = [arm.name for arm in design.arms]
    match = _PREDICTION.fullmatch(expect)
    if not match:
        raise BadFile(
            file,
            f'expect must be like "{names[-1]} > {names[0]}", with > or <, != for any difference, or = for '
            f"equivalence, not {quote(expect)}.",
        )
    first, relation, second = match.groups()
    for name in (first, second):
        if not design.within and name not in names:
            raise BadFile(file, f"expect names {quote(name)}. The treatments are {', '.join(names)}.")
    if first == second:
        raise BadFile(file, f"expect must name two different sides, not {first} twice.")
    if relation == EQUIVALENT and measure not in design.equivalence:
        raise BadFile(
            file,
            "expect has =, so the smallest difference of interest is needed. Write above the first section: "
            f"equivalence = {{ {measure} = 0.1 }}.",
        )
    return Hypothesis(text, measure, first, relation, second)


def _parse_exclusions(source: DesignFile, file: str, tables: Any, game: Game) -> tuple[Rule, ...]:
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise BadFile(
            file,
            f"exclusions must be sections such as [[{PREREGISTRATION}.exclusions]], with rule and reason.",
        )
    found = []
    for place, table in enumerate(tables):
        with toml_file.add_place_to_errors(source.text, PREREGISTRATION, "exclusions", place):
            found.append(_parse_exclusion(f"{file} exclusion {place + 1}", table, game))
    return tuple(found)


def _parse_exclusion(file: str, table: Mapping[str, Any], game: Game) -> Rule:
    _check_keys(file, table, _EXCLUSION_KEYS, ("rule", "reason"))
    name = _parse_text(file, table, "table", "participants")
    if name not in _TABLES:
        raise BadFile(file, f"table must be {' or '.join(_TABLES)}, not {quote(name)}.")
    rule = parse_rule(file, name, _parse_text(file, table, "rule"), _parse_text(file, table, "reason"))
    columns = _columns_of(game, name)
    if rule.column not in columns:
        near = difflib.get_close_matches(rule.column, columns, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise BadFile(
            file, f"rule names {quote(rule.column)}, which is no column of the table of {name}.{hint}"
        )
    return rule


def _columns_of(game: Game, table: str) -> list[str]:
    if table == "hands":
        return [*hands.table_columns(game)]
    measures = [measure.__name__ for measure in game.performance.participant_measures]
    return ["participant_label", *measures, *baseline_columns(game)]


def _changed_thresholds(design: Design) -> dict[str, float]:
    defaults = design.game.performance.thresholds()._asdict()
    return {name: own for name, own in design.thresholds._asdict().items() if own != defaults[name]}


def _hash_files(file: str, names: Any) -> dict[str, str]:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadFile(
            file, f"files must be a list such as [\"treatments/study.toml\"], not '{shorten(names)}'."
        )
    for name in names:
        if not Path(name).is_file():
            raise BadFile(file, f"files names {quote(name)}. There is no such file.")
    return {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in names}


def _describe_conditions(design: Design, size: int, same_deals: bool) -> tuple[Condition, ...]:
    """Returns the conditions. With ``same_deals``, only hands count whose deals all treatments have."""
    openings = {arm.name: _list_openings(design, arm) for arm in design.arms}
    if same_deals:
        deals = [{one.deal for group in groups for one in group} for groups in openings.values()]
        common = frozenset.intersection(*map(frozenset, deals))
        openings = {
            name: [[one for one in group if one.deal in common] for group in groups]
            for name, groups in openings.items()
        }
    return tuple(_describe_condition(arm, openings[arm.name], size) for arm in design.arms)


def _list_openings(design: Design, arm: Arm) -> list[list[Opening]]:
    """Returns the hands of the first simulated session without practice, by group."""
    return [
        [one for one in group if not one.practice] for group in design.dealing(arm).deal(1).hands_by_group
    ]


def _describe_condition(arm: Arm, openings: Sequence[Sequence[Opening]], size: int) -> Condition:
    """Returns the settings and deal files of a treatment whose hands are known by group."""
    settings: dict[str, set[str]] = defaultdict(set)
    files = {}
    for opening in [one for group in openings for one in group]:
        for key, value in opening.options.items():
            if key not in NOT_FROZEN:
                settings[key].add(json.dumps(value, sort_keys=True))
        files[opening.source or "seed"] = opening.sha256
    return Condition(
        arm.name,
        size * arm.share,
        len(openings[0]),
        {key: sorted(values) for key, values in sorted(settings.items())},
        files,
    )
