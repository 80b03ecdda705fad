"""Tests replications: the studies, their folders, and the comparison of published findings with data."""

from __future__ import annotations

import ast
import csv
import io
import re
from dataclasses import replace
from math import isnan, log
from statistics import mean

import numpy as np
import pandas as pd
import pytest

from cardlab.analysis import design, sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.ttt.replications import figures, folder
from cardlab.analysis.games.ttt.replications.study import NAMES, read_study
from cardlab.analysis.preregistration import document
from cardlab.analysis.preregistration.plan import parse_plan
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.report.methods import Command, command_line
from cardlab.analysis.simulation import sessions
from cardlab.games.contract import BadFile

PEOPLE = 8  # simulated in each session


def read_plan(study):
    source = design.read_file(study.design)
    return parse_plan(source, design.parse_design(source))


def make_small(study):
    return replace(study, configs=tuple(replace(one, participants=PEOPLE) for one in study.configs))


@pytest.fixture(scope="module", params=NAMES)
def study(request):
    return make_small(read_study(request.param))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Provides the folder of each study, with few participants."""
    folders = {}
    for name in NAMES:
        folders[name] = tmp_path_factory.mktemp(name)
        folder.write_folder(make_small(read_study(name)), folders[name])
    return folders


@pytest.fixture(scope="module")
def loaded(written):
    """Provides the data of each rehearsal, without baselines."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
        for name, path in written.items():
            plan = read_plan(read_study(name))
            hands = sources.read_hands(sorted(path.glob("rehearsal/*.csv")), print)
            found[name] = gather_data(hands, dict(plan.thresholds), plan.by, person=plan.person)
    return found


def rows_of(loaded, name):
    """Returns the rows of the table by claim; the last row of a repeated claim counts."""
    return {row["claim"]: row for row in figures.build_rows(read_study(name), loaded[name])}


def own_hands(loaded, name):
    """Returns the counted hands as dictionaries."""
    return loaded[name].counted.to_dict("records")


# ---------------------------------------------------------------- studies and folders


