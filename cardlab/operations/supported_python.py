"""Finds a Python that oTree supports, if ``lab.py`` was started with another one.

Unsupported versions of Python must be able to run this module, so it has no f-strings, and types in comments.
"""

import os
import subprocess
import sys

OLDEST, NEWEST = (3, 10), (3, 14)  # oTree 6.0.15 installs on no other version
FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Prints the version, and the program itself: for a virtual environment the Python that it was made from.
# Up to Python 3.10, _base_executable is the environment's own program, a link.
QUESTION = """
import os, sys
print("%d.%d" % sys.version_info[:2])
base = getattr(sys, "_base_executable", None) or sys.executable
print(os.path.realpath(base) if base == sys.executable else base)
"""


def is_supported(version):
    # type: (tuple[int, ...]) -> bool
    """Returns whether oTree supports a version, such as ``(3, 11)``."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


def is_windows():
    # type: () -> bool
    """Returns whether this is Windows."""
    return os.name == "nt"


def restart_lab(arguments):
    # type: (list[str]) -> int
    """Runs ``lab.py`` with a supported Python and returns its exit code; 2 if there is no such Python."""
    names = tuple("%d.%d" % version for version in (OLDEST, NEWEST, sys.version_info[:2]))  # noqa: UP031
    reason = "Card Lab needs Python %s to %s, because oTree does not install on Python %s." % names  # noqa: UP031
    found = find_python()
    if found is None:
        sys.stderr.write(reason + " Install Python " + names[1] + " from python.org, then try again.\n")
        return 2
    program, version = found
    sys.stderr.write(reason + " Using Python " + version + " instead: " + program + "\n")
    sys.stderr.flush()
    command = [program, os.path.join(FOLDER, "lab.py")] + list(arguments)
    if not is_windows():
        os.execv(program, command)  # noqa: S606 find_python has just run this program
    lab = subprocess.Popen(command)  # on Windows, execv would return to the shell at once
    while True:
        try:
            return lab.wait()
        except KeyboardInterrupt:  # lab.py received it too, and is stopping
            pass


def find_python():
    # type: () -> tuple[str, str] | None
    """Returns the path and the version of a supported Python; None if there is none.

    The Python of the existing environment comes first, then the newest one.
    """
    if os.environ.get("CARD_LAB_VENV", "").strip().lower() == "no":
        return None  # the packages belong to the Python that was started
    for command in candidates():
        try:
            with open(os.devnull, "w") as nowhere:
                answer = subprocess.check_output(command + ["-c", QUESTION], stderr=nowhere)
        except (OSError, subprocess.CalledProcessError):
            continue
        lines = answer.decode("utf-8", "replace").splitlines()
        if len(lines) == 2 and is_supported(tuple(int(part) for part in lines[0].split("."))):
            return lines[1], lines[0]
    return None


def candidates():
    # type: () -> list[list[str]]
    """Returns the commands that may start a supported Python, the preferred one first."""
    in_venv = ("Scripts", "python.exe") if is_windows() else ("bin", "python")
    commands = [[os.path.join(FOLDER, ".venv", *in_venv)]]
    versions = ["3.%d" % minor for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]  # noqa: UP031
    if is_windows():
        commands += [["py", "-" + version] for version in versions]
    return commands + [["python" + version] for version in versions]
