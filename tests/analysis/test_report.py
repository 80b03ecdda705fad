"""Tests that the report's numbers are correct, its page needs no network, and wrong input is refused."""

from __future__ import annotations

import csv
import json
import re
import shutil
import statistics
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from harnesses import GAMES
from scipy import stats
from test_hands_of_all_games import exported

from cardlab.analysis import sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.matrix.report import describe_class
from cardlab.analysis.inference.intervals import STUDENT, WILSON
from cardlab.analysis.learning_curves import MIN_ADVANTAGE
from cardlab.analysis.report import charts, write
from cardlab.analysis.report.captions import describe_means
from cardlab.analysis.report.curve_plots import compute_means, draw_curves
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.report.drawing import render, render_svg
from cardlab.analysis.report.endings import ENDINGS
from cardlab.analysis.report.sections import TIMING
from cardlab.games.contract import OUTCOMES, BadFile
from cardlab.games.registry import games_by_app
from cardlab.games.tables import ACTION_COLUMNS


def simulated(folder: Path, game: str, *arguments: str) -> Path:
    assert main(["simulate", game, *arguments, "-o", str(folder / "actions.csv")]) == 0
    return folder / "actions.csv"


UNSEARCHED = ("--no-search",)  # the hindsight search takes longest


def reported(source: Path, *arguments: str) -> Path:
    folder = source.parent / "report"
    assert main(["report", str(source), "--out", str(folder), *arguments]) == 0
    return folder


@pytest.fixture(scope="module", autouse=True)
def few_repetitions():
    """Makes the random baseline play each hand twice, because its mean need not be precise here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 2)
        yield


@pytest.fixture(scope="module")
def report_of(tmp_path_factory):
    """Returns a function from a game's name to the folder of a report, made once per game."""

    @cache
    def made(game: str) -> Path:
        source = simulated(tmp_path_factory.mktemp(game), GAMES[game].folder, *GAMES[game].harness.REPORTED)
        return reported(source, *(["--by", "participant_label"] if game == "ttt" else []))

    return made


@pytest.fixture
def ttt(report_of):
    return report_of("ttt")


@pytest.fixture
def matrix(report_of):
    return report_of("matrix")


@pytest.fixture
def triangle(report_of):
    return report_of("triangle")


@pytest.fixture
def undrawn(monkeypatch):
    """Writes empty plot files, because drawing takes longest and only tables are tested."""
    monkeypatch.setattr(write, "render_svg", lambda _drawing: "<svg/>")


@pytest.fixture(params=list(GAMES))
def folder(request, report_of):
    return report_of(request.param)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class Page(HTMLParser):
    """Collects the addresses and words of a page."""

    def __init__(self, html: str):
        super().__init__()
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.addresses += [attributes[name] or "" for name in ("src", "href") if name in attributes]

    def handle_data(self, data):
        self.words.append(data)


# ---------------------------------------------------------------- the page and its files


def test_every_table_and_plot_has_a_file(folder):
    page = Page((folder / "report.html").read_text("utf-8"))
    named = {address for address in page.addresses if not address.startswith("#")}
    there = {file.name for file in folder.iterdir()} - {"report.html"}
    assert named == there
    assert {"hands.csv", "participants.csv", "quality.csv", "settings.csv"} <= there
    plots = {file.stem for file in folder.glob("*.svg")}
    assert "each_participant" in plots
    assert plots <= {file.stem for file in folder.glob("*.csv")}


def test_page_has_no_marks_of_the_documentation(folder):
    assert "`" not in (folder / "report.html").read_text("utf-8")


def test_report_says_how_exact_times_are(folder):
    page = Page((folder / "report.html").read_text("utf-8"))
    assert TIMING in " ".join(" ".join(page.words).split())


def test_reports_and_docs_agree_on_exactness():
    results = Path(__file__).parents[2] / "docs" / "results" / "input_times.csv"
    figures = re.findall(r"(-?\d+\.\d) ms \((?:median; )?SD (\d+\.\d) ms\)", TIMING)
    with results.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert figures == [(row["recorded_median_ms"], row["recorded_sd_ms"]) for row in rows]


def test_report_needs_no_network(folder):
    """Only addresses of files in the folder, of page parts and of XML namespaces are allowed."""
    html = (folder / "report.html").read_text("utf-8")
    html = re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    html = re.sub(r"<metadata>.*?</metadata>", "", html, flags=re.S)
    assert "//" not in html.replace("://", "//") or not re.findall(r"https?://|@import|url\((?!#)", html)
    assert not re.findall(r"<script|<link|<iframe|<object", html)


def test_same_table_gives_the_same_bytes(ttt, tmp_path):
    shutil.copy(ttt.parent / "actions.csv", tmp_path)
    again = reported(tmp_path / "actions.csv", "--by", "participant_label")
    for file in ttt.iterdir():
        first, second = file.read_bytes(), (again / file.name).read_bytes()
        if file.name == "hands.csv":  # it names its source
            first, second = (
                text.replace(str(place).encode(), b"")
                for text, place in ((first, ttt.parent), (second, tmp_path))
            )
        assert first == second, file.name


