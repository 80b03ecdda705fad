"""Tests that the shipped deals of each game equal the generated ones."""

from importlib import import_module
from pathlib import Path

import pytest

from deals import generated

DEALS = Path(generated.__file__).parent
GENERATORS = [path.parent.name for path in sorted(DEALS.glob("*/generate.py"))]


@pytest.mark.long("each deal is played some hundred times to grade it", only="solitario")
@pytest.mark.parametrize("game", GENERATORS)
def test_shipped_files_are_as_generated(game, capsys):
    assert import_module(f"deals.{game}.generate").main(["--check"]) == 0
    assert "as generated" in capsys.readouterr().out


def test_changed_or_missing_file_is_named_and_regenerated(tmp_path, capsys):
    def run(*arguments):
        files = {"one.txt": "// one\n", "two.txt": "// two\n", "three.txt": "// three\n"}
        return generated.write_or_check(tmp_path, files, "Makes files.", list(arguments))

    assert run() == 0
    (tmp_path / "one.txt").write_text("// changed\n", encoding="utf-8")
    (tmp_path / "two.txt").unlink()
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert run("--check") == 1
    assert capsys.readouterr().err == "Not as the generator makes them: one.txt, two.txt.\n"
    assert run() == run("--check") == 0
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"
