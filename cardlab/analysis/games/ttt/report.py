"""Builds the report of Target the Two: optimal play, routes, sequences, classes of participants."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pandas as pd

from cardlab.analysis.games.ttt import pair_report, pairs
from cardlab.analysis.inference import intervals
from cardlab.analysis.report import captions, charts, curve_plots, endings, hand_curves, shared_sections
from cardlab.analysis.report.captions import BOUNDARY_NOTE, count_participants, format_count
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, one_row_per_hand
from cardlab.analysis.report.hand_curves import SHARE
from cardlab.analysis.report.page import Figure, Section, Table
from cardlab.analysis.report.shared_sections import START, split_by_condition
from cardlab.games.ttt.board import KEEPERS, MOVES
from cardlab.games.ttt.routes import ROUTES

CURVES = {
    "excess_over_expected": "Moves above expectation",
    **{"client_seconds": "Seconds", "seconds_per_move": "Seconds per move"},
}

SEQUENCES_SHOWN = 20
BLOCKS = 6  # parts of the session in the heat map
SWITCH = 4  # hands before and after the transfer that are compared for the switch cost


def sections(data: ReportData) -> Iterator[Section]:
    """Yields the sections that only this game has."""
    yield _best_play(data)
    if data.counted["shorter_route"].isin(list(ROUTES)).any():
        yield _routes(data)
        if data.learning_hands:
            yield _transfer(data)
    if pairs.has_pairs(data):
        yield from pair_report.sections(data)
    yield endings.build_solution_section(data)
    solo_hands = data.counted[~data.counted["seat"].isin(KEEPERS)]
    if len(solo_hands):
        yield shared_sections.build_response_time_section(
            data, _times(solo_hands), "First move", "Later moves (mean of a hand)"
        )
    yield shared_sections.build_learning_curve_section(data, "seconds_per_move", "Seconds per move")
    yield _transitions(data)
    yield _sequences(data)
    yield _classes(data)


def _best_play(data: ReportData) -> Section:
    is_solved = data.counted["outcome"] == "solved"
    frame = data.counted.assign(solved=is_solved.where(data.counted["outcome"] != "").astype(float))
    curves = [
        hand_curves.plot_curve(
            data, "solved", "Share solved", frame, share=True, title="Solved hands", name="solved_by_hand"
        ),
        hand_curves.plot_curve(
            *(data, "optimal", "Share of optimal hands"), share=True, title="Optimal play",
            what="Hands solved in the fewest moves possible with all cards known; unsolved hands are "
                "not optimal.",
        ),
        hand_curves.plot_curve(
            *(data, "moves_lost", "Moves lost"), title="Moves lost, given the visible cards",
            what="The expected number of moves by which the choices were worse than best play by a "
                "player who sees what ViewCard allows and forgets nothing; 0 is best play.",
        ),
    ]  # fmt: skip
    return Section("Best play", "", [], [curve[1] for curve in curves if curve])


def _routes(data: ReportData) -> Section:
    columns = [*PARTICIPANT_KEY, "condition", "hand_id", "place", "outcome", "route"]
    hands = data.counted.loc[data.counted["shorter_route"].isin(list(ROUTES)), columns]
    hands["taken"] = hands["route"].where(hands["route"].isin(list(ROUTES)), "another")
    hands.loc[hands["outcome"] != "solved", "taken"] = "unsolved"
    plots = []
    for suffix, which, condition_hands in split_by_condition(hands):
        condition_rows = one_row_per_hand(condition_hands)
        counts = pd.crosstab(condition_rows["place"], condition_rows["taken"])
        counts = counts.reindex(columns=[*ROUTES, "another", "unsolved"], fill_value=0)
        shares = counts.div(counts.sum(axis=1), axis=0)
        drawing = charts.draw_shares(shares, "Hand", hand_curves.learning_boundary(data))
        caption = (
            "Shares of routes 422 and 442 in the hands in which both compete. n = "
            f"{format_count(count_participants(condition_hands), 'participant')}, "
            f"{format_count(len(condition_rows), 'hand')}."
        )
        if hand_curves.learning_boundary(data):
            caption += f" {BOUNDARY_NOTE}"
        counts = counts.reset_index().rename(columns={"place": "hand"})
        plots.append(Figure(f"routes{suffix}", f"Routes{which}", caption, drawing, counts))
    return Section("Routes over time", "", [], plots)


def _transfer(data: ReportData) -> Section:
    cost_plot, costs = _switch_cost(data)
    departures = _find_departures(data)
    plots = [cost_plot] if cost_plot else []
    tables = []
    if len(costs):
        rows = []
        for condition, condition_costs in costs.groupby("condition"):
            interval = intervals.estimate_interval(condition_costs["cost"], condition_costs["group"])
            rows.append({"condition": condition, **interval._asdict()})
        summary = pd.DataFrame(rows).rename(columns={"estimate": "cost", "n": "participants"})
        tables = [
            Table("switch_costs", "Switch cost by condition", summary),
            Table("switch_costs_each", "By participant", costs.drop(columns="group"), shown=0),
        ]
    if len(departures):
        plots.append(_survival_of_the_route(departures))
        tables.append(_hazards(departures))
    text = (
        f"A participant’s switch cost is the mean excess of the first {SWITCH} hands after the "
        f"learning phase minus that of its last {SWITCH} hands, in solved hands. The excess is "
        "the number of moves above that of the informed player on the same deal, so harder "
        "deals do not increase the cost."
    )
    return Section("The transfer", text, tables, plots)


def _switch_cost(data: ReportData) -> tuple[Figure | None, pd.DataFrame]:
    """Returns a plot of the moves above the informed player's around the transfer, and the switch costs."""
    baseline = data.baselines[data.baselines["baseline"] == "informed"]
    informed = baseline.drop_duplicates(["hand_id", "seat"]).set_index(["hand_id", "seat"])["moves"]
    hands = data.counted[data.counted["outcome"] == "solved"].join(
        informed.rename("informed"), on=["hand_id", "seat"]
    )
    hands = hands.dropna(subset=["moves", "informed"])
    hands = hands.assign(
        excess=hands["moves"].astype(float) - hands["informed"].astype(float),
        since=hands["place"] - (data.learning_hands or 0),
    )
    near = hands[hands["since"] > -2 * SWITCH]
    if near.empty:
        return None, hands.head(0)
    caption = (
        "Moves of solved hands above those of the informed player on the same deal; 1 is the "
        f"first hand after the learning phase, 0 its last. {BOUNDARY_NOTE}"
    )
    plot = hand_curves.plot_means(
        *(near, "since", "excess"),
        ("Hand after the end of the learning phase", "Moves above the informed player"),
        *("switch_cost", "Switch cost at the transfer", caption),
        floor=None,
        boundary=0.5,
        zero=True,
    )
    hands["before"] = hands["excess"].where(hands["since"].between(1 - SWITCH, 0))
    hands["after"] = hands["excess"].where(hands["since"].between(1, SWITCH))
    by_person = hands.groupby([*PARTICIPANT_KEY, "condition", "group"], sort=False)[["before", "after"]]
    costs = by_person.count().add_prefix("hands_").assign(cost=by_person.mean().diff(axis=1)["after"])
    return plot, costs.reset_index()


