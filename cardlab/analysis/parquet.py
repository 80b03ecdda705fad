"""Writes tables as Parquet with the types of the codebook, for R's arrow, pandas, polars and DuckDB.

pyarrow is an optional dependency (the extra analysis), so it is imported in functions. Tables are converted
in batches, to limit the memory.
"""

import csv
from pathlib import Path
from typing import Any

from cardlab import folders
from cardlab.analysis.codebook.columns import describe_columns
from cardlab.games.contract import NotInstalled
from cardlab.games.tables import unguard

SUFFIX = ".parquet"


def check_installed() -> None:
    """Raises NotInstalled with instructions if pyarrow is missing."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise NotInstalled(
            "Parquet needs pyarrow, which is not installed. Run: "
            f"{folders.install_command('analysis')}. "
            "Or write a file whose name ends in .csv."
        ) from None


def convert_table(table: Path, parquet: Path) -> None:
    """Converts a CSV table of the analysis to Parquet.

    Columns have the types of ``cardlab.analysis.codebook.columns``. Empty cells are null in columns of
    numbers, truth values and times (UTC, milliseconds). Texts are never null, and the apostrophes that guard
    spreadsheets are removed.
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
            # pandas writes 3 as 3.0 if the column has missing values.
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
    """Returns the type of each column of a CSV table."""
    with table.open(encoding="utf-8", newline="") as text:
        rows = csv.reader(text)
        columns = describe_columns(table.name, next(rows), rows)
        return {column.column: column.type for column in columns}


def _arrow_type(kind: str) -> Any:
    import pyarrow as pa

    return {
        "integer": pa.int64(),
        "number": pa.float64(),
        "logical": pa.bool_(),
        "time": pa.timestamp("ms", "UTC"),
    }.get(kind, pa.string())
