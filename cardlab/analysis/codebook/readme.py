"""The texts of a dataset: README.md, CHANGES.md, and the files that a validator of Psych-DS ignores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardlab.analysis.codebook import book, data_package, psych_ds

README = """\
# {name}

{description}

{conditionsOfAccess}

The dataset is valid in two standards: [Psych-DS](https://psych-ds.github.io) (`dataset_description.json`) and
[Frictionless Data Package](https://datapackage.org) 2 (`datapackage.json`).

| | |
|---|---|
| `data/` | all tables, each with the meanings of its columns in a `.json` file beside it |
| `log/` | logs in the formats of the original programs |
| `codebook.csv` | the type and meaning of every column |

## Load the tables

Every table is CSV in UTF-8 with a heading. An empty cell is a missing value.

- **Python**: `from read_data import read_data; tables = read_data()` gives pandas data frames with the types
  of the codebook. `frictionless` also reads `datapackage.json`.
- **R**: `source("read_data.R"); tables <- read_data()`.
- **Stata**: `import delimited using "data/FILE", varnames(1) case(preserve) bindquote(strict)
  maxquotedrows(unlimited) encoding("utf-8")`, in one line.
- **SPSS**: *File, Import Data, CSV Data*, encoding *UTF-8*, *First line contains variable names*.
- **JASP**: *Open, Computer*, and choose the CSV file.
"""

REPLACED = """
## What was replaced

- Labels, ids from recruiting, comments, and texts in people's own words are pseudonyms such as
  `p-3f2a9c81d04b`. They were made with a secret key, which is not in this dataset. The same text has the same
  pseudonym everywhere.
- Times are relative: each session was created at `1970-01-01T00:00:00.000Z`.
- Codes such as `participant_code` were drawn by the server and are unchanged.
"""

CHANGES = "# Changes\n\nThis is the first version of the dataset.\n"


def write_texts(folder: Path, about: Mapping[str, Any], replaced: bool) -> None:
    """Writes the texts; ``about`` has the dataset's properties, ``replaced`` whether it has pseudonyms."""
    text = README.format(**about) + (REPLACED if replaced else "")
    (folder / "README.md").write_text(text, "utf-8")
    (folder / "CHANGES.md").write_text(CHANGES, "utf-8")
    ignored = [
        psych_ds.IGNORED,
        data_package.DESCRIPTION,
        book.NAME,
        *book.READERS,
        "study.json",
        "seal.json",
        "SHA256SUMS",
    ]
    (folder / psych_ds.IGNORED).write_text("\n".join(ignored) + "\n", "utf-8")