def test_plot_is_an_svg_with_text(ttt):
    drawing = (ttt / "client_seconds_by_hand.svg").read_text("utf-8")
    assert drawing.startswith("<?xml")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    assert {"Seconds", "Hand", "informed", "random"} <= set(words)


# ---------------------------------------------------------------- the numbers


def test_means_and_bands_equal_the_participants(ttt):
    hands = table(ttt, "hands")
    rows = table(ttt, "client_seconds_by_hand")
    assert len(rows) == 12
    for row in rows:
        seconds = [
            float(hand["client_seconds"])
            for hand in hands
            if hand["condition"] == row["condition"] and hand["hand"] == str(int(float(row["place"])))
        ]
        assert len(seconds) == int(float(row["participants"])) == 3
        assert float(row["mean"]) == pytest.approx(statistics.fmean(seconds))
        assert row["method"] == STUDENT  # used below six participants
        low, high = stats.t.interval(0.95, 2, statistics.fmean(seconds), stats.sem(seconds))
        assert (float(row["low"]), float(row["high"])) == (pytest.approx(max(0, low)), pytest.approx(high))


def test_share_intervals_stay_possible_and_have_width(ttt):
    shares = [row for row in table(ttt, "optimal_by_hand") if row["condition"]]
    assert len(shares) == 12
    for row in shares:
        assert row["method"] == WILSON
        assert 0 <= float(row["low"]) <= float(row["mean"]) <= float(row["high"]) <= 1
        assert float(row["high"]) - float(row["low"]) > 0.3


def test_baselines_are_plotted_with_the_participants(ttt):
    rows = table(ttt, "optimal_by_hand")
    played, rows_read = (
        {(row[kind], row["place"]): float(row["mean"]) for row in rows if row[kind]}
        for kind in ("condition", "baseline")
    )
    informed = {key: value for key, value in rows_read.items() if key[0] == "informed"}
    assert len(informed) == 6
    assert informed == {key: played[key] for key in informed}  # the participants are informed players too


def test_missing_values_are_counted_in_table_and_caption():
    """Hands that no participant solved give a row without a mean."""
    hands = pd.DataFrame(
        {
            **{
                "condition": "all",
                "session_code": "s",
                "participant_code": [*"abcabc"],
                "group": [0, 1, 2] * 2,
            },
            **{"place": [1, 1, 1, 2, 2, 2], "excess": [2.0, None, 1.0, None, None, None]},
        }
    )
    numbers = compute_means(hands, "place", "excess")
    assert numbers[["participants", "values", "missing"]].to_numpy().tolist() == [[2, 2, 1], [0, 0, 3]]
    assert numbers["mean"].isna().tolist() == [False, True]
    assert "n = 0–2 participants with 2 hands (4 more without a value)." in describe_means(numbers)
    assert compute_means(hands[3:], "place", "excess").empty


def test_axis_of_zeros_shows_whole_units():
    """Otherwise rounding errors would fill a plot of moves lost by people who lost none."""
    hands = {"condition": "all", "session_code": "s", "participant_code": [*"ab"], "group": [0, 1]}
    means = compute_means(pd.DataFrame({**hands, "place": 1, "lost": [0.0, 1e-12]}), "place", "lost")
    drawing = render_svg(draw_curves(means, "place", ("Hand", "Moves lost")))
    words = re.findall(r"<text[^>]*>([^<]*)</text>", drawing)
    assert {"0.0", "1.0"} <= {*words}, words


def test_captions_name_sample_sizes_and_interval_methods(ttt):
    page = (ttt / "report.html").read_text("utf-8")
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page, flags=re.S)
    assert len(captions) > 10
    assert all("n = " in caption or "sequences" in caption for caption in captions)
    assert all("95 %" in caption for caption in captions if "Means over participants" in caption)


def test_participant_rows_show_that_informed_play_is_best(ttt):
    rows = table(ttt, "participants")
    assert len(rows) == 6
    for row in rows:
        if row["condition"] == "informed":
            assert (row["best_play_share"], float(row["mean_moves_lost"])) == ("1.0", 0)
        else:
            assert float(row["mean_moves_lost"]) > 0


def test_conditions_are_compared_in_each_measure(ttt):
    rows = {row["measure"]: row for row in table(ttt, "comparisons")}
    people = table(ttt, "participants")
    row = rows["mean_moves_lost"]
    one, other = (
        [float(own["mean_moves_lost"]) for own in people if own["condition"] == name]
        for name in (row["first"], row["second"])
    )
    assert (row["n_first"], row["n_second"]) == ("3", "3")
    assert float(row["estimate"]) == pytest.approx(statistics.fmean(one) - statistics.fmean(other))
    assert float(row["low"]) <= float(row["estimate"]) <= float(row["high"])
    assert float(row["p"]) == pytest.approx(stats.ttest_ind(one, other, equal_var=False).pvalue)
    assert "familiar_route" not in rows


@pytest.fixture(scope="module")
def transferred(tmp_path_factory):
    """Returns a report of habitual and informed players over a transfer."""
    folder = tmp_path_factory.mktemp("transfer")
    mix = ["--mix", "routinizing:1,informed:1", "--participants", "4", "--deals", "transfer422.txt"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "render_svg", lambda _drawing: "<svg/>")
        return reported(simulated(folder, "ttt", *mix), "--by", "participant_label")