def _find_departures(data: ReportData) -> pd.DataFrame:
    """Counts each participant's informative tempting hands up to the first that is solved by another route.

    ``happened`` says whether there is one. Leaves out unsolved hands, and hands in which the familiar route
    turned out to cost nothing.
    """
    familiar_routes = data.participants.set_index(PARTICIPANT_KEY)["familiar_route"].rename("familiar")
    hands = data.counted.join(familiar_routes, on=PARTICIPANT_KEY)
    hands["familiar"] = hands["familiar"].map(lambda route: "" if route != route else str(route or ""))
    cost = hands["lost_by_422"].where(hands["familiar"] == "422", hands["lost_by_442"])
    is_familiar = hands["route"] == hands["familiar"]
    informative = (hands["outcome"] == "solved") & ~(is_familiar & (hands["moves_lost"] == 0))
    later = hands["place"] > (data.learning_hands or 0)
    tempting = hands[later & informative & (hands["familiar"] != "") & (cost > 0)].sort_values("place")
    rows = []
    for person, person_hands in tempting.groupby([*PARTICIPANT_KEY, "condition", "group"], sort=False):
        indices_of_change = np.flatnonzero((person_hands["route"] != person_hands["familiar"]).to_numpy())
        rows.append(
            [
                *person,
                int(indices_of_change[0]) + 1 if len(indices_of_change) else len(person_hands),
                len(indices_of_change) > 0,
            ]
        )
    return pd.DataFrame(rows, columns=[*PARTICIPANT_KEY, "condition", "group", "hands", "happened"])


