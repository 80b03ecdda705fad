"""Tests preregistration: the plan in a design file, the frozen document, and the review of data."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest

from cardlab.analysis import compare, design, exclusions, sources
from cardlab.analysis.commands import main
from cardlab.analysis.exclusions import HANDS, PARTICIPANTS, parse_rule
from cardlab.analysis.preregistration import document, plan, review
from cardlab.analysis.report import methods, sections, write
from cardlab.analysis.report.data import gather_data
from cardlab.games.contract import BadFile
from tests.pages_of_docs import all_pages

ROOT = Path(__file__).parents[2]
EXAMPLE, DESIGN = ROOT / "docs/example/actions.csv", ROOT / "docs/example/preregistration.toml"
TEXT = DESIGN.read_text("utf-8")
FROZEN = "2025-12-31 12:00:00"  # before the example data


def parse(text=TEXT):
    source = design.DesignFile("study.toml", text, design.toml_file.read_toml(text, "study.toml"))
    experiment = design.parse_design(source)
    rows = [
        {
            **{"measure": "routinization", "first": "informed", "second": "routinizing", "repeats": 100},
            **{"power": 0.9, "first_greater": 0.1, "power_equivalence": 0.3},
        }
        for _size in experiment.participants
    ]
    return document.add_power(plan.parse_plan(source, experiment), experiment, rows)


def load(study, path=EXAMPLE):
    hands = sources.read_hands([path], print)
    return gather_data(hands, {}, study.by, person=study.person, rules=study.exclusions)


@pytest.fixture(scope="module")
def study():
    return parse()


@pytest.fixture(scope="module")
def data(study):
    return load(study)


@pytest.fixture
def frozen(study, tmp_path):
    path = tmp_path / "preregistration.md"
    path.write_text(document.write_document(study, TEXT, FROZEN), "utf-8")
    return path


def verdicts(found):
    return dict(zip(found.points["point"], found.points["as_planned"]))


# ---------------------------------------------------------------- the plan and the document


def test_shipped_plan_equals_the_documented_one(study):
    assert TEXT in all_pages()
    assert [one.expect for one in study.hypotheses] == ["routinizing > informed"]
    assert [condition.participants for condition in study.conditions] == [12, 12]
    assert [str(rule) for rule in study.exclusions] == ["hands_over < 16", "outcome = timeout"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[preregistration]", "[plan]", "strategy must name"),
        (
            'title = "Habit',
            'titel = "Habit',
            "line 10, column 1: Unknown setting 'titel'. Did you mean title?",
        ),
        (
            "participants = 12",
            "participants = 13",
            "line 11, column 1: participants must be the planned number",
        ),
        ("stopping =", "# stopping =", "stopping is missing. Add it to this section."),
        ('by = "part', 'adjust = "none"\nby = "part', "line 13, column 1: adjust must be holm or fdr"),
        (
            'measure = "routinization"\nexpect',
            'measure = "moves"\nexpect',
            "line 18, column 1: measure must be",
        ),
        (
            "routinizing > informed",
            "routinizing > all",
            "line 19, column 1: expect names 'all'. The treatments",
        ),
        ("routinizing > informed", "more", "line 19, column 1: expect must be like"),
        ("routinizing > informed", "informed = routinizing", "the smallest difference of interest is needed"),
        (
            "hands_over < 16",
            "hands_ove < 16",
            "line 22, column 1: rule names 'hands_ove', which is no column",
        ),
        ("hands_over < 16", "few hands", "line 22, column 1: rule must be like"),
        ("hands_over < 16", "hands_over < few", "line 22, column 1: rule compares with 'few'"),
        ("hands_over < 16", "hands_over < nan", "line 22, column 1: rule compares with 'nan'"),
        ('table = "hands"', 'table = "people"', "line 26, column 1: table must be participants or hands"),
        ("# files = [", "files = [", "files names 'treatments/study.toml'. There is no such file"),
        ('by = "part', 'person = "participant_label"\nby = "part', "line 14, column 1: by and person name"),
        ("repeats = 200", 'repeats = 200\ntest = "t"', 'test must be "permutation"'),
    ],
)
def test_plan_errors_name_the_place(old, new, sentence):
    with pytest.raises(BadFile) as refused:
        parse(TEXT.replace(old, new, 1))
    assert sentence in str(refused.value)


def test_design_without_a_plan_is_refused():
    with pytest.raises(BadFile, match="There is no section"):
        parse((ROOT / "docs/example/design.toml").read_text("utf-8"))


def test_document_is_read_as_it_was_written(study, frozen):
    found = document.read_document(frozen)
    assert found.plan == replace(study, power_rows=[*study.power_rows])
    assert (found.is_unchanged, found.frozen_utc) == (True, FROZEN)
    text = frozen.read_text("utf-8")
    headings = ["Hypotheses", "Design", "Sampling plan", "Variables", "Analysis plan", "Exclusions", "Power"]
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")][:7] == headings
    assert "| 1 | 0.800 | 0.800 | 0.800 |" in text  # 0.9 less the 0.1 in which informed is greater
    assert "No rule of exclusion was simulated. The table" in text
    of_rules = replace(study, simulated_exclusions=("hands_over < 16", "outcome = timeout"), excluded=0.1)
    text = document.write_document(of_rules, TEXT, FROZEN)
    assert "were simulated: `hands_over < 16`, `outcome = timeout`. A share of 0.1 of the" in text


def test_any_change_of_the_text_is_found(frozen):
    text = frozen.read_text("utf-8")
    frozen.write_text(text.replace("\n", "  \r\n"), "utf-8", newline="")
    assert document.read_document(frozen).is_unchanged  # line ends do not count
    frozen.write_text(text.replace("31 March", "31 May", 1), "utf-8")
    assert not document.read_document(frozen).is_unchanged
    frozen.write_text(text.replace('"measures"', '"measure"'), "utf-8")
    with pytest.raises(BadFile, match="The frozen plan below was changed and cannot be read"):
        document.read_document(frozen)
    with pytest.raises(BadFile, match="This is not a preregistration by Card Lab"):
        document.read_document(DESIGN)


def test_prediction_must_be_simulated(study):
    experiment = design.read_design(DESIGN)
    with pytest.raises(BadFile, match="No simulated comparison has both sides"):
        document.add_power(
            study,
            replace(experiment, participants=(6,)),
            [{"measure": "routinization", "first": "a", "second": "b"}],
        )


def test_command_freezes_and_never_replaces(tmp_path, capsys):
    small = TEXT.replace("[6, 12, 18]", "[2, 12]").replace('"routinizing"\n', '"always_422"\n')
    path, out = tmp_path / "study.toml", tmp_path / "frozen.md"
    path.write_text(small.replace("participants = [2, 12]", "participants = [12]"), "utf-8")
    arguments = ["preregister", str(path), "--repeats", "1", "--jobs", "1", "-o", str(out)]
    assert main(arguments) == 0
    found = document.read_document(out)
    assert found.is_unchanged
    assert [row["participants"] for row in found.plan.power_rows] == [12]
    assert found.sha256 in capsys.readouterr().out
    assert main(arguments) == 2
    assert "This document is frozen and is not replaced" in capsys.readouterr().err


# ---------------------------------------------------------------- the review


def test_rules_match_cells():
    frame = pd.DataFrame({"moves": ["1", "12", "", None], "outcome": ["won", "", "lost", "won"]})

    def excluded(text):
        return parse_rule("study.toml", HANDS, text, "").matches(frame).tolist()

    assert excluded("moves < 2") == [True, False, False, False]
    assert excluded("moves >= 1") == [True, True, False, False]
    assert excluded("moves is empty") == [False, False, True, True]
    assert excluded("outcome = won") == [True, False, False, True]
    assert excluded("outcome != won") == [False, False, True, False]


def test_exclusions_leave_out_people_and_hands(study):
    rules = (
        parse_rule("", HANDS, "hand > 30", "too late"),
        parse_rule("", PARTICIPANTS, "participant_label = informed", "informed"),
    )
    data = gather_data(sources.read_hands([EXAMPLE], print), {}, study.by, rules=rules)
    assert data.participants["participant_label"].tolist() == ["routinizing"] * 4
    assert (data.participants["hands_over"] == 30).all()
    assert data.counted["hand"].max() == 30
    assert set(data.hands["condition"]) == {"routinizing"}
    assert data.exclusions["excluded"].tolist() == [12, 2]
    assert data.exclusions["conditions"].tolist() == ["informed 4, routinizing 8", "informed 2"]
    with pytest.raises(BadFile, match="leave no participant"):
        load(replace(study, exclusions=(parse_rule("", PARTICIPANTS, "hands_over > 1", ""),)))


def test_review_names_each_deviation(data, frozen):
    found = review.review(document.read_document(frozen), data)
    assert [point for point, verdict in verdicts(found).items() if verdict != review.YES] == [
        "participants, informed",
        "participants, routinizing",
    ]
    assert found.deviations[0] == "participants, informed: planned 12; found 2."
    (result,) = found.results.to_dict("records")
    table = compare.build_table(data, ["routinization"])
    assert result["result"] == review.SUPPORTED
    assert result["p_adjusted"] == table["p_adjusted"][0]
    assert result["estimate"] == -table["estimate"][0]
    assert (result["low"], result["high"]) == (-table["high"][0], -table["low"][0])


def test_review_finds_other_settings_deals_and_dates(study, data, frozen):
    first = study.conditions[0]
    other = replace(
        first,
        hands=20,
        settings={**first.settings, "MaxRounds": [json.dumps(30)]},
        deal_files={"game422.txt": "0"},
    )
    changed = replace(study, conditions=(other, replace(study.conditions[1], name="absent")))
    changed = replace(changed, files={"nowhere.toml": "0", str(DESIGN): "0"})
    read = document.read_document(frozen)
    late = read._replace(plan=changed, frozen_utc="2026-01-01 09:15:00", version="0.1", is_unchanged=False)
    found = verdicts(review.review(late, data))
    assert {point for point, verdict in found.items() if verdict == review.NO} == {
        *("document", "data collected", "version", "conditions", f"file {DESIGN}"),
        *("participants, informed", "hands of a participant, informed", "deals, informed"),
        *("setting MaxRounds, informed", "participants, absent"),
    }
    assert found["file nowhere.toml"] == review.UNKNOWN


def test_persons_are_counted_once(study, frozen):
    named = replace(study, person="participant_label", by="", conditions=study.conditions[:1])
    found = review.review(document.read_document(frozen)._replace(plan=named), load(named))
    counts = dict(zip(found.points["point"], found.points["found"]))
    assert counts["participants, informed"] == "2"  # six participants have two labels


@pytest.mark.parametrize(
    ("expect", "result"),
    [
        ("routinizing > informed", review.SUPPORTED),
        ("informed < routinizing", review.SUPPORTED),
        ("informed != routinizing", review.SUPPORTED),
        ("informed > routinizing", review.OPPOSITE),
        ("informed = routinizing", review.OPPOSITE),
    ],
)
def test_hypothesis_is_judged_by_its_prediction(study, data, expect, result):
    first, relation, second = expect.split()
    own = replace(study, hypotheses=(plan.Hypothesis("", "routinization", first, relation, second),))
    own = replace(own, equivalence={"routinization": 0.1})
    table = review.rerun(own, data)
    assert review._judge(own, own.hypotheses[0], table)["result"] == result
    strict = replace(own, level=1e-9)
    assert review._judge(strict, own.hypotheses[0], table)["result"] == review.NOT_SUPPORTED
    assert review._judge(own, own.hypotheses[0], table[:0])["result"] == review.NOT_TESTED


def test_equivalence_is_supported_within_a_wide_bound(study, data):
    own = replace(study, equivalence={"routinization": 0.99})
    hypothesis = plan.Hypothesis("", "routinization", "informed", plan.EQUIVALENT, "routinizing")
    assert review._judge(own, hypothesis, review.rerun(own, data))["result"] == review.SUPPORTED


def test_report_has_a_section_about_the_plan(data, frozen):
    planned = review.review(document.read_document(frozen), data)
    _session, section = islice(write.build_sections(data, planned=planned), 2)
    assert section.title == "Preregistration"
    assert "Of 15 points, 13 are as planned, 2 are not." in section.text
    assert {name: len(frame) for name, frame in section.frames.items()} == {
        **{"hypotheses": 1, "plan": 15, "exclusions": 2}
    }
    comparisons = sections.build_comparison_section(data, planned).frames["comparisons"]
    assert comparisons["measure"][comparisons["role"] == compare.PRIMARY].tolist() == ["routinization"]
    changed = planned._replace(document=planned.document._replace(is_unchanged=False))
    assert "The document was changed" in sections.build_preregistration_section(data, changed).text


def test_methods_count_what_the_rules_exclude(data):
    hands = data.hands.assign(place=data.hands["place"].mask(data.hands["number"] == 3))
    rules = pd.DataFrame([["participants", "hands_over < 16", "", 1, ""]], columns=list(exclusions.COLUMNS))
    text = methods.describe_data(replace(data, hands=hands, exclusions=rules))
    assert f"Hands left out: {(hands['number'] == 3).sum()} excluded by the preregistration." in text
    assert "Participants excluded by the preregistration: 1." in text


def test_methods_name_options_beside_the_plan(frozen, tmp_path, monkeypatch):
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>")
    monkeypatch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
    options = ["--preregistration", str(frozen), "--no-search", "--out", str(tmp_path / "report")]
    assert main(["report", str(EXAMPLE), *options]) == 0
    page = (tmp_path / "report/report.html").read_text("utf-8")
    assert "report actions.csv --no-search --preregistration preregistration.md" in page


def test_compare_reruns_the_plan(frozen, tmp_path, capsys):
    arguments = ["compare", str(EXAMPLE), "--preregistration", str(frozen), "-o", str(tmp_path / "c.csv")]
    assert main(arguments) == 0
    output = capsys.readouterr()
    assert "routinizing has a greater mean than informed: supported" in output.out
    assert "Not as planned: participants, informed: planned 12; found 2." in output.err
    assert pd.read_csv(tmp_path / "c.csv")["role"].value_counts()["primary"] == 1
    assert main([*arguments, "--by", "deal"]) == 2
    assert "--by: The preregistration determines this option" in capsys.readouterr().err
