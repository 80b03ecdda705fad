"""Tests, on any system, the code that runs only on Windows or macOS, with stand-ins for their functions."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from cardlab import journal, open_files
from cardlab.core import engine_pool
from cardlab.exports import worker_process
from cardlab.guard import connections
from cardlab.operations import (
    environment,
    private_files,
    project,
    rehearse,
    running_server,
    server,
    several_servers,
    supported_python,
)
from cardlab.operations.preflight import computer
from cardlab.operations.terminal import Refusal

ROOT = Path(__file__).resolve().parent.parent
# How often each file checks the operating system. Each file has a test here, or in the module in its comment.
ASKING = {
    "cardlab/core/engine_pool.py": 1,
    "cardlab/exports/worker_process.py": 2,
    "cardlab/journal.py": 1,
    "cardlab/open_files.py": 3,  # the import and two functions
    "cardlab/operations/command_line.py": 1,  # tests/lab/test_run.py, with SIGHUP
    "cardlab/operations/environment.py": 3,
    "cardlab/operations/preflight/computer.py": 1,
    "cardlab/operations/private_files.py": 1,
    "cardlab/operations/project.py": 2,
    "cardlab/operations/rehearse.py": 1,
    "cardlab/operations/running_server.py": 1,
    "cardlab/operations/server.py": 4,
    "cardlab/operations/several_servers.py": 1,
    "cardlab/operations/supported_python.py": 5,  # tests/operations/test_supported_python.py
}
ASKS = (
    r"sys\.platform\b|\bWINDOWS\b(?!,)|is_windows\(\)|os\.name\b|hasattr\((?:os|signal)"
    r'|getattr\((?:subprocess|signal), "[A-Z]'
)


def test_every_question_for_the_system_is_known():
    """A new check needs a test that simulates the other systems."""
    found = {}
    for path in sorted([*ROOT.glob("cardlab/**/*.py"), *ROOT.glob("*_app/**/*.py"), *ROOT.glob("*.py")]):
        lines = [
            line for line in path.read_text("utf-8").splitlines() if not line.startswith(("from ", "import "))
        ]
        if count := sum(bool(re.search(ASKS, line)) for line in lines):
            found[path.relative_to(ROOT).as_posix()] = count
    assert found == ASKING


@pytest.fixture
def windows(monkeypatch):
    """Makes the product believe that it runs on Windows; returns the recorded calls of Windows' functions."""
    calls = []

    def record(name, answer=None):
        return lambda *arguments, **_options: calls.append((name, *arguments)) or answer

    kernel = SimpleNamespace(
        GetCurrentProcess=lambda: 7,
        SetPriorityClass=record("priority"),
        GetDriveTypeW=lambda root: computer.DRIVE_REMOTE if root == "Z:\\" else 3,
    )
    ctypes = SimpleNamespace(windll=SimpleNamespace(kernel32=kernel), c_void_p=lambda value: value)
    msvcrt = SimpleNamespace(locking=record("lock"), LK_NBLCK=2)
    monkeypatch.setitem(sys.modules, "ctypes", ctypes)
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("SYSTEMROOT", "C:\\Windows")
    for module in (environment, private_files, project, server, several_servers):
        monkeypatch.setattr(module, "WINDOWS", True)
    for name in ("nice", "setpgid", "killpg"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(subprocess, "run", lambda command, **_options: calls.append(command))
    return calls


# ------------------------------------------------------------------ paths and names


@pytest.mark.parametrize(
    ("platform", "machine", "name"),
    [
        ("win32", "AMD64", "windows-amd64"),
        ("darwin", "arm64", "macos-arm64"),
        ("linux", "x86_64", "linux-x86_64"),
    ],
)
def test_systems_have_the_names_of_bundles(monkeypatch, platform, machine, name):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(environment.platform, "machine", lambda: machine)
    assert environment.this_system() == name


def test_windows_environments_have_scripts_and_copies(windows, monkeypatch):
    made = []
    monkeypatch.setattr(environment.venv, "create", lambda folder, **options: made.append(options))
    environment.make_venv(".venv")
    assert made == [{"clear": True, "symlinks": False}]  # few users may create symbolic links
    assert environment.venv_program("python").parts[-3:] == (".venv", "Scripts", "python.exe")


def test_windows_commands_start_with_py():
    code = "import os\nos.name = 'nt'\n"
    source = (ROOT / "cardlab/operations/project.py").read_text("utf-8")
    lines = [line for line in source.splitlines() if line.startswith(("WINDOWS =", "COMMAND ="))]
    done = subprocess.run(
        [sys.executable, "-c", code + "\n".join([*lines, "print(COMMAND)"])], capture_output=True, text=True
    )
    assert done.stdout == "py lab.py\n"


# ------------------------------------------------------------------ files


def test_windows_files_keep_their_modes(windows, tmp_path, monkeypatch):
    monkeypatch.setattr(project, "FOLDER", tmp_path)
    monkeypatch.setattr(private_files.os, "umask", lambda _mask: 0o022)
    monkeypatch.setattr(private_files, "_users_umask", None)
    database = tmp_path / "db.sqlite3"
    database.touch(0o644)
    mode = database.stat().st_mode
    private_files.keep_private()
    assert database.stat().st_mode == mode


def test_windows_locks_the_running_server(windows, tmp_path, monkeypatch):
    monkeypatch.setattr(running_server, "secrets_folder", lambda: tmp_path)
    with running_server.server_lock() as lock:
        assert windows == [("lock", lock.fileno(), 2, 1)]

    def refuse(*_arguments):
        raise OSError

    monkeypatch.setattr(sys.modules["msvcrt"], "locking", refuse)
    with pytest.raises(Refusal, match="already running from this folder"), running_server.server_lock():
        pass


def test_windows_locks_the_journal(windows, tmp_path, monkeypatch):
    """On Windows the first byte of a separate file is locked; elsewhere closing the file unlocks it."""
    monkeypatch.setattr(sys.modules["msvcrt"], "LK_LOCK", 1, raising=False)
    monkeypatch.setattr(sys.modules["msvcrt"], "LK_UNLCK", 0, raising=False)
    with journal._locked(tmp_path / "db.jsonl"):
        [(_lock, number, *how)] = windows
        assert how == [1, 1]
    assert windows[1:] == [("lock", number, 0, 1)]
    assert [file.name for file in tmp_path.iterdir()] == ["db.lock"]


def test_network_drives_are_recognized_on_windows(windows):
    def folder(root):
        return SimpleNamespace(resolve=lambda: SimpleNamespace(anchor=root))

    kinds = [computer.file_system(folder(root)) for root in ("C:\\", "Z:\\", "\\\\server\\share\\")]
    assert kinds == ["", "smb", "smb"]


def test_network_drives_are_recognized_on_macos(monkeypatch):
    mounts = (
        "/dev/disk3s1 on / (apfs, sealed, local)\n//lab@server/data on /Volumes/data (smbfs, nodev, nosuid)\n"
    )

    def no_proc(*_arguments, **_options):
        raise FileNotFoundError

    monkeypatch.setattr(computer.Path, "read_text", no_proc)
    monkeypatch.setattr(
        computer.subprocess, "run", lambda *_command, **_options: SimpleNamespace(stdout=mounts)
    )
    assert computer.file_system(Path("/Volumes/data/card-lab")) == "smbfs"
    assert computer.file_system(Path("/Users/ada")) == "apfs"


# ------------------------------------------------------------------ processes


def test_windows_servers_are_groups_of_their_own(windows, monkeypatch):
    started = []
    monkeypatch.setattr(server.subprocess, "Popen", lambda command, **options: started.append(options))
    server.start_server("127.0.0.1", 8000, Path(), {})
    assert started[0]["creationflags"] == 0x200
    assert "start_new_session" not in started[0]


def test_windows_ends_a_server_with_its_children(windows):
    ended = []
    server.end_server(SimpleNamespace(pid=12, wait=lambda *_seconds: ended.append("waited")))
    [command] = windows
    assert command[1:] == ["/T", "/F", "/PID", "12"]
    assert Path(command[0]).name == "taskkill.exe"
    assert ended == ["waited"]


def test_windows_passes_no_lock_to_the_server(windows, monkeypatch, tmp_path):
    seen = {}

    def start(_address, _port, _folder, _environment, **options):
        seen.update(options)
        raise Refusal("enough")

    monkeypatch.setattr(server, "start_server", start)
    monkeypatch.setattr(server, "server_environment", lambda _address: {})
    with open(tmp_path / "lock", "w") as lock, pytest.raises(Refusal):
        server.serve("127.0.0.1", 8000, "en", lock)
    assert set(seen) == {"stdout"}


@pytest.mark.parametrize(
    ("lacking", "names"),
    [
        (("SIGHUP",), ["SIGINT", "SIGTERM", "SIGBREAK"]),
        (("SIGBREAK",), ["SIGINT", "SIGTERM", "SIGHUP"]),
    ],
)
def test_stop_signals_are_those_of_the_system(monkeypatch, lacking, names):
    values = {name: name for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if name not in lacking}
    monkeypatch.setattr(server, "signal", SimpleNamespace(**values, Signals=signal.Signals))
    assert server.stop_signals() == names


def test_several_servers_are_refused_on_windows(windows):
    with pytest.raises(Refusal, match="needs Linux or macOS"):
        several_servers.run(Path("servers.toml"), 0)


def test_windows_workers_have_a_low_priority(windows, monkeypatch):
    monkeypatch.setattr(engine_pool.signal, "signal", lambda *_arguments: None)
    monkeypatch.setattr(
        engine_pool.threading, "Thread", lambda **_options: SimpleNamespace(start=lambda: None)
    )
    engine_pool._initialize(None, {}, ())
    assert windows == [("priority", 7, 0x4000)]
    worker_process.lower_priority()  # start_worker has called this
    started = []
    monkeypatch.setattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0x4000, raising=False)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.append(options))
    worker_process.start_worker("exports.worker")
    assert started[0]["creationflags"] == 0x4000


def test_windows_has_a_limit_of_sockets(windows):
    open_files.raise_limit()
    assert connections._max_connections() == 448


def test_macos_allows_fewer_open_files(monkeypatch):
    limits = []
    resource = SimpleNamespace(
        RLIMIT_NOFILE=8,
        RLIM_INFINITY=-1,
        getrlimit=lambda _which: (256, -1),
        setrlimit=lambda _which, limit: limits.append(limit),
    )
    monkeypatch.setattr(open_files, "resource", resource)
    open_files.raise_limit()
    assert limits == [(open_files.MOST, -1)]
    assert connections._max_connections() == 56


@pytest.mark.parametrize(("name", "is_windows"), [("nt", True), ("posix", False)])
def test_windows_is_known_by_its_name(monkeypatch, name, is_windows):
    monkeypatch.setattr(supported_python, "os", SimpleNamespace(name=name))
    assert supported_python.is_windows() is is_windows


def test_windows_cannot_rehearse_in_accelerated_time(monkeypatch):
    monkeypatch.setattr(project, "WINDOWS", True)
    with pytest.raises(Refusal, match="Rehearse online studies on Linux or macOS"):
        rehearse.rehearse(SimpleNamespace(online=True))