def _hazards(departures: pd.DataFrame) -> Table:
    """Returns the hazard of leaving the familiar route in a tempting hand, for each condition."""
    rows = []
    for condition, own in departures.groupby("condition"):
        at_risk = own.loc[own.index.repeat(own["hands"])]
        leaves = at_risk["happened"] & ~at_risk.index.duplicated(keep="last")
        interval = intervals.estimate_interval(leaves.astype(float), at_risk["group"], within=SHARE)
        rows.append({"condition": condition, "participants": len(own), **interval._asdict()})
    table = pd.DataFrame(rows).rename(columns={"estimate": "hazard", "n": "hands"})
    return Table("hazard_of_leaving", "Hazard of leaving the familiar route, per tempting hand", table)


def _survival_of_the_route(table: pd.DataFrame) -> Figure:
    """Draws the survival curve of the familiar route over tempting hands."""
    numbers = endings.survival_by_condition(table, "hands", "happened")
    labels = "Tempting hands after the learning phase", "Share still on the familiar route"
    text = (
        "The share of participants who had not yet solved a tempting hand by another route "
        "(product-limit estimator of Kaplan and Meier). A hand is tempting if keeping to the "
        "familiar route costs something, given the visible cards. Participants who kept to it "
        f"until the end are censored there (a tick). {captions.describe_curve_bounds(table)} n = "
        f"{format_count(len(table), 'participant')}, of whom {int(table['happened'].sum()):,} left it."
    )
    return Figure(
        "survival_of_the_route",
        "Survival of the familiar route",
        text,
        curve_plots.draw_steps({"": numbers}, labels),
        numbers,
    )


def _times(solo_hands: pd.DataFrame) -> pd.DataFrame:
    """Returns the time of the first move and the mean time of later moves, for hands of one player."""
    hands = solo_hands[[*PARTICIPANT_KEY, "condition", "group"]].assign(hand_place=solo_hands["place"])
    first_ms = pd.to_numeric(solo_hands["first_move_ms"], errors="coerce")
    moves = pd.to_numeric(solo_hands["moves"], errors="coerce")
    total_ms = pd.to_numeric(solo_hands["client_seconds"], errors="coerce") * 1000
    later = ((total_ms - first_ms) / (moves - 1)).where(moves > 1)
    times = [hands.assign(ms=first_ms, first=True), hands.assign(ms=later, first=False)]
    return pd.concat(times).dropna(subset=["ms"])


def _transitions(data: ReportData) -> Section:
    played = data.counted.loc[data.counted["sequence"].fillna("") != "", [*PARTICIPANT_KEY, "condition"]]
    hands = data.counted.loc[played.index, ["sequence", "seat", "first"]]
    pairs = [_followed(*hand) for hand in hands.itertuples(index=False, name=None)]
    frame = played.iloc[np.repeat(np.arange(len(played)), [len(moves) for _moves_before, moves in pairs])]
    frame = frame.reset_index(drop=True).assign(
        before=[move for moves_before, _moves in pairs for move in moves_before],
        move=[move for _moves_before, moves in pairs for move in moves],
    )
    return shared_sections.build_transition_section(frame, list(MOVES), "Moves by letter (P is a pass).")


