"""The command of every game's ``generate.py``: writes the files that it makes, or compares them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path


def write_or_check(folder: Path, files: Mapping[str, str], about: str, arguments: list[str] | None) -> int:
    """Write the texts into files of these names, or with ``--check`` only compare; the exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m deals.{folder.name}.generate", description=about)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    check, wrong = parser.parse_args(arguments).check, []
    for name, text in files.items():
        path = folder / name
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(name)
    if wrong:
        print(f"Not as the generator makes them: {', '.join(wrong)}.", file=sys.stderr)
        return 1
    print(f"{len(files)} files {'are as generated' if check else f'written to {folder}'}.")
    return 0
