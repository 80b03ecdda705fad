"""Tests the datasets made from the exports of every game."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from cardlab.analysis.codebook.about import read_about
from cardlab.analysis.codebook.dataset import read_exports
from cardlab.analysis.commands import main
from cardlab.analysis.reproduction.session_pay import read_places
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name
from cardlab.row_chain import rechain
from tests.validators import bids_errors, frictionless_errors, psych_ds_issues

GOLDEN = Path(__file__).parent.parent / "golden"
NAME = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")  # of Psych-DS
OF_VALIDATORS = {"MISSING_ANALYSIS_DIRECTORY", "MISSING_RESULTS_DIRECTORY"}  # folders that an archive adds
OF_VALIDATORS |= {"MISSING_MATERIALS_DIRECTORY", "MISSING_DOCUMENTATION_DIRECTORY"}


def rows(file: Path) -> list[dict[str, str]]:
    csv.field_size_limit(2**31 - 1)
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def money_as_numbers(text: str) -> str:
    """Returns a table with amounts of money as oTree's export writes them."""
    return re.sub(r"€([\d.]+)", lambda amount: str(float(amount[1])), text)


def write_exports(game: str, folder: Path) -> Path:
    """Writes the exports of a played session as a server does, with a small all-apps table."""
    app = games_by_name()[game].app
    folder.mkdir(parents=True)
    for file in (GOLDEN / game / "played").glob("custom_export*.csv"):
        kind = file.stem.removeprefix("custom_export").strip("_") or "actions"
        suffix = "txt" if kind.endswith(("log", "transform")) else "csv"
        text = money_as_numbers(file.read_text("utf-8"))
        (folder / f"{app}_{kind}.{suffix}").write_text(text, "utf-8")
    players = {row["participant_code"]: row for row in rows(folder / f"{app}_participants.csv")}
    lines = [f"participant.code,participant.label,session.code,{app}.1.player.payoff,{app}.2.player.payoff"]
    lines += [
        f"{code},{row['participant_label'].removeprefix(chr(39))},{row['session_code']},1.5,"
        for code, row in players.items()
    ]
    (folder / "all_apps_wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="module", params=games_by_name())
def exports(request, tmp_path_factory):
    """Provides the exports of each game."""
    return write_exports(request.param, tmp_path_factory.mktemp("exports") / request.param)


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    file = tmp_path_factory.mktemp("key") / "key"
    file.write_text("a secret key of 24 bytes", "utf-8")
    return str(file)


@pytest.fixture(scope="module")
def dataset(exports, key, tmp_path_factory):
    """Provides the dataset of each game, with pseudonyms."""
    folder = tmp_path_factory.mktemp("dataset") / "out"
    assert main(["dataset", str(exports), "--out", str(folder), "--key", key]) == 0
    return folder


def test_dataset_is_valid_for_frictionless(dataset):
    assert frictionless_errors(dataset) == []


def test_dataset_is_valid_for_psych_ds(dataset):
    assert [one for one in psych_ds_issues(dataset) if one["key"] not in OF_VALIDATORS] == []


def test_names_and_variables_follow_psych_ds(dataset):
    files = sorted((dataset / "data").glob("*.csv"))
    assert len(files) > 4
    assert all(NAME.fullmatch(file.name) for file in files)
    described = json.loads((dataset / "dataset_description.json").read_text("utf-8"))
    columns = {name for file in files for name in next(csv.reader(file.open(encoding="utf-8", newline="")))}
    assert {variable["name"] for variable in described["variableMeasured"]} == columns
    for file in files:
        sidecar = json.loads(file.with_suffix(".json").read_text("utf-8"))
        header = next(csv.reader(file.open(encoding="utf-8", newline="")))
        assert [variable["name"] for variable in sidecar["variableMeasured"]] == header
    # The Psych-DS validator stores the columns as properties of a Map, and would replace the Map's own.
    assert not columns & {"size", "get", "set", "has", "keys", "values", "entries", "clear", "delete"}


def test_bids_dataset_is_valid(exports, key, tmp_path, capsys):
    folder = tmp_path / "bids"
    assert main(["dataset", str(exports), "--out", str(folder), "--key", key, "--as", "bids"]) == 0
    participants = (folder / "participants.tsv").read_text("utf-8").splitlines()
    assert participants[0] == "participant_id\tsession_code\ttreatment\tfinished"
    assert len([*folder.glob("sub-*/beh/*_task-session_beh.tsv")]) == len(participants) - 1
    assert len([*folder.glob("sub-*/beh/*_beh.tsv")]) == 2 * len(participants) - 2
    assert main(["reproduce", str(folder), "--no-reports"]) == 0
    assert "participants.tsv: rebuilt, the same" in capsys.readouterr().out
    assert bids_errors(folder) == []


@pytest.mark.parametrize("exports", ["matrix"], indirect=True)
def test_withdrawn_co_player_has_no_bids_file(exports, key, tmp_path):
    """Their hands stay in the files of their co-players, under a code that no table of participants has."""
    copy, folder = tmp_path / "exports", tmp_path / "bids"
    shutil.copytree(exports, copy)
    heading, withdrawn, *others = (copy / "all_apps_wide.csv").read_text("utf-8").splitlines()
    (copy / "all_apps_wide.csv").write_text("\n".join([heading, *others]) + "\n", "utf-8")
    assert main(["dataset", str(copy), "--out", str(folder), "--key", key, "--as", "bids"]) == 0
    code = withdrawn.partition(",")[0]
    assert not (folder / f"sub-{code}").exists()
    actions = [file.read_text("utf-8") for file in folder.glob("sub-*/beh/*_task-matrixgameapp_beh.tsv")]
    assert len(actions) == len(others)
    assert any(code in text for text in actions)


def test_keys_and_references_hold(dataset):
    package = json.loads((dataset / "datapackage.json").read_text("utf-8"))
    resources = {resource["name"]: resource for resource in package["resources"]}
    actions = next(one for name, one in resources.items() if name.endswith("_actions"))
    assert actions["schema"]["primaryKey"] == ["digest"]
    targets = {key["reference"]["resource"] for key in actions["schema"]["foreignKeys"]}
    assert targets == {"all_apps_wide", actions["name"].replace("_actions", "_hands")}
    assert resources["all_apps_wide"]["schema"]["primaryKey"] == ["participant.code"]
    accepted = next(field for field in actions["schema"]["fields"] if field["name"] == "accepted")
    assert (accepted["type"], accepted["trueValues"]) == ("boolean", ["1", "True"])


def test_no_label_and_no_date_is_left(exports, dataset):
    labels = {
        row["participant.label"] for row in rows(exports / "all_apps_wide.csv") if row["participant.label"]
    }
    assert labels
    for file in dataset.rglob("*"):
        if file.is_file() and file.suffix in (".csv", ".txt"):
            text = file.read_text("utf-8")
            assert not [label for label in labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text)]
            assert "2026-11-" not in text