@lru_cache(maxsize=4096)
def _followed(sequence: str, seat: str, first_mover: str) -> tuple[list[str], list[str]]:
    """Returns the seat's moves and the move before each of them."""
    own_moves = slice(0 if seat == first_mover else 1, None, 2) if seat in KEEPERS else slice(None)
    return [START, *sequence[:-1]][own_moves], [*sequence][own_moves]


def _sequences(data: ReportData) -> Section:
    columns = [*PARTICIPANT_KEY, "hand_id", "place", "sequence", "moves", "optimal"]
    solved = data.counted.loc[data.counted["outcome"] == "solved", columns]
    by_sequence, hands = solved.groupby("sequence"), one_row_per_hand(solved)
    table = pd.DataFrame(
        {
            "hands": hands.groupby("sequence").size(),
            "participants": solved.drop_duplicates([*PARTICIPANT_KEY, "sequence"]).groupby("sequence").size(),
            "moves": by_sequence["moves"].first(),
            "optimal_share": by_sequence["optimal"].mean(),
        }
    ).reset_index() if len(solved) else pd.DataFrame(columns=["sequence", "hands"])  # fmt: skip
    table = table.sort_values(["hands", "sequence"], ascending=[False, True], ignore_index=True)
    plots = []
    if len(table):
        last_place = int(solved["place"].max())
        size = max(1, -(-last_place // BLOCKS))
        block = (hands["place"] - 1) // size
        sequences = table["sequence"].head(SEQUENCES_SHOWN)
        counts = pd.crosstab(hands["sequence"], block).reindex(sequences, fill_value=0)
        counts.columns = [
            captions.format_span(int(number) * size + 1, min(last_place, (int(number) + 1) * size))
            for number in counts
        ]
        plots.append(
            Figure(
                "sequences_by_block",
                "Whole sequences of moves over the session",
                "The most frequent sequences of solved hands, and how many hands they "
                f"solved in each part of the session. n = {format_count(len(hands), 'solved hand')}.",
                charts.draw_heat_map(counts, ("Hands", "Sequence")),
                counts.reset_index(),
            )
        )
    return Section(
        "Sequences",
        "",
        [Table("sequences", "Most frequent solving sequences", table, SEQUENCES_SHOWN)],
        plots,
    )


def _classes(data: ReportData) -> Section:
    limits, participants = data.thresholds, data.participants
    classes = pd.crosstab(
        participants["condition"], participants["participant_class"].fillna("unclassified")
    ).reset_index()
    learning = f"{limits.learning_hands} hands" if limits.learning_hands else "as many as in the design"
    text = (
        f"Experts play at least {limits.expert_from:.0%} of the learning hands ({learning}) "
        "without losing a move. The other classes use the later hands in which keeping to the "
        "familiar route costs something, given the visible cards: routinized participants take "
        f"the familiar route in at least {limits.routinized_from:.0%} of them, creative "
        f"participants another route in at least {limits.creative_from:.0%}. Participants are unclassified "
        "if there are fewer than four hands of a kind, or if no design says which hands "
        "are learning hands. The second table has the classes of Attanasi, Egidi and Manzoni "
        "2023, by the design’s familiar route and with all cards known. Where cards are hidden, "
        "a participant who plays as well as possible may seem routinized there."
    )
    paper_classes = pd.crosstab(
        participants["condition"], participants["attanasi_class"].fillna("unclassified")
    ).reset_index()
    plots = []
    if participants["routinization"].notna().any():
        plots.append(
            Figure(
                "skill_and_habit",
                "Skill and habit",
                "A number is the number of participants at a point. Dashed: the thresholds of "
                f"the classes. n = {format_count(participants['routinization'].count(), 'participant')}.",
                charts.draw_scatter(
                    participants,
                    "learning_best_play_share",
                    "routinization",
                    ("Share of learning hands without a lost move", "Routinization"),
                    (limits.expert_from, limits.routinized_from),
                ),
                participants[[*PARTICIPANT_KEY, "condition", "learning_best_play_share", "routinization"]],
            )
        )
    return Section(
        "Experts and routines",
        text,
        [
            Table("classes", "Classes", classes),
            Table("classes_of_the_paper", "Classes as in the paper", paper_classes),
        ],
        plots,
    )
