"""Tests that an archive's tables and logs follow from its actions and configs, or else are reported."""

from __future__ import annotations

import csv
import json

import golden_session
import pytest
from harnesses import GAMES, own_of_app
from test_dataset import money_as_numbers, rows, write_exports

from cardlab.analysis.commands import main
from cardlab.games.registry import games_by_app, games_by_name

GOLDEN = {
    name: found
    for name, game in GAMES.items()
    if (found := own_of_app(games_by_app()[game.app], game.app, "golden"))
}
COLUMNS = "participant.code,participant.label,session.code,participant.payoff,participant.time_started_utc"


def pay(person):
    """Returns a participant's total pay, as in a ledger."""
    rate = person.session.config["real_world_currency_per_point"]
    return 5 + float(f"{person.payoff * rate + 1e-9:.2f}")


@pytest.fixture(scope="module", params=[name for name in GOLDEN if name in games_by_name()])
def archive(request, tmp_path_factory):
    """Provides an archive of a played session of each game, with its config."""
    folder = tmp_path_factory.mktemp("archive")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(golden_session.Participant, "payoff_plus_participation_fee", pay)
        session = GOLDEN[request.param].played()
        participants = money_as_numbers(session.export("custom_export_participants"))
    exports, app = write_exports(request.param, folder / "exports"), session.app.__name__
    (exports / f"{app}_participants.csv").write_text(participants, "utf-8", newline="")
    lines = [f"{COLUMNS},{app}.1.player.payoff"]
    for one in session.people:
        label = one.label or ""
        lines.append(f"{one.code},{label},{session.row.code},{one.payoff},{one.time_started_utc},0")
    (exports / "all_apps_wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    out = folder / "out"
    assert main(["dataset", str(exports), "--out", str(out), "--identified"]) == 0
    config = {**session.config, "app_sequence": [app]}
    people = [{"code": one.code, "id_in_session": one.id_in_session, "status": ""} for one in session.people]
    write_session(out, {"code": session.row.code, "config": config, "participants": people})
    (out / "materials" / "settings.py").write_text("POINTS_DECIMAL_PLACES = 2\n", "utf-8")
    return out


def write_session(archive, data):
    file = archive / "materials" / f"session-{data['code']}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(data), "utf-8")


def reproduce(archive, capsys):
    code = main(["reproduce", str(archive), "--no-reports"])
    *lines, total = capsys.readouterr().out.splitlines()
    return code, dict(line.split(": ", 1) for line in lines), total


def test_pay_and_logs_are_rebuilt(archive, capsys):
    code, files, total = reproduce(archive, capsys)
    assert code == 0, [result for result in files.values() if "from the" in result]
    rebuilt = [name for name, result in files.items() if result.startswith("rebuilt, the same")]
    assert total.startswith(f"Rebuilt {len(rebuilt)} files, {len(rebuilt)} of them byte for byte")
    kinds = {name.rpartition("_description-")[2].removesuffix("_data.csv") for name in rebuilt}
    assert {"hands", "participants"} <= kinds
    assert {path.relative_to(archive).as_posix() for path in archive.glob("log/*.txt")} <= set(rebuilt)
    (hands,) = [result for name, result in files.items() if name.endswith("-hands_data.csv")]
    assert "records" not in hands
    (participants,) = [result for name, result in files.items() if name.endswith("-participants_data.csv")]
    assert "came_utc" in participants.partition("records: ")[2]
    assert "payoff" not in participants


def test_every_table_is_named(archive, capsys):
    _code, files, _total = reproduce(archive, capsys)
    tables = {path.relative_to(archive).as_posix() for path in archive.rglob("*.csv")}
    logs = {path.relative_to(archive).as_posix() for path in archive.glob("log/*.txt")}
    assert files.keys() - {"results/"} == tables | logs
    records = {name for name, result in files.items() if result == "record"}
    assert {
        name for name in records if "-actions_" in name or "-allAppsWide_" in name or "-tutorial_" in name
    }
    assert not [name for name in records if "-hands_" in name or "-participants_" in name]


def test_other_config_makes_other_pay(archive, capsys):
    (file,) = archive.glob("materials/session-*.json")
    text = file.read_text("utf-8")
    data = json.loads(text)
    data["config"] |= {"pay_hands": "all", "payoff_floor": 1_000_000.0}
    try:
        write_session(archive, data)
        code, files, _total = reproduce(archive, capsys)
    finally:
        file.write_text(text, "utf-8")
    assert code == 1
    different = [name for name, result in files.items() if "from the actions" in result]
    assert [name.rpartition("-")[2] for name in different] == ["hands_data.csv", "participants_data.csv"]


def test_pay_is_given_without_config(archive, capsys, tmp_path):
    (file,) = archive.glob("materials/session-*.json")
    moved = file.rename(tmp_path / file.name)
    try:
        code, files, _total = reproduce(archive, capsys)
    finally:
        moved.rename(file)
    assert code == 0
    (hands,) = [result for name, result in files.items() if name.endswith("-hands_data.csv")]
    assert hands.endswith("columns that are records: paid, payoff")


def test_altered_cell_of_participants_is_found(archive, capsys):
    (file,) = archive.glob("data/*-participants_data.csv")
    text = file.read_text("utf-8")
    table = rows(file)
    table[0]["hands_over"] = "99"
    try:
        with file.open("w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, [*table[0]], lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
        code, files, _total = reproduce(archive, capsys)
    finally:
        file.write_text(text, "utf-8")
    assert code == 1
    assert any("row 2, hands_over: '99' in the dataset" in result for result in files.values())


def test_altered_log_is_found(archive, capsys):
    logs = sorted(file for file in archive.glob("log/*.txt") if file.stat().st_size)
    for file in logs:
        text = file.read_text("utf-8")
        lines = text.splitlines()
        try:
            file.write_text("\n".join([*lines[:-1], "another line"]) + "\n", "utf-8")
            code, files, _total = reproduce(archive, capsys)
        finally:
            file.write_text(text, "utf-8")
        assert code == 1
        assert "line" in files[file.relative_to(archive).as_posix()]
        assert "'another line' in the dataset" in files[file.relative_to(archive).as_posix()]
