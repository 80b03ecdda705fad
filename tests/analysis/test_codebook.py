"""Tests that cells have the types in the codebook, and that pandas and R read them with these types."""

import csv
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from cardlab.analysis import parquet, stat_files
from cardlab.analysis.codebook import book as codebook
from cardlab.analysis.codebook import columns, otree_columns, psych_ds
from cardlab.analysis.commands import main
from cardlab.games.columns import TYPES
from cardlab.games.registry import games_by_name
from cardlab.games.tables import PARTICIPANT_COLUMNS, payment_columns
from cardlab.operations.export import export_functions

ROOT = Path(__file__).parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"

OTREES = [
    *("participant.code,123e4567,abcd1234", "participant.label,007,"),
    *("session.config.check,True,True", "session.config.seed,drawn,5"),
    *("participant.time_started_utc,2026-11-20 14:03:07.412345,", "participant.visited,1,0"),
    *("app.1.player.payoff,12.0,", "app.2.player.payoff,,3.5"),
]  # one line per column

HOLDS = {
    "integer": re.compile(r"-?\d+(\.0)?").fullmatch,  # pandas writes 3.0 if a column has empty cells
    "number": re.compile(r"-?\d+(\.\d+)?(e-?\d+)?").fullmatch,
    "logical": ("0", "1", "True", "False").__contains__,
    "time": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d{3,6}Z?").fullmatch,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Provides tables of all games, as a server and a report write them, of oTree, and their codebook."""
    folder = tmp_path_factory.mktemp("archive")
    for game in games_by_name():
        played = GOLDEN / game / "played"
        for file in played.rglob("*.csv"):
            if not file.stem.endswith(("log", "transform")):
                copy = folder / game / file.relative_to(played)
                copy.parent.mkdir(parents=True, exist_ok=True)
                # oTree's export also writes amounts of money as numbers.
                copy.write_text(file.read_text("utf-8").replace("€", ""), "utf-8")
    (folder / "all_apps_wide.csv").write_text(
        "".join(",".join(row) + "\n" for row in zip(*(line.split(",") for line in OTREES)))
    )
    assert main(["codebook", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def book(folder):
    """Provides type and meaning by file and column."""
    with (folder / codebook.NAME).open(newline="") as file:
        return {(row["file"], row["column"]): (row["type"], row["meaning"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def tables(folder):
    """Reads the tables with the code shipped with the codebook."""
    return load_reader(folder).read_data()


def load_reader(folder: Path):
    """Returns the module shipped with the codebook of a folder."""
    spec = importlib.util.spec_from_file_location("read_data", folder / "read_data.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cells_have_the_types_of_the_codebook(folder, book):
    assert assert_cells_have_types(folder, book) == set(TYPES.values())


def assert_cells_have_types(folder: Path, book: dict[tuple[str, str], tuple[str, str]]) -> set[str]:
    """Asserts it for all cells of a folder's tables, and returns the types that the tables have."""
    csv.field_size_limit(2**31 - 1)
    wrong, looked = set(), set()
    for name in {name for name, _column in book}:
        with (folder / name).open(newline="") as file:
            for row in csv.DictReader(file):
                for column, cell in row.items():
                    kind, _meaning = book[name, columns.strip_round(column)]
                    looked.add(kind)
                    if cell and kind in HOLDS and not HOLDS[kind](cell):
                        wrong.add((name, column, kind, cell))
    assert not wrong
    return looked


@pytest.mark.parametrize("game", games_by_name())
def test_every_export_column_is_declared_and_explained(game, book):
    app = games_by_name()[game].app
    functions = export_functions((ROOT / app / "__init__.py").read_text("utf-8"))
    tables = {name for name in functions if not name.endswith(("log", "transform"))}
    assert {f"{game}/{name}.csv" for name in tables} <= {file for file, _column in book}
    assert all(
        meaning
        for (file, _column), (_kind, meaning) in book.items()
        if file.startswith(f"{game}/custom_export")
    )


def test_every_column_has_a_meaning(book):
    assert not [
        column
        for column, (_kind, meaning) in book.items()
        if (not meaning or "does not describe" in meaning) and column[1] != "app.#.player.payoff"
    ]


REPORTS = {
    "ttt": (["--deals", "transfer422.txt", "--mix", "informed:1,routinizing:1"], "transitions_1.csv", "move"),
    "matrix": (["--mix", "random:1,greedy:1", "--hands", "1"], "choices_compared.csv", "mean_first"),
    "triangle": (["--mix", "random:1,first_match:1", "--hands", "1"], "score_parts_1.csv", "sides"),
    "solitario": (["--mix", "random:1,greedy:1", "--hands", "1"], "home_when_lost.csv", "cards_home"),
    "challenge": (["--mix", "random:1,greedy:1", "--set", "size=4"], "planning_depth.csv", "verdict"),
}
MEANINGS = {
    "move": "the next move",  # in every game, and not the meaning of a column of the same name elsewhere
    "mean_first": "mean of the participants",
    "sides": "mean points of this part of the score: sides",
    "cards_home": "cards on the foundations when the hand was lost",
    "verdict": "`search`, `no evidence of search` or `too few choices`",
}
EQUIVALENCE = "always empty here; `compare --equivalence` fills it, in its own table"


@pytest.mark.parametrize("game", REPORTS)
def test_columns_of_reports_have_their_own_meaning(game, tmp_path, monkeypatch):
    """Covers reports of several conditions, with all searches."""
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg></svg>")
    options, file, name = REPORTS[game]
    source, report = str(tmp_path / "actions.csv"), tmp_path / "report"
    assert main(["simulate", game, "--participants", "4", *options, "-o", source]) == 0
    assert main(["report", source, "--by", "participant_label", "--out", str(report)]) == 0
    assert main(["codebook", str(report)]) == 0
    with (report / codebook.NAME).open(newline="") as text:
        meanings = {(row["file"], row["column"]): row["meaning"] for row in csv.DictReader(text)}
    assert not [column for column, meaning in meanings.items() if not meaning]
    assert meanings[file, name] == MEANINGS[name]
    assert meanings.get(("choices_compared.csv", "p_equivalence"), EQUIVALENCE) == EQUIVALENCE


SEARCHES = {
    "depth": "challenge --choices 5 --nodes 500",
    "worth": "challenge --depth 1 --nodes 500",
    "best": "triangle --nodes 1000",
    "best_grades": "solitario --nodes 1000 --grades",
    "hindsight": "triangle --nodes 1000",
    "solve": "",
    "best_deals": "--game solitario --nodes 1000",
    "winnability": "briscola-1 --deals 1 --nodes 1000",
}  # by the name of the table the options of the command, after the game of its actions


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """Provides the tables of the commands that search, under names that do not tell the command."""
    folder = tmp_path_factory.mktemp("searched")
    for name, words in SEARCHES.items():
        game, *options = words.split() or [""]
        source, table = tmp_path_factory.mktemp("source") / "actions.csv", f"{folder}/of_{name}_0.csv"
        command, out = name.partition("_")[0], ["-o", table]
        if game in games_by_name():
            play = ["--participants", "1", "--hands", "1", "-o", str(source)]
            assert main(["simulate", game, *play, *(["--set", "size=3"] * (game == "challenge"))]) == 0
            options = [str(source), *options]
        elif command == "winnability":
            options, out = words.split(), ["--resume", table]
        else:
            deals = "ttt/transfer422.txt" if command == "solve" else "solitario/briscola.txt"
            options = [str(ROOT / "deals" / deals), *words.split()]
        jobs = ["--jobs", "1"] * (command != "solve")
        assert main([command, *options, *jobs, *out]) == 0
    assert main(["codebook", str(folder)]) == 0
    return folder


def test_tables_of_searches_are_described(searched):
    with (searched / codebook.NAME).open(newline="") as text:
        book = {(row["file"], row["column"]): (row["type"], row["meaning"]) for row in csv.DictReader(text)}
    assert len({file for file, _column in book}) == len(SEARCHES)
    assert not [column for column, (_kind, meaning) in book.items() if not meaning]
    assert book["of_solve_0.csv", "hand"] == ("integer", "number of the hand in the show file")
    assert_cells_have_types(searched, book)


def test_otree_columns_have_types_and_names_are_text(book):
    own = {column: kind for (file, column), (kind, _meaning) in book.items() if file == "all_apps_wide.csv"}
    assert own == {
        "participant.code": "text",
        "participant.label": "text",
        "participant.time_started_utc": "time",
        "participant.visited": "logical",
        "session.config.check": "logical",
        "session.config.seed": "text",
        "app.#.player.payoff": "number",
    }


def test_otree_columns_have_meanings():
    """Covers columns of oTree, of the session config, of the project's apps and of other apps."""
    own = {"survey_app.player.age": "age in years", "survey_app.group.total": "sum of all offers"}
    meanings = {
        name: otree_columns.meaning_of(name, own)
        for name in (
            *("participant.code", "participant.treatment", "session.comment", "session.config.name"),
            *("session.config.hands", "session.config.triangle_app.payoff_rate", "session.config.my_own"),
            *("ttt_solo_app.#.player.payoff", "ttt_solo_app.#.player.what_is_taken"),
            *("consent_app.#.player.agreed", "questionnaire_app.#.player.difficulty"),
            *("survey_app.#.player.age", "survey_app.#.group.total", "survey_app.#.player.secret"),
        )
    }
    assert meanings["session.config.hands"].startswith("Hands")
    assert meanings["session.config.my_own"] == "the setting my_own of the session config"
    assert meanings["survey_app.#.player.age"] == "age in years"
    assert meanings["survey_app.#.group.total"] == "sum of all offers"
    assert "does not describe" in meanings["survey_app.#.player.secret"]
    assert "what_is_taken" in meanings["ttt_solo_app.#.player.what_is_taken"]
    assert all(meanings.values())
    assert otree_columns.meaning_of("player.age", own, app="survey_app") == "age in years"


def test_meanings_of_own_fields_come_from_a_file(tmp_path, capsys):
    (tmp_path / "survey_app.csv").write_text("player.age\n30\n", "utf-8")
    file = tmp_path / "meanings.json"
    file.write_text('{"survey_app.player.age": "age in years"}', "utf-8-sig")  # as Windows editors write it
    assert main(["codebook", str(tmp_path), "--meanings", str(file)]) == 0
    assert "survey_app.csv,player.age,integer,age in years" in (tmp_path / "codebook.csv").read_text("utf-8")
    for text, part in (('{"a": 1}', "Write an object of texts"), ("{\n", "line 2: This is not JSON")):
        file.write_text(text, "utf-8")
        assert main(["codebook", str(tmp_path), "--meanings", str(file)]) == 2
        assert part in capsys.readouterr().err


def test_pandas_reads_the_right_types(tables):
    wide = tables["all_apps_wide.csv"]
    assert wide["participant.code"][0] == "123e4567"
    assert wide["participant.label"].tolist() == ["007", ""]
    assert wide["app.1.player.payoff"].isna().tolist() == [False, True]
    assert wide["session.config.check"].all()
    assert wide["participant.time_started_utc"][0] == pd.Timestamp("2026-11-20 14:03:07.412345", tz="UTC")
    assert wide["participant.time_started_utc"].isna()[1]
    hands, turns = tables["ttt/custom_export_hands.csv"], tables["matrix/custom_export_turns.csv"]
    assert hands["route"].dtype == hands["hand_id"].dtype == "string"
    assert hands["score"].dtype == "Int64"
    assert hands["paid"].dtype == "boolean"
    assert str(hands["shown_utc"].dtype).startswith("datetime64[ns, UTC")
    assert hands["seconds"].dtype == float
    assert turns["disclosed_ms"].min() > 1_700_000_000_000
    assert tables["ttt/custom_export_tutorial.csv"].empty


def test_metadata_lists_every_variable_once(folder, book):
    """Follows Psych-DS: a schema.org Dataset whose variables are the columns of all tables."""
    description = json.loads((folder / psych_ds.DESCRIPTION).read_text("utf-8"))
    assert (description["@context"], description["@type"]) == ("https://schema.org/", "Dataset")
    names = [variable["name"] for variable in description["variableMeasured"]]
    assert len(names) == len(set(names))
    assert {columns.strip_round(name) for name in names} == {column for _file, column in book}
    assert {"app.1.player.payoff", "app.2.player.payoff"} <= set(names)
    (outcome,) = [variable for variable in description["variableMeasured"] if variable["name"] == "outcome"]
    assert outcome["additionalType"] == "https://schema.org/Text"


def test_parquet_contains_the_data_that_pandas_reads(folder, tables, tmp_path):
    """Compares cells and types; the columns of oTree's wide file are read by round."""
    pytest.importorskip("pyarrow")
    names = [name for name in tables if name.startswith(("ttt/", "matrix/"))]
    assert len(names) > 8
    for name in names:
        parquet.convert_table(folder / name, tmp_path / "table.parquet")
        table = pd.read_parquet(tmp_path / "table.parquet")
        assert list(table) == list(tables[name])
        for column, cells in tables[name].items():
            kind = "datetime64[ns, UTC]" if "datetime" in str(cells.dtype) else cells.dtype
            pd.testing.assert_series_equal(table[column].astype(kind), cells, obj=f"{name} {column}")


def test_parquet_file_name_gives_a_parquet_table(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    arguments = ["hands", str(ROOT / "docs/example/actions.csv"), "-o"]
    assert main([*arguments, str(tmp_path / "hands.parquet")]) == 0
    assert len(pd.read_parquet(tmp_path / "hands.parquet")) == 192
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert main([*arguments, str(tmp_path / "others.parquet")]) == 2
    assert "lab.py install analysis" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["hands.parquet"]


@pytest.mark.parametrize("suffix", stat_files.SUFFIXES)
def test_stat_files_contain_data_and_labels(folder, tables, book, tmp_path, suffix):
    pyreadstat = pytest.importorskip("pyreadstat")
    read = pyreadstat.read_sav if suffix == ".sav" else pyreadstat.read_dta
    names = [name for name in tables if name.startswith(("ttt/", "matrix/", "triangle/"))]
    assert len(names) > 8
    for name in names:
        stat_files.convert_table(folder / name, tmp_path / "table", suffix)
        frame, meta = read(tmp_path / "table")
        variables = stat_files.make_names(tables[name], 32 if suffix == ".dta" else 64)
        assert list(frame) == variables
        for variable, (column, cells) in zip(variables, tables[name].items()):
            kind, meaning = book[name, column]
            label = meta.column_names_to_labels[variable] or ""
            assert label == meaning or label.endswith("...") and meaning.startswith(label[:-3])
            values = {0: "no", 1: "yes"} if kind == "logical" else None
            assert meta.variable_value_labels.get(variable) == values
            assert_equal_cells(frame[variable], cells, kind)


def assert_equal_cells(found: pd.Series, cells: pd.Series, kind: str) -> None:
    if kind in ("integer", "number", "logical"):
        numbers = cells.astype("Float64").to_numpy(float, na_value=float("nan"))
        assert found.astype(float).to_numpy() == pytest.approx(numbers, nan_ok=True)
    elif kind == "time":
        times = cells.dt.tz_localize(None)
        assert (pd.to_datetime(found).isna() == times.isna()).all()
        assert ((pd.to_datetime(found) - times).abs().dropna() <= pd.Timedelta("2us")).all()
    else:
        assert list(found.fillna("")) == [text.rstrip() for text in cells.fillna("")]


@pytest.mark.parametrize("suffix", stat_files.SUFFIXES)
def test_stat_files_keep_long_and_foreign_text(tmp_path, suffix):
    pyreadstat = pytest.importorskip("pyreadstat")
    read = pyreadstat.read_sav if suffix == ".sav" else pyreadstat.read_dta
    (tmp_path / "t.csv").write_text(f"Gruß ü,gruß_x,2nd\n{'ä' * 5000},b,é\n", "utf-8")
    stat_files.convert_table(tmp_path / "t.csv", tmp_path / "t.out", suffix)
    frame, _meta = read(tmp_path / "t.out")
    assert list(frame) == ["Gru___", "gru__x", "v_2nd"]
    assert list(frame.iloc[0]) == ["ä" * 5000, "b", "é"]


def test_names_of_variables_are_valid_and_unique():
    names = stat_files.make_names(["a.b", "A_b", "_x", "y" * 40, "y" * 41], 32)
    assert names == ["a_b", "A_b_2", "v__x", "y" * 32, "y" * 30 + "_2"]


def test_stat_file_name_gives_a_stat_file(tmp_path, monkeypatch, capsys):
    pyreadstat = pytest.importorskip("pyreadstat")
    arguments = ["hands", str(ROOT / "docs/example/actions.csv"), "-o"]
    assert main([*arguments, str(tmp_path / "hands.sav")]) == 0
    assert pyreadstat.read_sav(tmp_path / "hands.sav")[1].number_rows == 192
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    assert main([*arguments, str(tmp_path / "others.dta")]) == 2
    assert "lab.py install analysis" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["hands.sav"]


def test_r_reads_the_same_values(folder, tables):
    if not shutil.which("Rscript"):
        pytest.skip("R is not installed")
    story = """
        source("read_data.R"); tables <- read_data()
        for (name in names(tables)) for (column in names(tables[[name]])) {
          cells <- tables[[name]][[column]]
          known <- sum(!is.na(cells) & as.character(cells) != "")
          total <- if (is.numeric(cells) || is.logical(cells)) sum(as.numeric(cells), na.rm = TRUE) else 0
          if (inherits(cells, "POSIXct")) total <- sum(as.numeric(cells) - 1.7e9, na.rm = TRUE)
          cat(sprintf("%s\\t%s\\t%d\\t%.3f\\n", name, column, known, total))
        }
    """
    done = subprocess.run(["Rscript", "-e", story], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in done.stdout.splitlines()}
    assert printed.keys() == {(name, column) for name, table in tables.items() for column in table}
    for (name, column), (known, total) in printed.items():
        cells = tables[name][column]
        assert int(known) == (cells.notna() & (cells.astype("string") != "")).sum(), (name, column)
        if isinstance(cells.dtype, pd.DatetimeTZDtype):
            cells = (cells - pd.Timestamp(1.7e9, unit="s", tz="UTC")).dt.total_seconds()
        if pd.api.types.is_numeric_dtype(cells):
            assert float(total) == pytest.approx(float(cells.sum()), abs=0.01), (name, column)


def test_tables_in_utf16_are_described_and_read(tmp_path, capsys):
    hands = (GOLDEN / "triangle/played/custom_export_hands.csv").read_text("utf-8")
    for name, encoding in (("plain.csv", "utf-8"), ("saved.csv", "utf-16"), ("big.csv", "utf-16-be")):
        mark = "\ufeff" * (encoding == "utf-16-be")
        (tmp_path / name).write_text(mark + hands, encoding)
    assert main(["codebook", str(tmp_path)]) == 0, capsys.readouterr().err
    package = json.loads((tmp_path / "datapackage.json").read_text("utf-8"))
    encodings = {resource["path"]: resource["encoding"] for resource in package["resources"]}
    assert encodings == {"big.csv": "utf-16", "plain.csv": "utf-8", "saved.csv": "utf-16"}
    tables = load_reader(tmp_path).read_data()
    pd.testing.assert_frame_equal(tables["saved.csv"], tables["plain.csv"])
    pd.testing.assert_frame_equal(tables["big.csv"], tables["plain.csv"])
    if shutil.which("Rscript"):
        story = """source("read_data.R"); tables <- read_data()
        for (name in c("saved.csv", "big.csv")) stopifnot(all.equal(tables[[name]], tables$plain.csv))"""
        subprocess.run(["Rscript", "-e", story], cwd=tmp_path, check=True)


def test_missing_or_broken_tables_are_refused(tmp_path, capsys):
    assert main(["codebook", str(tmp_path)]) == 2
    assert "This folder has no tables (.csv)." in capsys.readouterr().err
    for content in (b"a,b\n\xff\xfe,1\n", "a,b\n".encode("utf-16")[:-1]):
        (tmp_path / "a.csv").write_bytes(content)
        assert main(["codebook", str(tmp_path)]) == 2
        assert "a.csv: This file is not text in UTF-8. Save it as UTF-8." in capsys.readouterr().err
    assert not (tmp_path / codebook.NAME).exists()


def test_payments_table_is_recognised_for_any_apps():
    header = [*payment_columns(["risk_app", "triangle_app"])]
    by_name = {column.column: column for column in columns.describe_columns("payments.csv", header, [])}
    assert [*by_name] == header
    assert {by_name[name].type for name in header[5:]} == {"number"}
    assert all(column.meaning for column in by_name.values())


def test_columns_of_factors_are_described():
    header = [*PARTICIPANT_COLUMNS]
    header.insert(header.index("treatment") + 1, "factor_pay")
    described = {each.column: each for each in columns.describe_columns("participants.csv", header, [])}
    assert described["factor_pay"].meaning.startswith("the participant's level of this factor")
    assert described["hands_over"].meaning == PARTICIPANT_COLUMNS["hands_over"]