@pytest.mark.parametrize("name", NAMES)
def test_folder_is_complete(name, written):
    study, path = read_study(name), written[name]
    tables = {f"{one.name}_actions.csv" for one in study.configs}
    assert {one.name for one in (path / "rehearsal").iterdir()} == tables
    for config in study.configs:
        assert (path / "treatments" / config.treatments).exists() or not config.treatments
    readme = (path / "README.md").read_text("utf-8")
    assert all(point in readme for point in study.unknown)
    assert study.read in readme
    assert read_study(str(path / "study.toml")).unknown == study.unknown
    deals = {one for condition in read_plan(study).conditions for one in condition.deal_files}
    assert deals <= {one.name for one in (path / "deals").iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_preregistration_freezes(name, tmp_path):
    study, out = read_study(name), tmp_path / "plan.md"
    assert main(["preregister", str(study.design), "-o", str(out)]) == 0
    frozen = document.read_document(out)
    assert frozen.is_unchanged
    assert replace(frozen.plan, power_rows=()) == read_plan(study)
    assert {one.measure for one in frozen.plan.hypotheses} == {*frozen.plan.measures}


def test_only_common_deals_are_planned():
    plan = read_plan(read_study("egidi-narduzzo-1997"))
    assert [one.hands for one in plan.conditions] == [16, 16]
    assert [[*one.deal_files] for one in plan.conditions] == [["mixed.txt"]] * 2
    assert "Only hands count whose deals" in document.write_document(plan, "", "2026-01-01 00:00:00")


def test_same_deals_needs_reasons_for_power(tmp_path):
    text = read_study("egidi-narduzzo-1997").design.read_text("utf-8")
    path = tmp_path / "design.toml"
    path.write_text(text.replace("same_deals = true", 'same_deals = "yes"'), "utf-8")
    with pytest.raises(BadFile, match="same_deals must be true or false"):
        parse_design(path)
    start = text.index("power = ")
    path.write_text(text[:start] + text[text.index("\n\n", start) :], "utf-8")
    with pytest.raises(BadFile, match="With same_deals, power cannot be simulated"):
        parse_design(path)


def parse_design(path):
    source = design.read_file(path)
    return parse_plan(source, design.parse_design(source))


def test_people_keep_label_and_partner():
    study = make_small(read_study("cohen-bacdayan-1994"))
    partners = []
    for config in study.configs:
        text = io.StringIO()
        sessions.write_table(folder.plan_rehearsal(study, config), text)
        rows = list(csv.DictReader(text.getvalue().splitlines()))
        tables = {}
        for row in rows:
            if row["participant_label"]:
                tables.setdefault(row["hand_id"], set()).add(row["participant_label"])
        partners.append({frozenset(one) for one in tables.values()})
    assert partners[0] == partners[1]
    assert len(partners[0]) == PEOPLE // 2


# ---------------------------------------------------------------- figures, recomputed


def test_share_of_a_route_in_common_hands(loaded):
    shares = {}
    for row in own_hands(loaded, "egidi-narduzzo-1997"):
        if row["show_file"] == "mixed.txt" and row["outcome"] == "solved" and row["shorter_route"]:
            key = row["condition"], row["participant_code"]
            shares.setdefault(key, []).append(str(row["route"]) == "422")
    means = {
        name: mean(mean(own) for (condition, _code), own in shares.items() if condition == name)
        for name in ("trained_on_422", "trained_on_442")
    }
    found = rows_of(loaded, "egidi-narduzzo-1997")
    claim = "Share of route 422 in the common hands, trained on "
    for training in ("422", "442"):
        assert found[f"{claim}{training}."]["estimate"] == pytest.approx(means[f"trained_on_{training}"])
    contrast = found["In the common hands, pairs trained on 422 use it more."]
    assert contrast["estimate"] == pytest.approx(means["trained_on_422"] - means["trained_on_442"])
    assert contrast["low"] < contrast["estimate"] < contrast["high"]
    assert contrast["clusters"] == PEOPLE // 2


def test_times_are_a_ratio_of_geometric_means(loaded):
    times = {}
    for row in own_hands(loaded, "cohen-bacdayan-1994"):
        if row["show_file"] == "game422.txt" and row["outcome"] == "solved":
            half = "learning" if row["number"] <= 20 else "later"
            times.setdefault((half, row["participant_code"]), []).append(row["client_seconds"])
    logs = {
        half: mean(log(mean(own)) for (one, _code), own in times.items() if one == half)
        for half in ("learning", "later")
    }
    row = rows_of(loaded, "cohen-bacdayan-1994")["With practice, pairs become faster."]
    assert row["estimate"] == pytest.approx(np.exp(logs["later"] - logs["learning"]))
    assert (row["n"], row["clusters"]) == (PEOPLE, PEOPLE // 2)


def test_classes_are_compared_between_people(loaded):
    data = loaded["attanasi-2023"]
    classes = dict(zip(data.participants["participant_code"], data.participants["attanasi_class"]))
    seconds = {}
    for row in own_hands(loaded, "attanasi-2023"):
        if row["number"] > 16 and row["outcome"] == "solved":
            seconds.setdefault(row["participant_code"], []).append(row["moves"])
    sides = {
        name: mean(mean(own) for code, own in seconds.items() if classes[code] == name)
        for name in ("expert creative", "expert routinized")
    }
    found = rows_of(loaded, "attanasi-2023")
    row = found["Of the experts, the creative need fewer moves (hands 17 to 32)."]
    assert row["estimate"] == pytest.approx(sides["expert creative"] - sides["expert routinized"])
    share = mean(one == "expert routinized" for one in classes.values())
    assert found["Routinized experts."]["estimate"] == pytest.approx(share)
    hands = found["Hands of a participant."]
    assert (hands["published"], hands["estimate"], hands["result"]) == ("32", 32, "agrees")


def test_session_not_yet_held_gives_no_figure(written, monkeypatch):
    monkeypatch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
    table = written["cohen-bacdayan-1994"] / "rehearsal/cohen_bacdayan_1994_b_actions.csv"
    data = gather_data(sources.read_hands([table], print), {}, person="participant_label")
    rows = list(figures.build_rows(read_study("cohen-bacdayan-1994"), data))
    assert isnan(rows[0]["estimate"])
    assert "0 levels" in rows[0]["method"]


@pytest.mark.parametrize(
    ("relation", "low", "high", "result"),
    [
        ("<", -2, -1, "agrees"),
        (">", -2, -1, "opposite"),
        ("<", -1, 1, "unclear"),
        (">", float("nan"), float("nan"), "unclear"),
    ],
)
def test_direction_is_judged_by_the_interval(relation, low, high, result):
    assert figures._judge_direction(relation, low, high, 0) == result


@pytest.mark.parametrize(("published", "result"), [(0.5, "agrees"), (0.7, "different"), (None, "")])
def test_number_is_judged_by_the_interval(published, result):
    assert figures._judge_number(published, 0.5, 0.4, 0.6) == result


def test_page_begins_with_the_findings(written, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>")
    monkeypatch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
    path, plan = written["egidi-narduzzo-1997"], tmp_path / "plan.md"
    assert main(["preregister", str(path / "design.toml"), "-o", str(plan)]) == 0
    options = ["--preregistration", str(plan), "--out", str(tmp_path / "report")]
    assert main(["replicate", str(path / "study.toml"), str(path / "rehearsal"), *options]) == 0
    page = (tmp_path / "report/report.html").read_text("utf-8")
    assert page.index("<h2>Replication</h2>") < page.index("<h2>Session and settings</h2>")
    assert "<h2>Preregistration</h2>" in page
    table = pd.read_csv(tmp_path / "report/replication.csv")
    assert [*table] == [*figures.COLUMNS]
    assert set(table["published"]) == {"not known"}
    planned = pd.read_csv(tmp_path / "report/plan.csv").set_index("point")["as_planned"]
    assert {*planned[planned == "no"].index} == {
        "data collected",
        *planned.filter(like="participants,").index,
    }
    assert "python -m cardlab.analysis replicate study.toml" in page
    supplement = (tmp_path / "report/supplement.qmd").read_text("utf-8")
    (arguments,) = re.findall(r"^ARGUMENTS = (\[.*\])", supplement, flags=re.M)
    command, study, *_others = ast.literal_eval(arguments)  # they compute the same report again
    assert command == "replicate"
    assert (tmp_path / "report" / study).resolve() == (path / "study.toml").resolve()
    warnings = capsys.readouterr().err
    assert "Not as planned: participants" in warnings
    assert "nobody has played" not in warnings  # later hands count, though training hands do not


def test_command_line_names_the_command():
    assert command_line(Command()) == "python -m cardlab.analysis report"


# ---------------------------------------------------------------- mistakes


def test_unknown_study_lists_the_studies(capsys):
    assert main(["replicate", "cohen", "--out", "x"]) == 2
    assert f"Write {', '.join(NAMES)}" in capsys.readouterr().err


def test_folder_with_files_is_kept(tmp_path, capsys):
    (tmp_path / "design.toml").write_text("changed", "utf-8")
    assert main(["replicate", NAMES[0], "--out", str(tmp_path)]) == 2
    assert "so that no file is lost" in capsys.readouterr().err
    assert (tmp_path / "design.toml").read_text("utf-8") == "changed"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("published = 32", 'published = "32"', "figure 1: published must be a number, not '32'"),
        ('measure = "hands_over"', 'measure = "hands"', "measure 'hands' is unknown"),
        ('at = "phase = later"', 'at = "later"', "at must be like"),
        ('expect = "inexpert creative >', 'expect = "inexpert creative is', "expect must be like"),
        ("claim =", "finding =", "Unknown setting 'finding'"),
        ('app = "ttt_solo"\n', "", "app is missing"),
    ],
)
def test_wrong_study_is_explained(old, new, sentence, tmp_path):
    text = read_study("attanasi-2023").file.read_text("utf-8")
    assert old in text
    path = tmp_path / "study.toml"
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(BadFile) as refused:
        read_study(str(path))
    assert sentence in str(refused.value)


def test_unknown_column_of_where_is_named(loaded):
    study = read_study("egidi-narduzzo-1997")
    figure = next(one for one in study.figures if one.where)
    wrong = replace(figure, where=figure.where._replace(column="colour"))
    with pytest.raises(BadFile, match="no column 'colour'"):
        figures.compute(wrong, loaded["egidi-narduzzo-1997"])
