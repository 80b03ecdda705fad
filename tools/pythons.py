"""Runs the quick tests and ``lab.py run`` with every Python that oTree supports::

    python3 tools/pythons.py                             the Pythons 3.10 to 3.14 on the PATH
    python3 tools/pythons.py python3.10 /opt/py/python   these

Each gets a fresh clone with its own environment. ``uv python install 3.10 3.12`` brings Pythons that
the system lacks; ``uv python find 3.10`` names them. Prints a row for each: version, tests, and how many
seconds ``lab.py run`` needs from nothing to an answer.
"""

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = [f"python3.{minor}" for minor in range(10, 15)]
MOST_SECONDS = 600


def main(commands: list[str]) -> int:
    """Checks each Python; returns 1 if one of them failed."""
    interpreters = commands or [name for name in PYTHONS if shutil.which(name)]
    missing = [] if commands else [name for name in PYTHONS if name not in interpreters]
    rows = [check(command) for command in interpreters]
    print("", "Python   lab.py run   quick tests", *(row for row, _ in rows), sep="\n")
    if missing:
        print(f"not on this computer: {', '.join(missing)}")
    return 0 if all(has_passed for _, has_passed in rows) else 1


def check(python: str) -> tuple[str, bool]:
    """Returns the row of a Python, and whether everything passed."""
    code = "import platform; print(platform.python_version())"
    version = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    print(f"\n== Python {version}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        clone = Path(folder, "card-lab")
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        seconds = seconds_to_answer(python, clone)
        log = Path(folder, "tests.txt")
        with open(log, "w", encoding="utf-8") as output:
            command = [python, "lab.py", "test", "--quick"]
            has_passed = not subprocess.run(
                command, cwd=clone, stdout=output, stderr=subprocess.STDOUT
            ).returncode
        text = log.read_text("utf-8", errors="replace")
    counts = re.findall(r"\d+ passed, \d+ failed, \d+ skipped", text)
    if not has_passed:
        print(text[-5000:])
    answer_time = f"{seconds:.0f} s" if seconds else "failed"
    return f"{version:<9}{answer_time:<13}{counts[-1] if counts else 'did not run'}", has_passed and bool(
        seconds
    )


def seconds_to_answer(python: str, clone: Path) -> float | None:
    """Returns how long ``lab.py run`` needs until the demo page is there; None if it stops before."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    start = time.monotonic()
    windows = sys.platform == "win32"
    options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if windows else {}
    with subprocess.Popen([python, "lab.py", "run", "--port", str(port)], cwd=clone, **options) as lab:
        try:
            while lab.poll() is None and time.monotonic() - start < MOST_SECONDS:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/demo", timeout=10).read()
                    return time.monotonic() - start
                time.sleep(0.1)
            return None
        finally:
            lab.send_signal(signal.CTRL_BREAK_EVENT if windows else signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