def test_switch_cost_starts_at_transfer_and_spares_informed(transferred):
    rows = table(transferred, "switch_cost")
    assert min(int(row["since"]) for row in rows) == -7
    assert max(int(row["since"]) for row in rows) == 16
    assert {float(row["mean"]) for row in rows if row["condition"] == "informed"} == {0}
    assert any(float(row["mean"]) > 0 for row in rows if row["condition"] == "routinizing")
    each = table(transferred, "switch_costs_each")
    assert [(row["hands_before"], row["hands_after"]) for row in each] == [("4", "4")] * 4


def test_familiar_route_survives_while_it_is_kept(transferred):
    rows = table(transferred, "survival_of_the_route")
    informed = [row for row in rows if row["condition"] == "informed"]
    assert [float(row["survival"]) for row in informed] == [1, 0]  # left at the first opportunity
    hands = pd.read_csv(transferred / "hands.csv", dtype={"route": str})
    people = pd.read_csv(transferred / "participants.csv", dtype={"familiar_route": str})
    left = []
    for person in people[people["condition"] == "routinizing"].itertuples():
        own = hands[(hands["participant_code"] == person.participant_code) & (hands["hand"] > 16)]
        own = own[own[f"lost_by_{person.familiar_route}"] > 0]
        own = own[(own["route"] != person.familiar_route) | (own["moves_lost"] > 0)]
        gone = [*(own["route"] != person.familiar_route)]
        left.append(gone.index(True) + 1 if any(gone) else None)
    by_time = {int(float(row["time"])): row for row in rows if row["condition"] == "routinizing"}
    for time in set(filter(None, left)):
        assert int(by_time[time]["events"]) == left.count(time)
    assert sum(int(row["censored"]) for row in by_time.values()) == left.count(None)


def test_hazard_of_conditions_pools_that_of_participants(transferred):
    rows = {row["condition"]: row for row in table(transferred, "hazard_of_leaving")}
    assert float(rows["informed"]["hazard"]) == 1
    people = pd.read_csv(transferred / "participants.csv")
    own = people.loc[people["condition"] == "routinizing", "hazard_of_leaving"]
    pooled = float(rows["routinizing"]["hazard"])
    left = (own > 0).sum()
    assert own.min() <= pooled <= own.max()
    assert pooled == pytest.approx(left / int(rows["routinizing"]["hands"]))
    assert float(rows["routinizing"]["low"]) <= pooled <= float(rows["routinizing"]["high"])


def test_moves_to_solution_are_listed_by_phase(transferred):
    hands = pd.read_csv(transferred / "hands.csv")
    rows = pd.read_csv(transferred / "moves_to_solution.csv")
    assert set(rows["phase"]) == {"Learning phase", "After it"}
    solved = rows[rows["ending"] == "Solved"]
    assert solved["events"].sum() == (hands["outcome"] == "solved").sum()
    assert rows["events"].sum() == len(hands)
    assert rows["censored"].sum() == 0  # nobody was advanced, so all other endings compete


def test_every_possible_ending_has_a_competing_risk():
    other_endings = {"completed", "won", "lost", "drawn", "open"}
    assert {*OUTCOMES} - {*ENDINGS} - other_endings == {"advanced", "stopped"}


@pytest.mark.usefixtures("undrawn")
def test_given_up_hand_counts_as_unsolved(tmp_path):
    """At the end of the curves every hand has ended, so the incidences are the shares of the endings."""
    mix = ["--mix", "solver:1,greedy:1", "--participants", "4", "--hands", "2", "--set", "pack=briscola"]
    folder = reported(simulated(tmp_path, "solitario", *mix), *UNSEARCHED)
    hands = pd.read_csv(folder / "hands.csv")
    assert {"solved", "gave_up"} <= {*hands["outcome"]}
    last = pd.read_csv(folder / "moves_to_solution.csv").groupby("ending").last()["incidence"]
    shares = hands["outcome"].value_counts(normalize=True)
    assert last["Solved"] == pytest.approx(shares["solved"])
    assert last["Given up"] == pytest.approx(shares["gave_up"])
    first = pd.read_csv(folder / "moves_to_solution.csv").groupby("ending").first()
    assert first["at_risk"].unique().tolist() == [len(hands)]
    assert (first[["time", "incidence", "low", "high"]] == 0).all(axis=None)
    page = (folder / "report.html").read_text("utf-8")
    assert "estimator of Aalen and Johansen" in page
    assert "Kaplan" not in page


def test_each_participant_has_three_curves_and_one_best(transferred):
    rows = pd.read_csv(transferred / "learning_fits.csv")
    assert (rows.groupby("participant_code")["best"].sum() == 1).all()
    assert (rows.groupby("participant_code").size() == 3).all()
    for _code, own in rows.groupby("participant_code"):
        aicc = own.set_index("form")["aicc"]
        assert own.loc[own["best"] == 1, "form"].item() == (aicc + pd.Series(MIN_ADVANTAGE)).idxmin()


