"""Tests `lab.py run --reload` without a server: which changes restart it, and the steps of a restart."""

from __future__ import annotations

import os

import pytest

from cardlab.operations import reload
from cardlab.operations.reload import FilesChanged, FileWatch, serve_again
from cardlab.operations.terminal import Refusal


def write(path, ns: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, ns=(ns, ns))


def test_changed_added_and_deleted_files_are_named(project):
    for name in ("my_app/__init__.py", "my_app/Page.html", "settings.py", "db.sqlite3", "tests/test_a.py"):
        write(project / name, 1)
    watch = FileWatch()
    watch.check()
    write(project / "db.sqlite3", 2)
    write(project / "tests/test_a.py", 2)
    write(project / ".venv/lib/x.py", 2)
    watch.check()
    write(project / "my_app/__init__.py", 2)
    (project / "settings.py").unlink()
    write(project / "my_app/New.html", 1)
    with pytest.raises(FilesChanged, match=r"^my_app/New.html, my_app/__init__.py, settings.py$"):
        watch.check()
    watch.check()
    for number in range(5):
        write(project / f"page_{number}.html", 1)
    with pytest.raises(FilesChanged, match=r"^page_0.html, page_1.html, page_2.html and 2 more$"):
        watch.check()


def test_server_restarts_until_it_is_stopped(project, monkeypatch, capsys):
    done = []
    outcomes = iter(["changed", "cannot start", "changed", "stopped"])
    monkeypatch.setattr(reload.time, "sleep", lambda _seconds: write(project / "settings.py", len(done)))

    def serve(check):
        done.append("serve")
        outcome = next(outcomes)
        if outcome == "changed":
            write(project / "my_app.py", len(done))
            check()
        if outcome == "cannot start":
            raise Refusal("The apps cannot be loaded.")
        return 0

    assert serve_again(lambda: done.append("prepare"), serve) == 0
    assert done == ["serve", *["prepare", "serve"] * 3]
    said = capsys.readouterr()
    assert said.err == "The apps cannot be loaded.\n"
    assert said.out.splitlines() == [
        "my_app.py changed. Restarting …",
        "Waiting for a changed file …",
        "settings.py changed. Restarting …",
        "my_app.py changed. Restarting …",
    ]