def test_replaced_rows_have_new_digests(dataset):
    for file in (dataset / "data").glob("*_description-actions_data.csv"):
        with file.open(encoding="utf-8", newline="") as text:
            table = list(csv.reader(text))
        assert list(rechain(table)) == table


def test_identified_tables_are_unchanged(exports, tmp_path):
    assert main(["dataset", str(exports), "--out", str(tmp_path / "out"), "--identified"]) == 0
    for file in exports.glob("*.csv"):
        (copy,) = [
            one
            for one in (tmp_path / "out" / "data").glob("*.csv")
            if one.read_bytes().replace(b"\r\n", b"\n") == file.read_bytes().replace(b"\r\n", b"\n")
        ]
        assert copy.name.startswith("session-")


def test_tables_are_rebuilt_from_the_actions(dataset, capsys):
    assert main(["reproduce", str(dataset), "--no-reports"]) == 0
    assert "byte for byte the same" in capsys.readouterr().out
    (hands,) = (dataset / "data").glob("*_description-hands_data.csv")
    text = hands.read_text("utf-8")
    lines = text.splitlines(keepends=True)
    score = lines[0].split(",").index("outcome")
    try:
        cells = next(csv.reader([lines[1]]))
        hands.write_text(text.replace(f",{cells[score]},", ",altered,", 1), "utf-8")
        assert main(["reproduce", str(dataset), "--no-reports"]) == 1
        assert "row 2, outcome: 'altered' in the dataset" in capsys.readouterr().out
    finally:
        hands.write_text(text, "utf-8")