def test_transitions_are_shares_of_the_following_move(transferred):
    rows = pd.read_csv(transferred / "transitions_1.csv")
    assert rows.groupby("before")["share"].sum().to_list() == pytest.approx([1] * rows["before"].nunique())
    hands = pd.read_csv(transferred / "hands.csv")
    own = hands[hands["condition"] == "informed"]["sequence"]
    assert rows["moves"].sum() == own.str.len().sum()


@pytest.mark.usefixtures("undrawn")
def test_plots_are_written_in_the_requested_formats(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "render", lambda _drawing, kind: kind.encode())
    source = tmp_path / "actions.csv"
    source.write_text(rows_of(PLAYED + END), "utf-8")
    first = reported(source, "--figures", "pdf, png")
    plots = {kind: {file.stem for file in first.glob(f"*.{kind}")} for kind in ("svg", "pdf", "png")}
    assert plots["pdf"] == plots["png"]
    assert len(plots["pdf"]) > 4
    assert not plots["svg"]
    named = set(Page((first / "report.html").read_text("utf-8")).addresses)
    assert {f"{name}.png" for name in plots["png"]} <= named
    reported(source)
    assert not [*first.glob("*.pdf"), *first.glob("*.png")]  # the previous report's files are deleted


@pytest.mark.parametrize(("kind", "head"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_plot_file_is_reproducible(kind, head):
    drawing = charts.draw_counts(pd.DataFrame({"hands": [1, 2]}), ("x", "y"))
    first = render(drawing, kind)
    assert first.startswith(head)
    assert first == render(drawing, kind)


def test_plot_text_is_legible_on_small_screens(folder):
    """A screen 390 pixels wide leaves 366 for a plot, whose font size must be at least 9 pixels there."""
    for file in folder.glob("*.svg"):
        drawing = file.read_text("utf-8")
        width = float(re.search(r'viewBox="0 0 ([\d.]+) ', drawing)[1])
        sizes = [float(size) for size in re.findall(r"<text[^>]*?\bfont(?:-size)?: ([\d.]+)px", drawing)]
        assert min(sizes) * min(1, 366 / (width * 96 / 72)) * 96 / 72 >= 9, file.name


def test_routes_count_hands_with_competing_routes(ttt):
    hands = pd.read_csv(ttt / "hands.csv", dtype={"route": str, "shorter_route": str})
    both = hands[hands["shorter_route"].notna()]
    conditions = sorted(both["condition"].unique())
    for number, condition in enumerate(conditions, 1):
        counts = pd.read_csv(ttt / f"routes_{number}.csv")
        own = both[both["condition"] == condition]
        assert counts[["422", "442", "another", "unsolved"]].to_numpy().sum() == len(own)
        assert counts["422"].sum() == ((own["route"] == "422") & (own["outcome"] == "solved")).sum()


def test_sequences_are_counted(ttt):
    hands = table(ttt, "hands")
    solved = [hand["sequence"] for hand in hands if hand["outcome"] == "solved"]
    for row in table(ttt, "sequences"):
        assert int(row["hands"]) == solved.count(row["sequence"])
    assert sum(int(row["hands"]) for row in table(ttt, "sequences")) == len(solved)


def test_matrix_choices_equal_those_of_the_turns(matrix):
    """Counts the choices again from the table of turns."""
    expected: dict[str, list[tuple[int, int | None]]] = {}
    for turn in table(matrix, "turns"):
        for own, other in (("first", "second"), ("second", "first")):
            if turn[f"{own}_free"] != "1":
                continue
            payoffs = {
                (first, second): float(turn[f"{other}_{first}{second}"]) for first in "LR" for second in "LR"
            }
            best = max(payoffs.values())
            place = 0 if own == "first" else 1
            holding = {cell[place] for cell, payoff in payoffs.items() if payoff == best}
            played = turn[f"{own}_column"][0].upper()
            cooperated = int(played in holding) if len(holding) == 1 else None
            order = turn[f"{own}_order"]
            name = describe_class(order)
            expected.setdefault(name, []).append((int(turn[f"{own}_best"]), cooperated))
    rows = {row["game"]: row for row in table(matrix, "choices_by_game")}
    assert rows.keys() == expected.keys()
    for name, row in rows.items():
        best, cooperated = zip(*expected[name])
        known = [choice for choice in cooperated if choice is not None]
        assert int(row["choices"]) == len(best)
        assert float(row["best_response"]) == pytest.approx(statistics.fmean(best))
        if known:
            assert float(row["cooperated"]) == pytest.approx(statistics.fmean(known))


@pytest.mark.parametrize(
    ("order", "name"),
    [
        ("TRPS", "TRPS prisoner's dilemma"),
        ("TRP=S", "ties P=S"),
        ("TR=P=S", "ties P=R=S"),
        ("R=SP=T", "ties P=T, R=S"),
        ("T=R=P=S", "ties P=R=S=T"),
    ],
)
def test_games_with_ties_are_classified_by_their_ties(order, name):
    assert describe_class(order) == name


def test_score_parts_of_triangles_add_up(triangle):
    hands = table(triangle, "hands")
    for row in table(triangle, "score_parts"):
        scores = [int(hand["score"]) for hand in hands if hand["hand"] == str(int(float(row["hand"])))]
        assert float(row["score"]) == pytest.approx(statistics.fmean(scores))
        parts = [float(row[part]) for part in ("sides", "corners", "discontinuities", "discarded")]
        assert sum(parts) == pytest.approx(float(row["score"]))


@pytest.mark.usefixtures("undrawn")
def test_searched_hands_are_of_all_participants(tmp_path):
    """Every second hand would be of every second participant, and so perhaps of one condition."""
    folder = reported(simulated(tmp_path, "triangle", "--participants", "6", "--hands", "4"))
    rows = table(folder, "hindsight")
    assert len({row["participant_code"] for row in rows}) == 6
    text = (folder / "report.html").read_text("utf-8")
    assert "Searched hands: 20 of 24, drawn at random." in text
    assert "n = 6 participants with 540 cards." in text


def test_possible_score_at_the_end_is_the_score(triangle):
    scores = {row["hand_id"]: row["score"] for row in table(triangle, "hands")}
    at_the_end = {row["hand_id"]: row["possible_after"] for row in table(triangle, "hindsight")}
    assert at_the_end == scores


@pytest.mark.usefixtures("undrawn")
def test_triangles_without_a_placement_are_reported(tmp_path):
    source = simulated(tmp_path, "triangle", "--participants", "2", "--hands", "1")
    with source.open(newline="") as file:
        rows = list(csv.DictReader(file))
    ended = [row for row in rows if row["action"].startswith(("deal ", "end "))]
    with source.open("w", newline="") as file:
        columns = [name for name in rows[0] if name != "digest" and not name.startswith("record_")]
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        for row in ended:
            is_end = row["action"].startswith("end ")
            writer.writerow(row | ({"action": "end timeout", "action_number": "1"} if is_end else {}))
    folder = reported(source)
    assert "No card was placed or discarded." in (folder / "report.html").read_text("utf-8")
    assert not (folder / "hindsight.csv").exists()


# ---------------------------------------------------------------- data quality, conditions, labels


def rows_of(*hands: list[tuple], settings: tuple[str, ...] = (), labels: Sequence[str] = ()) -> str:
    """Returns an actions table; each hand is a list of (number, action, accepted, client_ms, server_ms).

    Each hand has its own participant. If given, ``settings`` and ``labels`` have one entry for each hand.
    """
    base = {"session_code": "s3ss10n0", "is_demo": 0, "session_created_utc": "2026-11-20T14:00:00.000Z"}
    columns = [*ACTION_COLUMNS][: [*ACTION_COLUMNS].index("record_lines")]  # the columns of version 0.3
    lines = [",".join(columns)]
    for number, events in enumerate(hands, 1):
        own = {
            **base,
            "participant_code": f"p{number}",
            "participant_label": labels[number - 1] if labels else "PC_01",
            "is_bot": 0,
            "app": "ttt_solo_app",
            "hand": 1,
            "hand_id": f"h{number}",
            "seat": "solo",
        }
        options = json.loads(settings[number - 1]) if settings else {"MaxRounds": 20, "ViewCard": "all"}
        deal = {
            "action_number": 0,
            "action": "deal 3H 2C 2H 4C 4H 3C | 2H | ck",
            "accepted": 1,
            "client_ms": 0,
            "server_time_utc": "2026-11-20T14:01:00.000Z",
            "shown_utc": "2026-11-20T14:01:00.000Z",
            "practice": 0,
            "settings": json.dumps(options),
            "card_lab_version": "0.3.0",
        }
        cells = [{**own, **deal, "seat": ""}]
        for asked, action, accepted, client_ms, server_ms in events:
            time = f"2026-11-20T14:01:{server_ms // 1000:02d}.{server_ms % 1000:03d}Z"
            event = {"action_number": asked, "action": action, "accepted": accepted}
            seat = "" if action.startswith("end ") else "solo"
            cells.append({**own, **event, "client_ms": client_ms, "server_time_utc": time, "seat": seat})
        for row in cells:
            quoted = [f'"{str(row.get(name, "")).replace(chr(34), chr(34) * 2)}"' for name in columns]
            lines.append(",".join(quoted))
    return "\r\n".join(lines) + "\r\n"


PLAYED = [(1, "T", 1, 1000, 1010), (2, "U", 1, 2000, 2010), (3, "P", 1, 3000, 3010), (4, "T", 1, 4000, 4010)]
END = [(5, "end solved", 1, 4000, 4010)]


@pytest.mark.usefixtures("undrawn")
def test_data_quality_counts_incidents(tmp_path):
    troubled = [
        *PLAYED[:1],
        ("", "reconnect", "", "", 1500),
        (1, "T", 0, 1600, 1610),  # a resend: number 1 was used
        (2, "T", 0, 1700, 1710),  # refused by the rules
        (2, "U", 1, 1800, 9000),  # seven seconds late
        (3, "P", 1, 1200, 9100),  # the participant's clock ran backwards
        (4, "N", 1, 30_000, 9200),  # and then ahead of the server's
    ]
    source = tmp_path / "actions.csv"
    source.write_text(
        rows_of(PLAYED + END, troubled, PLAYED[:2] + [(3, "end timeout", 1, "", 9000)]), "utf-8"
    )
    (row,) = table(reported(source), "quality")
    assert row == {
        "session_code": "s3ss10n0",
        "participants": "3",
        "bots": "0",
        "hands": "3",
        "practice": "0",
        "damaged": "0",
        "open": "1",
        "timeouts": "1",
        "advanced": "0",
        "absences": "0",
        "away": "0",
        "reconnects": "1",
        "second_tabs": "0",
        "refused": "2",
        "duplicates": "1",
        "late": "1",
        "clock_jumps": "2",
        "server_clock_jumps": "0",
        "versions": "0.3.0",
    }


@pytest.mark.parametrize(("note", "advanced"), [("leave advanced", "1"), ("leave stopped", "0")])
@pytest.mark.usefixtures("undrawn")
def test_participants_who_stopped_were_not_advanced(tmp_path, note, advanced):
    source = tmp_path / "actions.csv"
    source.write_text(rows_of([*PLAYED, ("", note, "", "", 4010), *END]), "utf-8")
    (row,) = table(reported(source), "quality")
    assert row["advanced"] == advanced


@pytest.fixture
def two_treatments(tmp_path):
    """Provides a simulated session of two treatments, and how many participants each has."""
    (tmp_path / "own.toml").write_text("[b]\n[a]\nshare = 2\nhighlight = true\n", "utf-8")
    source = tmp_path / "actions.csv"
    own = ["--treatments", tmp_path / "own.toml", "--participants", "6", "--hands", "2", "-o", source]
    assert main(["simulate", "triangle", *map(str, own)]) == 0
    return source, {"a": "4", "b": "2"}


@pytest.mark.usefixtures("undrawn")
def test_treatments_are_conditions_with_their_own_curves(two_treatments):
    source, people = two_treatments
    folder = reported(source, *UNSEARCHED)
    assert {row["condition"]: row["participants"] for row in table(folder, "conditions")} == people
    assert {row["condition"] for row in table(folder, "score_by_hand")} - {""} == {"a", "b"}
    assert {row["treatment"]: row["condition"] for row in table(folder, "hands")} == {"a": "a", "b": "b"}
    by = reported(source, "--by", "participant_label", *UNSEARCHED)
    assert [row["condition"] for row in table(by, "conditions")] == ["random"]


@pytest.mark.usefixtures("undrawn")
def test_old_export_without_treatments_is_read(two_treatments):
    source, _people = two_treatments
    with source.open(newline="") as file:
        rows = list(csv.reader(file))
    place = rows[0].index("treatment")
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([*row[:place], *row[place + 1 :]] for row in rows)
    folder = reported(source, *UNSEARCHED)
    conditions = {row["condition"] for row in table(folder, "conditions")}
    assert conditions == {"highlight True", "highlight False"}  # the settings that differ, as before
    assert {row["treatment"] for row in table(folder, "hands")} == {""}


@pytest.mark.usefixtures("undrawn")
def test_conditions_are_settings_that_differ_between_participants(tmp_path):
    source = tmp_path / "actions.csv"
    settings = [json.dumps({"MaxRounds": 20, "ViewCard": view, "seed": view}) for view in ("all", "none")]
    source.write_text(rows_of(PLAYED + END, PLAYED + END, settings=tuple(settings)), "utf-8")
    folder = reported(source)
    assert [row["condition"] for row in table(folder, "conditions")] == ["ViewCard all", "ViewCard none"]
    by = reported(source, "--by", "MaxRounds")
    assert [row["condition"] for row in table(by, "conditions")] == ["MaxRounds 20"]


def test_labels_are_escaped_in_page_and_files(tmp_path):
    source = tmp_path / "actions.csv"
    label = "=<script>alert(1)</script>"
    source.write_text(rows_of(PLAYED + END, labels=[f"'{label}"]), "utf-8")
    folder = reported(source)
    html = (folder / "report.html").read_text("utf-8")
    assert "<script" not in html
    assert label in "".join(Page(html).words)
    for name in ("hands", "participants"):
        assert [row["participant_label"] for row in table(folder, name)] == [f"'{label}"]


def test_any_labels_can_be_drawn(tmp_path, capfd, monkeypatch):
    """Each label is a condition, so that every legend shows all of them. Plots of a single condition are not
    drawn, because they have no legend."""
    apart = {"draw_heat_map", "draw_shares"}
    monkeypatch.setattr(
        write, "render_svg", lambda plot: "<svg/>" if plot.draw.__name__ in apart else render_svg(plot)
    )
    labels = ["$\\frac{$", "pay $5 or $6", "_under", "a\x01b", "日本", "x" * 3000, "<b>&amp;", "other"]
    source = tmp_path / "actions.csv"
    source.write_text(rows_of(*[PLAYED + END] * len(labels), labels=labels), "utf-8")
    folder = reported(source, "--by", "participant_label")
    assert capfd.readouterr().err == ""
    assert len(table(folder, "conditions")) == len(labels)
    for drawing in folder.glob("*.svg"):
        ElementTree.fromstring(drawing.read_text("utf-8"))
    words = "".join(
        ElementTree.fromstring((folder / "client_seconds_by_hand.svg").read_text("utf-8")).itertext()
    )
    for label in labels:
        assert label.replace("\x01", "?")[:20].strip("_") in words


@pytest.mark.usefixtures("undrawn")
def test_plots_of_parts_contain_only_counted_hands(triangle, tmp_path):
    text = (triangle.parent / "actions.csv").read_text("utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    practice = {row["hand_id"] for row in rows if row["hand"] == "1"}
    for row in rows:
        if row["practice"] and row["hand_id"] in practice:
            row["practice"] = "1"
    source = tmp_path / "actions.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ACTION_COLUMNS))
        writer.writeheader()
        writer.writerows(rows)
    folder = reported(source, "--no-search")
    own = pd.read_csv(folder / "placements.csv")
    own = own[~own["hand_id"].isin(practice)].dropna(subset=["decision_ms"])
    people = own["hand_id"].str.rsplit("-", n=1).str[0]
    logs = np.log(own["decision_ms"].where(own["decision_ms"] > 0))
    expected = logs.groupby([own["fitted"], people]).mean().groupby("fitted").mean()
    means = pd.read_csv(folder / "time_by_places.csv").set_index("fitted")["mean"].dropna()
    assert means.to_dict() == pytest.approx(np.exp(expected).to_dict())


def test_hands_table_equals_that_of_the_command(folder, tmp_path):
    assert main(["hands", str(folder.parent / "actions.csv"), "-o", str(tmp_path / "hands.csv")]) == 0
    with (tmp_path / "hands.csv").open(encoding="utf-8", newline="") as file:
        expected = list(csv.DictReader(file))
    rows = table(folder, "hands")
    for row in rows:
        assert bool(row.pop("condition")) == bool(row["participant_code"])  # the computer has none
    assert rows == expected


def test_session_without_finished_hands_has_a_report(tmp_path):
    source = tmp_path / "actions.csv"
    source.write_text(rows_of(PLAYED[:2]), "utf-8")
    folder = reported(source)
    assert {file.name for file in folder.iterdir()} >= {"report.html", "quality.csv", "hands.csv"}
    assert "No hand counts. Methods says which" in (folder / "report.html").read_text("utf-8")


@pytest.mark.usefixtures("undrawn")
def test_one_of_a_kind_is_singular(tmp_path):
    folder = reported(simulated(tmp_path, "ttt", "--participants", "1", "--hands", "1"))
    text = (folder / "report.html").read_text("utf-8")
    assert "1 participant in 1 condition, 1 hand. " in text
    assert not re.findall(r"(?<![\d,.])1 (?:participants|conditions|hands|pairs)\b", text)


def test_original_program_log_has_a_report(tmp_path):
    """The log has neither goal nor session, so whole columns are empty."""
    log = Path(__file__).parents[1] / "data" / "ttt" / "seed_log_nk.txt"
    assert main(["report", str(log), "--out", str(tmp_path / "report")]) == 0
    (row,) = table(tmp_path / "report", "participants")
    assert (row["participant_code"], row["hands_over"]) == ("seeee", "1")
    assert "deals from" not in {row["setting"] for row in table(tmp_path / "report", "settings")}
    title = "<title>Target the Two: session known from logs</title>"
    assert title in (tmp_path / "report" / "report.html").read_text("utf-8")


def test_session_without_moves_has_a_report(tmp_path):
    source = tmp_path / "actions.csv"
    source.write_text(rows_of(*[[(1, "end timeout", 1, "", 9000)]] * 3), "utf-8")
    (row,) = table(reported(source), "quality")
    assert (row["hands"], row["timeouts"]) == ("3", "3")


@pytest.mark.usefixtures("undrawn")
def test_game_without_own_sections_has_a_report(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "module", lambda _game, _name: None)
    folder = reported(simulated(tmp_path, "triangle", "--participants", "2", "--hands", "2"))
    plots = [path.name for path in folder.glob("*.svg")]
    assert sorted(plots) == ["each_participant.svg", "score_by_hand.svg"]


@pytest.mark.parametrize("game", GAMES)
def test_game_timed_out_before_any_move_has_report(tmp_path, game):
    asked = GAMES[game]
    simulated(tmp_path, asked.folder, *asked.harness.REPORTED, "--hands", "2")
    heading, *rows = csv.reader((tmp_path / "actions.csv").read_text("utf-8").splitlines())
    number, action, by = (heading.index(name) for name in ("action_number", "action", "client_ms"))
    source = tmp_path / "cut.csv"
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        for row in rows:
            if row[action].startswith("end "):
                row[number], row[action], row[by] = "1", "end timeout", ""
            if row[action].startswith(("deal ", "end ", "arrive")):
                writer.writerow(row)
    (row,) = table(reported(source, "--no-search"), "quality")
    hands = {cells[heading.index("hand_id")] for cells in rows}
    assert row["hands"] == row["timeouts"] == str(len(hands))


@pytest.mark.long(
    "the same as in the matrix game", only=("ttt", "ttt_pair", "triangle", "solitario", "challenge")
)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_random_sessions_have_a_report(tmp_path, game):
    """Builds all tables and plots of many small sessions, and renders the plots of every third."""
    source, plots = tmp_path / "actions.csv", 0
    for seed in range(6):
        text = exported(import_module(game.app), game.harness.rounds(seed), "custom_export")
        source.write_text(text, "utf-8", newline="")
        damage = sources.DamagePolicy(lambda _sentence: None)
        hands = sources.read_hands([source], lambda _sentence: None, damage=damage)
        try:
            searches = bool(games_by_app()[game.app].performance.search_measures)
            data = gather_data(hands, {}, searches=searches)
        except BadFile as error:
            if error.message != "No hand in this file belongs to a participant.":
                raise
            continue
        assert not damage.count_by_session, seed
        figures = [figure for section in write.build_sections(data) for figure in section.figures]
        plots += len(figures)
        for figure in figures if seed % 3 == 0 else ():
            assert "<svg" in render_svg(figure.drawing)
    assert plots > 10


@pytest.mark.usefixtures("undrawn")
def test_logs_alone_have_a_report(tmp_path):
    source = tmp_path / "actions.csv"
    source.write_text(rows_of(PLAYED + END).replace('"id_in_session"', "id_in_session"), "utf-8")
    text = source.read_text("utf-8")
    lines = list(csv.DictReader(text.splitlines()))
    for line in lines:
        if line["action_number"] == "0":
            line.update(id_in_session="1", hands="1")
    with source.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ACTION_COLUMNS))
        writer.writeheader()
        writer.writerows(lines)
    assert main(["split", str(source), "--out", str(tmp_path / "logs")]) == 0
    logs = [str(file) for file in sorted((tmp_path / "logs").iterdir())]
    assert main(["report", *logs, "--out", str(tmp_path / "of_logs")]) == 0
    (row,) = table(tmp_path / "of_logs", "participants")
    assert (row["participant_code"], row["solved_share"]) == ("p1", "1.0")


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--by", "nonsense"], "--by: There is no column or setting 'nonsense'"),
        (["--by", "hand_id"], "--by: hand_id makes 36 conditions. The limit is 12."),
        (["--by", "hand"], "--by: hand differs between the hands of one participant"),
        (["--threshold", "patience=1"], "--threshold: Target the Two has no threshold patience."),
        (["--threshold", "expert_from=75"], "--threshold: expert_from must be a share from 0 to 1, not 75."),
        (["--threshold", "learning_hands=2.5"], "--threshold: learning_hands must be a whole number, 0 or"),
        (
            ["--threshold", "familiar_route=424"],
            "--threshold: familiar_route must be 0 or 422 or 442, not 424.",
        ),
        (["--threshold", "learning_hands=-1"], "--threshold: learning_hands must be a whole number, 0 or"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(ttt, capsys, tmp_path, arguments, sentence):
    code = main(["report", str(ttt.parent / "actions.csv"), "--out", str(tmp_path / "new"), *arguments])
    said = capsys.readouterr().err
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith(f"error: {sentence}")
    assert not (tmp_path / "new").exists()


def test_file_in_place_of_the_folder_is_refused(ttt, capsys, tmp_path):
    (tmp_path / "here").write_text("mine")
    assert main(["report", str(ttt.parent / "actions.csv"), "--out", str(tmp_path / "here")]) == 2
    assert "This is not a folder" in capsys.readouterr().err
    assert (tmp_path / "here").read_text() == "mine"


@pytest.mark.usefixtures("undrawn")
def test_report_does_not_overwrite_its_input(ttt, capsys, tmp_path):
    source = tmp_path / "hands.csv"
    shutil.copy(ttt.parent / "actions.csv", source)
    before = source.read_bytes()
    assert main(["report", str(source), "--out", str(tmp_path)]) == 2
    assert "This is also an input file" in capsys.readouterr().err
    assert source.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["hands.csv"]


@pytest.mark.usefixtures("undrawn")
def test_report_replaces_the_previous_report(ttt, matrix, tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "notes.csv").write_text("mine")
    further = ["--tables", "parquet,dta"] if find_spec("pyarrow") and find_spec("pyreadstat") else []
    for folder, kinds in ((ttt, further), (matrix, [])):
        asked = ["report", str(folder.parent / "actions.csv"), "--out", str(tmp_path / "r")]
        assert main([*asked, *kinds]) == 0
        tables = {file.stem for file in (tmp_path / "r").glob("*.csv")} - {"notes"}
        for kind in ("parquet", "dta"):
            assert {file.stem for file in (tmp_path / "r").glob(f"*.{kind}")} == (tables if kinds else set())
    there = {file.name for file in (tmp_path / "r").iterdir()}
    assert there == {file.name for file in matrix.iterdir()} | {"notes.csv"}


@pytest.mark.usefixtures("undrawn")
def test_report_states_the_number_of_learning_hands(ttt, tmp_path):
    source = str(ttt.parent / "actions.csv")
    assert main(["report", source, "--out", str(tmp_path / "r"), "--threshold", "learning_hands=2"]) == 0
    text = (tmp_path / "r" / "report.html").read_text("utf-8")
    assert "the learning hands (2 hands)" in text
    assert "Participants are unclassified if" in text  # the word of the tables


@pytest.mark.usefixtures("undrawn")
def test_thresholds_separate_the_classes(ttt, tmp_path):
    source = ttt.parent / "actions.csv"
    assert main(["report", str(source), "--out", str(tmp_path / "r"), "--threshold", "expert_from=0"]) == 0
    classes = {row["participant_class"] for row in table(tmp_path / "r", "participants")}
    assert not any(name.startswith("inexpert") for name in classes)
