"""Resolves the packages of pyproject.toml into uv.lock, and exports the server's to requirements.txt.

Needs uv. Versions change only where pyproject.toml changes, or for ``--upgrade`` and other options of
``uv lock``, which are passed on::

    .venv/bin/python tools/lock.py [OPTION…]
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# These versions exist only as source. Their C extensions are optional, so they install without a compiler.
SOURCE_ONLY = ("markupsafe", "otree", "python-multipart", "sqlalchemy", "websockets")
HEADER = (
    "# What a server needs, exported from uv.lock by tools/lock.py. oTree-may-not-overwrite-this-file",
    "# Wheels only, so that nobody needs a compiler, except for packages that exist only as source.",
    "--only-binary :all:",
    *(f"--no-binary {name}" for name in SOURCE_ONLY),
)


def export() -> str:
    """Returns requirements.txt as uv.lock gives it."""
    command = ["uv", "export", "--quiet", "--frozen", "--offline", "--no-emit-project", "--extra", "server"]
    options = ["--no-header", "--no-annotate", "--python", sys.executable]
    text = subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return "\n".join(HEADER) + "\n" + text


if __name__ == "__main__":
    subprocess.run(["uv", "lock", *sys.argv[1:]], cwd=ROOT, check=True)
    (ROOT / "requirements.txt").write_text(export(), "utf-8")