def test_archive_is_verified_and_replayed(dataset, tmp_path, capsys):
    zipped = Path(shutil.make_archive(str(tmp_path / "archive"), "zip", dataset))
    assert main(["verify", str(zipped)]) == 0
    (actions,) = (dataset / "data").glob("*_description-actions_data.csv")
    hand = rows(actions)[0]["hand_id"]
    page = tmp_path / "replay.html"
    assert main(["replay", str(zipped), "--hand", hand, "-o", str(page)]) == 0
    assert hand in page.read_text("utf-8")
    lines = actions.read_text("utf-8").splitlines(keepends=True)
    text = "".join(lines)
    try:
        actions.write_text("".join(lines[:-1]), "utf-8")
        assert main(["verify", str(dataset)]) == 1
    finally:
        actions.write_text(text, "utf-8")
    capsys.readouterr()


def test_own_codebook_is_not_a_table(exports, key, dataset, tmp_path):
    folder, out = shutil.copytree(exports, tmp_path / "exports"), tmp_path / "out"
    assert main(["codebook", str(folder)]) == 0
    assert main(["dataset", str(folder), "--out", str(out), "--key", key]) == 0
    assert {path.name for path in (out / "data").iterdir()} == {
        path.name for path in (dataset / "data").iterdir()
    }


def test_sessions_are_joined(key, tmp_path):
    first = write_exports("ttt", tmp_path / "first")
    second = tmp_path / "second"
    second.mkdir()
    session = read_exports(first).session
    for file in first.iterdir():
        text = file.read_text("utf-8").replace(session, "0ther123")
        if file.name == "ttt_solo_app_hands.csv":
            lines = text.splitlines()
            text = "\n".join([f"{lines[0]},factor_a", *(f"{line},high" for line in lines[1:])]) + "\n"
        (second / file.name).write_text(text, "utf-8")
    out = tmp_path / "out"
    assert main(["dataset", str(first), str(second), "--out", str(out), "--key", key, "--study", "Both"]) == 0
    hands = rows(out / "data" / "study-Both_task-tttSoloApp_description-hands_data.csv")
    assert {(row["session_code"], row["factor_a"]) for row in hands} == {(session, ""), ("0ther123", "high")}
    assert frictionless_errors(out) == []


def test_tables_among_the_materials_are_not_described(tmp_path):
    """The dataset's folder itself may be in a folder named materials."""
    folder = tmp_path / "materials" / "dataset"
    (folder / "materials").mkdir(parents=True)
    for file in (folder / "own.csv", folder / "materials" / "deals.csv"):
        file.write_text("a\n1\n", "utf-8")
    assert main(["codebook", str(folder)]) == 0
    assert {row["file"] for row in rows(folder / "codebook.csv")} == {"own.csv"}


def test_byte_order_marks_are_no_mistakes(tmp_path):
    file = tmp_path / "archive.toml"
    file.write_text('name = "x"\n', "utf-8-sig")
    assert read_about(file) == {"name": "x"}
    materials = tmp_path / "materials"
    materials.mkdir()
    (materials / "settings.py").write_text("REAL_WORLD_CURRENCY_DECIMAL_PLACES = 3\n", "utf-8-sig")
    assert 3 in read_places(tmp_path)


def test_mistakes_are_explained(key, tmp_path, capsys):
    exports = write_exports("ttt", tmp_path / "exports")
    (tmp_path / "short").write_text("abc")
    (tmp_path / "about.toml").write_text('name = "x"\nlicence = "CC0"\n')
    for wrong, message in (
        ([str(tmp_path / "none"), "--key", key], "all_apps_wide.csv"),
        ([str(exports), "--key", str(tmp_path / "short")], "The key is too short"),
        ([str(exports), "--key", key, "--about", str(tmp_path / "about.toml")], "line 2"),
    ):
        assert main(["dataset", *wrong, "--out", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err
    assert main(["dataset", str(exports), "--key", key, "--out", str(exports)]) == 2
    assert "exists already" in capsys.readouterr().err
    with pytest.raises(BadFile):
        read_exports(tmp_path)
    (tmp_path / "all_apps_wide.csv").write_text("\r\n")
    with pytest.raises(BadFile, match="nobody has come, or everybody has withdrawn"):
        read_exports(tmp_path)
