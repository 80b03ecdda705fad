"""Tables as Parquet, with the types that the codebook tells: for R's arrow, pandas, polars, DuckDB.

pyarrow is an optional requirement (requirements-analysis.txt), so it is imported when it is asked for. A
table is converted batch by batch, in little memory however long it is.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from cardlab.analysis.codebook.columns import describe_columns
from cardlab.games.contract import NotInstalled
from cardlab.games.tables import unguard

SUFFIX = ".parquet"


def check_installed() -> None:
    """NotInstalled with a sentence that says what to do, unless pyarrow is there."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise NotInstalled(
            "Parquet needs pyarrow, which is not installed here: python -m pip install -r "
            "requirements-analysis.txt. A file whose name ends in .csv needs nothing."
        ) from None


def convert_table(table: Path, parquet: Path) -> None:
    """Write as Parquet what a CSV table of the analysis tells.

    Numbers, truth values and times (UTC, milliseconds) are such, and null where a cell is empty. Texts are
    never null, and have no apostrophe that guards a spreadsheet. Which is which says
    ``cardlab.analysis.codebook.columns``.
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    types = _column_types(table)
    schema = pa.schema([pa.field(name, _arrow_type(kind)) for name, kind in types.items()])
    reader = pyarrow.csv.open_csv(
        table,
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            # A whole number may stand there as 3.0, where others of its column are missing.
            column_types={
                name: pa.float64() if kind == "integer" else _arrow_type(kind) for name, kind in types.items()
            },
            null_values=[""],
            strings_can_be_null=False,
            true_values=["1", "1.0", "True"],
            false_values=["0", "0.0", "False"],
        ),
    )
    guarded = [name for name, kind in types.items() if kind == "guarded text"]
    with reader, pyarrow.parquet.ParquetWriter(parquet, schema) as writer:
        for batch in reader:
            columns = {name: batch.column(name) for name in types}
            for name in guarded:
                columns[name] = pa.array([unguard(text) for text in columns[name].to_pylist()], pa.string())
            cells = [column.cast(schema.field(name).type) for name, column in columns.items()]
            writer.write_batch(pa.RecordBatch.from_arrays(cells, schema=schema))


def _column_types(table: Path) -> dict[str, str]:
    """The type of each column of a CSV table, as the codebook has it."""
    with table.open(encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        found = describe_columns(table.name, next(rows), rows)
        return {column.column: column.type for column in found}


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return {
        "integer": pa.int64(),
        "number": pa.float64(),
        "logical": pa.bool_(),
        "time": pa.timestamp("ms", "UTC"),
    }.get(kind, pa.string())
