"""Reads the tables in the folder of this file as pandas data frames, with the types of codebook.csv.

    from read_data import read_data

    tables = read_data()
    hands = tables["data/ttt_solo_app_hands.csv"]

Times are in UTC. An empty cell is missing, but in a column of text it stays an empty text. JSON stays text:
``hands["settings"].map(json.loads)``. The apostrophe that guards a spreadsheet is removed.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

TRUTH = {"1": True, "True": True, "0": False, "False": False}


def read_numbers(cells: pd.Series) -> pd.Series:
    """Returns numbers, NaN for empty cells."""
    return pd.to_numeric(cells.mask(cells == "")).astype(float)


READERS: dict[str, Callable[[pd.Series], pd.Series]] = {
    "text": lambda cells: cells.astype("string"),
    "guarded text": lambda cells: cells.astype("string").str.removeprefix("'"),
    "JSON": lambda cells: cells.astype("string"),
    "integer": lambda cells: read_numbers(cells).astype("Int64"),
    "number": read_numbers,
    "logical": lambda cells: cells.map(TRUTH).astype("boolean"),
    "time": lambda cells: pd.to_datetime(cells.mask(cells == ""), format="ISO8601", utc=True),
}


def read_data(folder: str | Path = Path(__file__).parent) -> dict[str, pd.DataFrame]:
    """Returns every table of the folder by its file's name in codebook.csv."""
    folder = Path(folder)
    book = pd.read_csv(folder / "codebook.csv", dtype=str, keep_default_na=False)
    return {
        file: read_table(folder / file, dict(zip(columns["column"], columns["type"])))
        for file, columns in book.groupby("file", sort=False)
    }


def read_table(file: Path, types: Mapping[str, str]) -> pd.DataFrame:
    """Reads a table with its types by column; ``#`` stands for the number of a round."""
    with file.open("rb") as content:
        encoding = "utf-16" if content.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    table = pd.read_csv(file, dtype=str, keep_default_na=False, encoding=encoding)
    return pd.DataFrame(
        {name: READERS[types[re.sub(r"\.\d+\.", ".#.", name)]](table[name]) for name in table.columns}
    )


if __name__ == "__main__":
    for file, table in read_data().items():
        print(f"{file}: {len(table)} rows, {len(table.columns)} columns")
