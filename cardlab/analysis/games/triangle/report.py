"""Builds the report of Triangle Solitaire: parts of the score, scores still possible, time per card."""

from collections.abc import Iterator

import pandas as pd

from cardlab.analysis.games.triangle.losses import NODES, Task, cells, find_reachable_scores
from cardlab.analysis.report import hand_curves, shared_sections
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData
from cardlab.analysis.report.page import Section, Table
from cardlab.games.triangle.scoring import POINTS

CURVES = {"score": "Score", "mean_placement_ms": "Time per card, ms"}

SAMPLE, SEED = 20, 1  # hands to search, drawn at random; each takes some hundredths of a second


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections that only this game has."""
    yield _parts(data)
    yield _hindsight(data)
    placements = data.counted_parts("placements")
    placements = placements.assign(ms=pd.to_numeric(placements["decision_ms"], errors="coerce"))
    yield _times(placements)
    is_first = ~placements["hand_id"].duplicated()
    times = placements.assign(first=is_first).dropna(subset=["ms"])
    yield shared_sections.build_response_time_section(data, times, "First card of a hand", "Later cards")
    yield shared_sections.build_learning_curve_section(data, "mean_placement_ms", "Time per card, ms")


def _parts(data: ReportData) -> Section:
    points_text = ", ".join(f"{part} {points:+d} each" for part, points in POINTS.items())
    caption = f"Mean points over hands, by reason ({points_text}); the line is the score."
    return shared_sections.build_score_parts_section(
        data, caption, lambda hands: hands[[*POINTS]] * pd.Series(POINTS)
    )


def _hindsight(data: ReportData) -> Section:
    title = "What was still possible"
    if not data.searches:
        return Section(
            title, "This report has no search. Run python -m cardlab.analysis hindsight on an export."
        )
    hands = data.counted
    sample = hands.sample(min(SAMPLE, len(hands)), random_state=SEED).sort_index()
    placements = data.parts["placements"].sort_values("card_number")
    actions = placements.groupby("hand_id")["action"].agg(tuple)
    rows = []
    for hand in sample.to_dict("records"):
        hand_actions = actions.get(hand["hand_id"], ())
        scores = find_reachable_scores(Task(hand["deal"], hand_actions, NODES))
        identity = {
            name: hand[name]
            for name in (*PARTICIPANT_KEY, "participant_label", "condition", "group", "hand_id")
        }
        for number in range(1, len(hand_actions) + 1):
            place = {"hand": hand["place"], "card_number": number}
            rows.append({**identity, **place, **cells(scores, number)})
    if not rows:
        return Section(title, "No card was placed or discarded.")
    table = pd.DataFrame(rows)
    drawn = ", drawn at random" if len(sample) < len(hands) else ""
    text = (
        "The best score still possible after each card, with the whole deck known; where it "
        f"falls, something was lost. Searched hands: {len(sample)} of {len(hands)}{drawn}."
    )
    if not table["proved"].all():
        text += " Where the search stopped before a proof, more may have been possible."
    plot = hand_curves.plot_means(
        *(table, "card_number", "possible_after", ("Card", "Best score still possible")),
        *("possible_by_card", "Best score still possible, card by card", "Searched hands only.", "cards"),
        floor=None,
    )
    losses = Table("hindsight", "Loss of each placement", table.drop(columns="group"), shown=0)
    return Section(title, text, [losses], [plot])


def _times(placements: pd.DataFrame) -> Section:
    plot = hand_curves.plot_means(
        *(placements, "fitted", "ms", ("Places where the card fitted", "Milliseconds")),
        *("time_by_places", "Time per card by the number of places where it fitted"),
        *("Geometric means in milliseconds on a logarithmic axis.", "cards"),
        log=True,
    )
    return Section("Time per card", "", [], [plot])
