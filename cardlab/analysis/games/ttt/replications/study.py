"""Reads the description of a replication, a TOML file (``study.toml``)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote, shorten
from cardlab.games.ttt.performance import MEASURES

FOLDER = Path(__file__).parent
STUDY, DESIGN = "study.toml", "design.toml"
NAMES = tuple(sorted(path.parent.name.replace("_", "-") for path in FOLDER.glob(f"*/{STUDY}")))
_TEXTS = ("title", "citation", "read", "about")
_KEYS = (*_TEXTS, "open", "configs", "figures")
_FIGURE_KEYS = (
    *("claim", "source", "published", "measure", "at_least", "equals"),
    *("at", "where", "compare", "expect"),
)
_CONFIG_KEYS = ("name", "title", "app", "participants", "strategy", "treatments", "hands", "session")
_CONTRAST = re.compile(r"\s*(.+?)\s*([<>])\s*(.+?)\s*")


class Level(NamedTuple):
    """A value of a column, written as ``phase = later``."""

    column: str
    value: str


class Contrast(NamedTuple):
    """Two values of a column, and how the study orders their means: ``<`` or ``>``."""

    column: str
    first: str
    relation: str
    second: str


@dataclass(frozen=True)
class Figure:
    """A finding of the study, and how it is computed from data.

    ``published`` is the published number, None if it is not known. The figure is the mean of ``measure``, or
    with the predicate ``select``, the share of participants whose value satisfies it. ``at`` limits the
    hands, and ``where`` the participants, to a value of a column. ``contrast`` compares two values of a
    column of hands (within persons) or of participants.
    """

    claim: str
    source: str
    measure: str
    published: float | None = None
    select: Callable[[Any], bool] | None = None
    at: Level | None = None
    where: Level | None = None
    contrast: Contrast | None = None


@dataclass(frozen=True)
class Config:
    """A session config of the replication, and how participants are simulated in it.

    ``hands`` are the settings that simulations know too, ``session`` the other ones.
    """

    name: str
    title: str
    app: str
    participants: int
    strategy: str
    treatments: str
    hands: Mapping[str, Any]
    session: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """A replication. ``read`` names the parts of the publication that were read, ``unknown`` what is open."""

    file: Path
    title: str
    citation: str
    read: str
    about: str
    unknown: tuple[str, ...]
    configs: tuple[Config, ...]
    figures: tuple[Figure, ...]

    @property
    def design(self) -> Path:
        """The design to preregister."""
        return self.file.parent / DESIGN


def read_study(name: str) -> Study:
    """Reads a study of Card Lab by its name, or a file that ends with ``.toml``. Raises BadFile."""
    path = FOLDER / name.replace("-", "_") / STUDY if name in NAMES else Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise BadFile(name, f"There is no such study. Write {', '.join(NAMES)}, or the path of a {STUDY}.")
    text = path.read_text("utf-8-sig")
    tables = toml_file.read_toml(text, str(path))
    _check_keys(str(path), tables, _KEYS)
    title, citation, read, about = (_parse_text(str(path), tables, key) for key in _TEXTS)
    figures = enumerate(tables.get("figures", ()), 1)
    return Study(
        file=path,
        title=title,
        citation=citation,
        read=read,
        about=about,
        unknown=tuple(map(str, tables.get("open", ()))),
        configs=tuple(_parse_config(f"{path} config", table) for table in tables.get("configs", ())),
        figures=tuple(_parse_figure(f"{path} figure {number}", table) for number, table in figures),
    )


def _check_keys(file: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise BadFile(file, f"Unknown setting {quote(key)}. Only {', '.join(known)} are allowed here.")


def _parse_text(file: str, table: Mapping[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise BadFile(file, f"{key} must be a text in quotation marks, not '{shorten(value)}'.")
    return " ".join(value.split())


def _parse_config(file: str, table: Mapping[str, Any]) -> Config:
    _check_keys(file, table, _CONFIG_KEYS)
    if missing := [key for key in _CONFIG_KEYS if key not in ("treatments", *table)]:
        raise BadFile(file, f"{missing[0]} is missing. Add it to this section.")
    return Config(**{"treatments": "", **table})


def _parse_figure(file: str, table: Mapping[str, Any]) -> Figure:
    _check_keys(file, table, _FIGURE_KEYS)
    measure, published = _parse_text(file, table, "measure"), table.get("published")
    known = [one.__name__ for one in MEASURES.participant_measures]
    if measure not in known:
        raise BadFile(file, f"measure {quote(measure)} is unknown. The measures are {', '.join(known)}.")
    if published is not None and type(published) not in (int, float):
        raise BadFile(
            file, f"published must be a number, not '{shorten(published)}'. Leave it out if unknown."
        )
    return Figure(
        claim=_parse_text(file, table, "claim"),
        source=_parse_text(file, table, "source"),
        measure=measure,
        published=published,
        select=_parse_selection(table),
        at=_parse_level(file, table, "at"),
        where=_parse_level(file, table, "where"),
        contrast=_parse_contrast(file, table) if "compare" in table else None,
    )


def _parse_selection(table: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    if "at_least" in table:
        return lambda value: operator.ge(value, table["at_least"])
    if "equals" in table:
        return lambda value: operator.eq(value, table["equals"])
    return None


def _parse_level(file: str, table: Mapping[str, Any], key: str) -> Level | None:
    if key not in table:
        return None
    column, equals, value = _parse_text(file, table, key).partition("=")
    if not equals:
        raise BadFile(file, f'{key} must be like "phase = later", not {quote(column)}.')
    return Level(column.strip(), value.strip())


def _parse_contrast(file: str, table: Mapping[str, Any]) -> Contrast:
    expect = _parse_text(file, table, "expect")
    if not (match := _CONTRAST.fullmatch(expect)):
        raise BadFile(file, f'expect must be like "later < learning", not {quote(expect)}.')
    first, relation, second = match.groups()
    return Contrast(_parse_text(file, table, "compare"), first, relation, second)
