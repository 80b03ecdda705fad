"""Makes the treatments of a factorial design, such as 2×2, from the ``[factors]`` of a treatment file.

Each factor is a table of its levels, and each level a table of the fields that it sets. Every combination of
levels is a treatment, named by them: ``422-time``. A section of that name may add its ``share`` and fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from cardlab.games import toml_file
from cardlab.games.contract import BadFile
from cardlab.games.text_file import quote, shorten

FACTORS = "factors"  # the section
COLUMN = "factor_"  # begins the names of the columns in exports
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")

Levels = tuple[tuple[str, str], ...]  # the factors of a treatment, each with its level


def cells(file: str, sections: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], Levels]]:
    """Yields the name, the fields and the levels of each treatment of a file with ``[factors]``.

    Raises BadFile.
    """
    factors = _factors(file, sections[FACTORS])
    other_sections = {key: section for key, section in sections.items() if key != FACTORS}
    names = set()
    for combination in product(*(levels.items() for levels in factors.values())):
        name = "-".join(level for level, _fields in combination)
        if name in names:
            raise BadFile(file, f"Two combinations of levels have the name {quote(name)}. Rename a level.")
        names.add(name)
        fields: dict[str, Any] = {}
        for (level, level_fields), factor in zip(combination, factors):
            if repeated := fields.keys() & level_fields.keys():
                raise BadFile(
                    f"{file} [{FACTORS}.{factor}.{level}]",
                    f"{shorten(min(repeated))} is set by another factor too. Set it by one factor only.",
                )
            fields |= level_fields
        levels = tuple((factor, level) for factor, (level, _fields) in zip(factors, combination))
        yield name, {**fields, **toml_file.flat(other_sections.pop(name, {}))}, levels
    if other_sections:
        raise BadFile(
            file,
            f"[{shorten(min(other_sections))}] is no combination of levels. With [{FACTORS}], "
            f"the treatments are {', '.join(sorted(names))}.",
        )


def _factors(file: str, section: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Returns the fields of each level of each factor. Raises BadFile."""
    factors = {}
    for factor, levels in section.items():
        location = f"{file} [{FACTORS}.{shorten(factor)}]"
        if not NAME.fullmatch(factor):
            raise BadFile(
                location, "The name of a factor has at most 40 letters, digits and _, a letter first."
            )
        if not isinstance(levels, dict) or len(levels) < 2:
            raise BadFile(location, "A factor needs at least two levels, such as [factors.pay.time].")
        for level, fields in levels.items():
            if not isinstance(fields, dict):
                raise BadFile(
                    location, f"{shorten(level)} must be a level with its fields, such as [factors.pay.time]."
                )
            if "share" in fields:
                raise BadFile(
                    location, "share belongs to a treatment. Write it below a name such as [422-time]."
                )
        factors[factor] = {level: toml_file.flat(fields) for level, fields in levels.items()}
    if not factors:
        raise BadFile(
            file, f"[{FACTORS}] has no factor. Begin a level with a line such as [factors.pay.time]."
        )
    return factors
