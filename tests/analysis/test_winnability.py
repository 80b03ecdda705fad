"""Tests the command that counts the deals of Solitario that can be won."""

from pathlib import Path

from cardlab.analysis.commands import main
from cardlab.analysis.games.solitario.commands import winnability
from cardlab.games.solitario.deal import draw_deal
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import dealt, solve


def test_resumed_table_equals_one_run(tmp_path, capsys):
    once, twice = tmp_path / "once.csv", tmp_path / "twice.csv"
    options = ["briscola-1", "briscola-3", "--nodes", "2000", "--jobs", "1", "--resume"]
    assert main(["winnability", *options, str(once), "--deals", "12"]) == 0
    for deals in ("5", "12"):
        assert main(["winnability", *options, str(twice), "--deals", deals]) == 0
    assert once.read_text() == twice.read_text()
    tally = winnability.read_tallies(once)["briscola-3"]
    pack, found = PACKS["briscola"], []
    for number in range(1, 13):
        deal = draw_deal(f"winnability {number}", pack)
        found.append(solve(dealt(deal.columns, deal.stock), pack, draw=3, nodes=2000).solvable)
    assert (tally.solvable, tally.unsolvable) == (found.count(True), found.count(False))
    assert f"| Briscola, 3 | 12 | {tally.solvable} (" in capsys.readouterr().out


def test_wrong_table_or_kind_is_refused(tmp_path, capsys):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("pack,draw\nbriscola,one\n")
    assert main(["winnability", "briscola-1", "--resume", str(wrong)]) == 2
    assert "not a table of the command winnability" in capsys.readouterr().err


def test_undecided_deals_widen_the_interval():
    decided = winnability.Tally("briscola", 1, "seed", 10, 100, 80, 20)
    undecided = winnability.Tally("briscola", 1, "seed", 10, 100, 80, 10)
    assert undecided.undecided == 10
    rows = [[*winnability.table({"": tally})][-1] for tally in (decided, undecided)]
    assert rows[0].endswith("| 71.12 % to 86.66 % |")
    assert rows[1].endswith("| 71.12 % to 94.48 % |")


def test_page_has_the_table_of_the_file():
    results = Path(__file__).parents[2] / "docs" / "results"
    tallies = winnability.read_tallies(results / "winnability.csv")
    assert "\n".join(winnability.table(tallies)) in (results / "winnability.md").read_text("utf-8")
