"""Tests the content of the wheel, and the commands of a Card Lab that is installed from it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installed import cardlab, lay_out

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Provides a folder like ``site-packages``, with the files of the wheel."""
    return lay_out(tmp_path_factory.mktemp("site"))


def files_below(root, name):
    return {path.relative_to(root) for path in (root / name).rglob("*") if path.is_file()}


def test_wheel_has_what_a_session_needs(site):
    shipped = site / "cardlab" / "shipped"
    for name in ("_static/cardlab", "_templates/cardlab", "deals", "treatments", "ttt_pair_app"):
        wanted = {path for path in files_below(ROOT, name) if path.suffix not in (".pyc", ".mo")}
        left_out = wanted ^ files_below(shipped, name)
        assert {path.suffix for path in left_out} <= {".py"}
        assert all(path.parts[0] == "deals" for path in left_out)
    assert (shipped / "_locale" / "it" / "LC_MESSAGES" / "messages.mo").stat().st_size > 10_000


def test_built_wheel_has_the_same_files(site, tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    there = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert names == {path.as_posix() for path in there if "__pycache__" not in path.parts}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "There is no settings.py in "),
        (["test"], "cardlab test is a command of Card Lab's source folder."),
        (["sbom"], "cardlab sbom is a command of Card Lab's source folder."),
    ],
)
def test_installed_command_says_what_it_needs(site, tmp_path, arguments, message):
    done = cardlab(tmp_path, site, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_installed_analysis_reads_deals_of_both_folders(site, tmp_path):
    own = tmp_path / "deals" / "ttt"
    own.mkdir(parents=True)
    (own / "mine.txt").write_text("C Ck UP T N Nk\n2H 3H 4H 2C 3C 4C\n", "utf-8")
    for file in ("mine.txt", "demo.txt"):
        options = ["--deals", file, "--hands", "1", "-o", f"{file}.csv"]
        done = cardlab(tmp_path, site, "analysis", "simulate", "ttt", *options)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"{file}.csv").stat().st_size > 0
