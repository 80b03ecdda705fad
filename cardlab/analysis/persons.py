"""Recognizes the same person in several sessions by a column of the table of hands, such as the label."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from cardlab.games.columns import Integer
from cardlab.games.contract import BadFile

if TYPE_CHECKING:
    import pandas as pd

PERSON, VISIT = "person", "visit"
COLUMNS = {
    PERSON: "with `--person`: a hash that is the same in all sessions of the person",
    VISIT: Integer("with `--person`: number of this participation of the person, in order of time"),
}
_DIGITS = 12  # of a hash; two of a million persons have the same with a probability of 0.2 %


def add_persons(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Returns the table of hands with ``COLUMNS``, and hashes instead of the cells of ``column``.

    The same cell, without surrounding blanks, has the same hash everywhere. So anyone who knows a label can
    compute its hash. A participant with an empty cell is a separate person; a robot is not a person. Raises
    BadFile if there is no such column.
    """
    if column not in rows:
        raise BadFile("--person", f"There is no column {column!r} that names persons.")
    codes, names = rows["session_code"] + "/" + rows["participant_code"], rows[column].astype(str).str.strip()
    is_robot = (rows["participant_code"] == "") & (rows["app"] != "")
    hashes = {name: _hash(name) for name in {*names, *codes}} | {"": ""}
    rows = rows.assign(**{column: names.map(hashes)})
    persons = names.where(names != "", codes).map(hashes).where(~is_robot, "")
    begins = rows["shown_utc"].where(rows["shown_utc"] != "", rows["session_created_utc"])
    participations = persons.groupby(codes, sort=False).first().to_frame(PERSON)
    participations["begin"] = begins.groupby(codes).min()
    visits = participations.sort_values("begin", kind="stable").groupby(PERSON).cumcount() + 1
    return rows.assign(**{PERSON: persons, VISIT: codes.map(visits).where(~is_robot, "")})


def _hash(text: str) -> str:
    """Returns the hash, which begins with a letter, because 12e345678901 would be read as a number."""
    return f"p{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"
