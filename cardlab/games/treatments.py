"""Reads treatment files and assigns treatments to the slots of a session.

A treatment file is TOML. Its head says how treatments are assigned. Each section is a treatment: the fields
of the session config that differ in it, and its ``share``, 1 by default. Alternatively, ``[factors]`` define
the treatments (``cardlab.games.factors``). Random assignment depends only on the session's seed. Slots are
numbered from 1.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, count
from random import Random
from typing import Any, NamedTuple

from cardlab.games import factors, toml_file
from cardlab.games.contract import BadFile
from cardlab.games.dealing import Config, DealFile, ReadFile, config_for_app
from cardlab.games.label_file import read_labels
from cardlab.games.minimization import PROBABILITY, Values
from cardlab.games.shared_settings import OFF, SESSION_WIDE
from cardlab.games.text_file import quote, shorten

ASSIGNMENTS = BALANCED, BY_LABEL, BY_ORDER, MINIMIZED, RANDOM = (
    *("balanced", "by_label", "by_order", "minimized", "random"),
)
# The settings in the head that are allowed only with some assignments; then all settings in the head.
_ONLY_WITH = {
    "labels": (BY_LABEL, MINIMIZED),
    "column": (BY_LABEL,),
    "covariates": (MINIMIZED,),
    "probability": (MINIMIZED,),
}
HEAD_KEYS = ("assignment", "block", *_ONLY_WITH)
TREATMENT_COLUMN = "treatment"  # the default of ``column``
MAX_VALUES = 10  # of a covariate; with more, hardly any two participants have the same

MAX_TREATMENTS = 12  # as many curves as a report can distinguish
MAX_SHARES = 1000  # of a block
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")

# Fields of a session config that oTree itself defines.
OTREE_FIELDS = frozenset(
    ("name", "display_name", "doc", "app_sequence", "num_demo_participants")
    + ("participation_fee", "real_world_currency_per_point")
    + ("use_browser_bots", "mturk_hit_settings", "mock_exogenous_data")
)
# Fields that have one value for the whole session, so that no treatment can change them.
SESSION_WIDE_FIELDS = OTREE_FIELDS.union(SESSION_WIDE, ("group_size",))


class Treatment(NamedTuple):
    """A section of the file: the fields of the session config that differ in it, and its share of a block.

    ``levels`` has the level of each factor, if the file has ``[factors]``.
    """

    name: str
    fields: Mapping[str, Any]
    share: int
    levels: factors.Levels = ()


class Covariates(NamedTuple):
    """The covariates that minimization balances: their names, and their values by label.

    ``probability`` is the probability of the treatment with the least imbalance; ``file`` is the label file.
    """

    names: tuple[str, ...]
    probability: float
    by_label: Mapping[str, Values]
    file: DealFile

    def values(self, label: str) -> Values:
        """Returns the values of a label; empty ones for an unknown label."""
        return self.by_label.get(label, ("",) * len(self.names))


class Treatments(NamedTuple):
    """The content of a treatment file.

    ``block`` is the number of groups in a block; each block has every treatment in proportion to its share.
    ``by_label`` has the treatment of each participant label, if labels decide. ``files`` are the files that
    were read: the treatment file and then the label file, if there is one. ``covariates`` are those of
    minimization.
    """

    name: str
    assignment: str
    block: int
    treatments: tuple[Treatment, ...]
    by_label: Mapping[str, str]
    files: tuple[DealFile, ...]
    covariates: Covariates | None = None

    @property
    def names(self) -> list[str]:
        """The names of the treatments, in the order of the file."""
        return [treatment.name for treatment in self.treatments]

    @property
    def factors(self) -> list[str]:
        """The names of the factors, in the order of the file."""
        return [factor for factor, _level in self.treatments[0].levels]

    def levels(self, name: str) -> Mapping[str, str]:
        """Returns the level of each factor in a treatment; none for an unknown name."""
        return next((dict(treatment.levels) for treatment in self.treatments if treatment.name == name), {})

    def fields(self, name: str) -> Mapping[str, Any]:
        """Returns the fields of a treatment; none for an unknown name."""
        return next((treatment.fields for treatment in self.treatments if treatment.name == name), {})


def treatment_file_name(config: Config) -> Any:
    """Returns the name of the treatment file in a config, "" for none."""
    name = config.get("treatments", "")
    return "" if name == OFF else name


def config_for_treatment(config: Config, fields: Mapping[str, Any], app: str) -> Config:
    """Returns the config of an app in a treatment with these fields, which override its own."""
    return (
        {**config_for_app(config, app), **config_for_app(fields, app)}
        if fields
        else config_for_app(config, app)
    )


# Assignment of treatments.


def treatment_for_slot(treatments: Treatments, seed: object, slot: int, group_size: int = 1) -> str:
    """Returns the treatment of a slot, from 1: balanced in random blocks by the seed, by order, or at random.

    Each run of ``group_size`` consecutive slots has the same treatment. With ``by_label``, the result applies
    to participants whose label has no treatment.
    """
    group = (slot - 1) // group_size
    shares = [treatment.name for treatment in treatments.treatments for _share in range(treatment.share)]
    if treatments.assignment == RANDOM:
        return Random(f"{seed}, treatment of group {group + 1}").choice(shares)
    block, index = divmod(group, treatments.block)
    names = shares * (treatments.block // len(shares))
    if treatments.assignment != BY_ORDER:
        Random(f"{seed}, treatments of block {block + 1}").shuffle(names)
    return names[index]


def free_places(
    taken: Collection[int], taken_elsewhere: Collection[int] = (), group_size: int = 1
) -> Iterator[int]:
    """Yields the free places in the series of treatments, in the order in which new slots get them.

    A group of places that another session of the study has begun to fill, with one of ``taken_elsewhere``,
    has no free place, because nobody could complete it.
    """
    groups = {(place - 1) // group_size for place in taken_elsewhere}
    return (place for place in count(1) if place not in taken and (place - 1) // group_size not in groups)


def design_warnings(treatments: Treatments, slots: int, group_size: int = 1) -> Iterator[str]:
    """Yields warnings about identical treatments, covariates with too many values, and inexact shares.

    Args:
        treatments: the treatments of the session.
        slots: the number of its slots; 0 if they are made on arrival.
        group_size: how many consecutive slots have the same treatment.
    """
    all_treatments = treatments.treatments
    if len(all_treatments) == 1:
        only = all_treatments[0].name
        yield f"{treatments.name} has only the treatment {only}, which all participants get."
    for first, second in combinations(all_treatments, 2):
        if first.fields == second.fields:
            yield f"The treatments {first.name} and {second.name} of {treatments.name} do not differ."
    yield from _covariate_warnings(treatments.covariates)
    block_size = treatments.block * group_size
    if treatments.assignment in (BALANCED, BY_ORDER) and slots % block_size:
        yield (
            f"{slots} slots are no multiple of {block_size}, the slots in a block of {treatments.name}, "
            "so the treatments do not have their shares exactly."
        )


def _covariate_warnings(covariates: Covariates | None) -> Iterator[str]:
    for place, name in enumerate(covariates.names if covariates else ()):
        values = (
            {covariate_values[place] for covariate_values in covariates.by_label.values()}
            if covariates
            else set()
        )
        if len(values) > MAX_VALUES:
            yield (
                f"The covariate {shorten(name)} has {len(values)} values. Form few groups of them, such as "
                "18-25, because only participants with the same value are balanced."
            )


def slots_per_treatment(config: Config) -> int:
    """Returns how many consecutive slots have the same treatment, so that groups in every app share one."""
    sizes = [config_for_app(config, app).get("group_size", 1) for app in config["app_sequence"]]
    return math.lcm(*(size for size in sizes if type(size) is int and size > 0))


# Reading the files.


def read_treatments(name: str, read_file: ReadFile) -> Treatments:
    """Reads a treatment file, and its label file if it names one. Raises BadFile."""
    source = read_file(name, "treatment file")
    tables = toml_file.read_toml(source.text, source.name)
    head = {key: value for key, value in tables.items() if not isinstance(value, dict)}
    sections = {key: value for key, value in tables.items() if isinstance(value, dict)}
    if factors.FACTORS in sections:
        combined = factors.cells(source.name, sections)
        all_treatments = tuple(
            _parse_section(source, name, own)._replace(levels=at) for name, own, at in combined
        )
    else:
        all_treatments = tuple(_parse_section(source, key, section) for key, section in sections.items())
    if not all_treatments:
        raise BadFile(
            source.name, "This file has no treatments. Begin each treatment with a line such as [control]."
        )
    if len(all_treatments) > MAX_TREATMENTS:
        raise BadFile(
            source.name, f"The file has {len(all_treatments)} treatments. The limit is {MAX_TREATMENTS}."
        )
    with toml_file.add_line_to_errors(source.text):
        assignment, block = _assignment(source.name, head), _block(source.name, head, all_treatments)
    if assignment == MINIMIZED:
        covariates = _read_covariates(source, head, read_file)
        return Treatments(
            source.name, assignment, block, all_treatments, {}, (source, covariates.file), covariates
        )
    if assignment != BY_LABEL:
        return Treatments(source.name, assignment, block, all_treatments, {}, (source,))
    labels = read_file(_text(source.name, head, "labels"), "label file")
    column = _text(source.name, head, "column", TREATMENT_COLUMN)
    by_label = dict(_treatments_by_label(labels, column, [treatment.name for treatment in all_treatments]))
    return Treatments(source.name, assignment, block, all_treatments, by_label, (source, labels))


@lru_cache(maxsize=64)
def reread_treatments(files: tuple[DealFile, ...]) -> Treatments:
    """Parses again the files of earlier treatments (``Treatments.files``)."""
    by_name = {file.name: file for file in files}
    return read_treatments(files[0].name, lambda name, _expected: by_name[name])


def _parse_section(source: DealFile, name: str, section: Mapping[str, Any]) -> Treatment:
    with toml_file.add_line_to_errors(source.text, name):
        return parse_treatment(source.name, name, section)


def parse_treatment(file: str, name: str, section: Mapping[str, Any]) -> Treatment:
    """Parses a section of a treatment file. Raises BadFile."""
    if not NAME.fullmatch(name):
        raise BadFile(
            file,
            f"{quote(name)} is not a valid treatment name. A name begins with a letter or digit "
            "and has at most 40 letters, digits, _ and -.",
        )
    fields = toml_file.flat(section)
    share = fields.pop("share", 1)
    if type(share) is not int or not 1 <= share <= MAX_SHARES:
        raise BadFile(
            f"{file} [{name}]",
            f"share must be a whole number from 1 to {MAX_SHARES}, not '{shorten(share)}'.",
        )
    for key, value in fields.items():
        if key.rpartition(".")[2] in SESSION_WIDE_FIELDS:
            raise BadFile(
                f"{file} [{name}]",
                f"{shorten(key)} applies to the whole session. Set it in the session config, not "
                "in a treatment.",
            )
        if type(value) not in (bool, int, float, str):
            raise BadFile(
                f"{file} [{name}]",
                f"{shorten(key)} must be a string, a number, true or false, not '{shorten(value)}'.",
            )
    return Treatment(name, fields, share)


def _assignment(file: str, head: Mapping[str, Any]) -> str:
    assignment: str = head.get("assignment", BALANCED)
    for key in head:
        if key not in HEAD_KEYS:
            near = difflib.get_close_matches(key, HEAD_KEYS, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadFile(
                file,
                f"Unknown setting {quote(key)} before the first treatment.{hint} Only "
                f"{', '.join(HEAD_KEYS[:-1])} and {HEAD_KEYS[-1]} are allowed there. Write the "
                "fields of a treatment below its name, such as [control].",
            )
    if assignment not in ASSIGNMENTS:
        raise BadFile(
            file,
            f"assignment must be {', '.join(ASSIGNMENTS[:-1])} or {ASSIGNMENTS[-1]}, "
            f"not '{shorten(assignment)}'.",
        )
    for key, allowed in _ONLY_WITH.items():
        if key in head and assignment not in allowed:
            words = " or ".join(f'"{method}"' for method in allowed)
            raise BadFile(file, f'{key} is only allowed with assignment = {words}, not with "{assignment}".')
    return assignment


def _block(file: str, head: Mapping[str, Any], treatments: Sequence[Treatment]) -> int:
    """Returns the number of groups in a block: by default the sum of all shares. Raises BadFile."""
    shares = sum(treatment.share for treatment in treatments)
    block = head.get("block", shares)
    if type(block) is not int or block % shares or not 1 <= block <= max(MAX_SHARES, shares):
        raise BadFile(
            file,
            f"block must be a multiple of {shares} (the sum of all shares) and at most "
            f"{MAX_SHARES}, not '{shorten(block)}'.",
        )
    return block


def _text(file: str, head: Mapping[str, Any], key: str, default: str = "") -> str:
    value = head.get(key, default)
    if not isinstance(value, str) or not value:
        description = "a label file" if key == "labels" else "a column of the label file"
        assignment = head["assignment"]
        raise BadFile(file, f'With assignment = "{assignment}", {key} must be the name of {description}.')
    return value


def _treatments_by_label(source: DealFile, column: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yields labels and their treatments from a label file. Raises BadFile."""
    for line, label, cells in read_labels(source, [column]):
        if cells[column] not in names:
            raise BadFile(
                source.name,
                f"Unknown treatment {quote(cells[column])}. The treatments are {', '.join(names)}.",
                line,
            )
        yield label, cells[column]


def _read_covariates(source: DealFile, head: Mapping[str, Any], read_file: ReadFile) -> Covariates:
    """Reads the label file of minimization. Raises BadFile."""
    with toml_file.add_line_to_errors(source.text):
        names, probability = head.get("covariates", []), head.get("probability", PROBABILITY)
        if not isinstance(names, list) or not names or not all(isinstance(one, str) for one in names):
            raise BadFile(
                source.name,
                f'covariates must be a list such as ["age", "sex"], because assignment is "{MINIMIZED}".',
            )
        if type(probability) not in (int, float) or not 0.5 <= probability <= 1:
            raise BadFile(
                source.name, f"probability must be a number from 0.5 to 1, not '{shorten(probability)}'."
            )
        file = _text(source.name, head, "labels")
    labels = read_file(file, "label file")
    by_label = {
        label: tuple(cells[name] for name in names) for _line, label, cells in read_labels(labels, names)
    }
    return Covariates(tuple(names), float(probability), by_label, labels)
