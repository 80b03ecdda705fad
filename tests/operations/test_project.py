"""Tests which files belong to one installation and stay there."""

from cardlab.operations import project
from cardlab.operations.project import copy_project


def test_git_ignores_files_of_one_installation():
    ignored = (project.FOLDER / ".gitignore").read_text("utf-8").split()
    assert {".venv", ".venv-dask/", ".venv-docs", ".venv-validators/", ".venv-mutation/"} <= set(ignored)
    assert "/docs/_build/" in ignored
    assert {"/secrets/", "/logs/", "/exports/", "/backups/", "*.sqlite3*"} <= set(ignored)
    assert "*.otreezip" in ignored


def test_working_copy_excludes_installation_files(project, tmp_path_factory):
    environments = (".venv", ".venv-dask", ".venv-docs", ".venv-validators", ".venv-mutation")
    for name in (*environments, "secrets", "logs", "exports", "backups", "games/__pycache__"):
        (project / name).mkdir(parents=True)
    (project / "docs" / "_build" / "html").mkdir(parents=True)
    for name in ("db.sqlite3", "db.sqlite3-wal", "games/rules.py", "docs/_build/html/index.html"):
        (project / name).write_text("x")
    copy = copy_project(tmp_path_factory.mktemp("copy") / "card_lab")
    kept = sorted(path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file())
    assert kept == [
        "docs/_build/html/index.html",  # the documentation for offline laboratories
        "games/rules.py",
        "requirements.txt",
        "uv.lock",
    ]
