"""Reruns a preregistered analysis on data, and compares the data with the plan point by point."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from cardlab import __version__
from cardlab.analysis import compare, within
from cardlab.analysis.persons import PERSON
from cardlab.analysis.preregistration.document import Document, describe_prediction
from cardlab.analysis.preregistration.plan import (
    DIFFERENT,
    EQUIVALENT,
    GREATER,
    NOT_FROZEN,
    Condition,
    Hypothesis,
    Plan,
)
from cardlab.analysis.report.data import PARTICIPANT_KEY, ReportData, one_row_per_hand
from cardlab.games.columns import Number
from cardlab.games.contract import BadFile

YES, NO, UNKNOWN = "yes", "no", "unknown"
SUPPORTED, NOT_SUPPORTED, OPPOSITE, NOT_TESTED = "supported", "not supported", "opposite", "not tested"
POINT_COLUMNS = {
    "point": "a point of the preregistration",
    "planned": "what was frozen",
    "found": "what the data have",
    "as_planned": f"`{YES}`, `{NO}`, or `{UNKNOWN}` if the data cannot tell",
}
RESULT_COLUMNS = {
    "hypothesis": "the hypothesis in words",
    "measure": "the primary measure",
    "prediction": "the predicted difference",
    "contrast": "`difference` of means, or `ratio` of geometric means (of times)",
    "estimate": Number("the difference or ratio, in the order of the prediction"),
    "low": Number("bounds of the 95 % interval of the estimate"),
    "high": Number("bounds of the 95 % interval of the estimate"),
    "p_adjusted": Number("p adjusted by Holm for all primary tests"),
    "p_equivalence": Number("p of the null hypothesis that the effect is at least the smallest of interest"),
    "result": (
        f"`{SUPPORTED}`, `{NOT_SUPPORTED}`, `{OPPOSITE}` (a difference the other way, or one where none was "
        f"predicted), or `{NOT_TESTED}`"
    ),
}


class Review(NamedTuple):
    """The points of a preregistration (``POINT_COLUMNS``), and the results of its hypotheses."""

    document: Document
    points: pd.DataFrame
    results: pd.DataFrame

    @property
    def deviations(self) -> list[str]:
        """The deviations from the plan, as sentences."""
        return [
            f"{point}: planned {planned or 'nothing'}; found {found or 'nothing'}."
            for point, planned, found, verdict in self.points.itertuples(index=False)
            if verdict == NO
        ]


def review(document: Document, data: ReportData) -> Review:
    """Returns the comparison of the data with the plan, and the results of the frozen analysis."""
    plan = document.plan
    if plan.game != data.game.name:
        raise BadFile(
            "--preregistration", f"It is about the game {plan.game}, but the data are of {data.game.name}."
        )
    table = rerun(plan, data)
    points = [*_review_document(document, data), *_review_conditions(plan, data)]
    points += [*_review_files(plan), *_review_exclusions(plan, data), *_review_measures(plan, table)]
    results = [_judge(plan, hypothesis, table) for hypothesis in plan.hypotheses]
    return Review(
        document,
        pd.DataFrame(points, columns=list(POINT_COLUMNS)),
        pd.DataFrame(results, columns=list(RESULT_COLUMNS)),
    )


def rerun(plan: Plan, data: ReportData) -> pd.DataFrame:
    """Returns the table of ``compare`` by the frozen plan; without rows if the data cannot be compared."""
    try:
        levels = within.measure_levels(data, plan.within) if plan.within else None
        return compare.build_table(data, plan.measures, plan.adjust, plan.equivalence, levels)
    except BadFile:
        return pd.DataFrame(columns=list(compare.COLUMNS))


def _review_document(document: Document, data: ReportData) -> Iterator[tuple[str, ...]]:
    found = "unchanged" if document.is_unchanged else "changed: its text does not have this hash"
    yield "document", f"SHA-256 {document.sha256}", found, YES if document.is_unchanged else NO
    texts = data.hands["shown_utc"].astype(str)
    times = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True).dropna()
    frozen = pd.to_datetime(document.frozen_utc, utc=True)
    before = times[times < frozen]
    planned = f"after {document.frozen_utc} (UTC)"
    if times.empty:
        yield "data collected", planned, "no times", UNKNOWN
    elif before.empty:
        yield "data collected", planned, f"first hand {times.min():%Y-%m-%d %H:%M:%S}", YES
    else:
        found = f"{len(before):,} of {len(times):,} hands before, the first {times.min():%Y-%m-%d %H:%M:%S}"
        yield "data collected", planned, found, NO
    versions = sorted({*data.hands["card_lab_version"].dropna().astype(str)} - {""})
    dealt = ", ".join(versions) or "no version"
    verdict = NO if {*versions, __version__} != {document.version} else YES
    yield "version", document.version, f"hands dealt by {dealt}; analysed by {__version__}", verdict


def _review_conditions(plan: Plan, data: ReportData) -> Iterator[tuple[str, ...]]:
    is_single = len(plan.conditions) == 1
    for condition in plan.conditions:
        name = condition.name
        own = data.counted if is_single else _of_condition(data.counted, name)
        people = data.participants if is_single else _of_condition(data.participants, name)
        count = people[PERSON].nunique() if PERSON in people else len(people)
        planned = condition.participants * (1 if PERSON in people else plan.sessions)
        yield f"participants, {name}", str(planned), str(count), _verdict(planned == count)
        if not len(own):
            continue
        hands = own.groupby(PARTICIPANT_KEY).size()
        span = f"{hands.min()}" if hands.min() == hands.max() else f"{hands.min()} to {hands.max()}"
        is_complete = bool((hands == condition.hands).all())
        yield f"hands of a participant, {name}", str(condition.hands), span, _verdict(is_complete)
        yield _review_deals(condition, own)
        yield from _review_settings(condition, own)
    names = {condition.name for condition in plan.conditions}
    others = sorted({*data.participants["condition"]} - names)
    if not is_single:
        yield (
            "conditions",
            ", ".join(sorted(names)),
            ", ".join([*others]) or "as planned",
            _verdict(not others),
        )


def _of_condition(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    return frame[frame["condition"] == name]


def _review_deals(condition: Condition, own: pd.DataFrame) -> tuple[str, ...]:
    found = {
        (file or "seed", sha or "")
        for file, sha in own[["show_file", "show_file_sha256"]].fillna("").itertuples(index=False)
    }
    is_planned = found <= {*condition.deal_files.items()}
    planned = _list_files({*condition.deal_files.items()})
    return f"deals, {condition.name}", planned, _list_files(found), _verdict(is_planned)


def _list_files(files: set[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {sha[:12]}".strip() for name, sha in sorted(files))


def _review_settings(condition: Condition, own: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """Yields each setting with a value that was not planned, or one point that says that there is none."""
    found: dict[str, set[str]] = defaultdict(set)
    for text in one_row_per_hand(own)["settings"].dropna().unique():
        for key, value in (json.loads(text) if text else {}).items():
            if key not in NOT_FROZEN and value != {}:  # {} is, for example, no robots
                found[key].add(json.dumps(value, sort_keys=True))
    differing = [
        key
        for key in sorted({*found, *condition.settings})
        if not found[key] or found[key] - {*condition.settings.get(key, ())}
    ]
    for key in differing:
        planned, values = " or ".join(condition.settings.get(key, ())), " or ".join(sorted(found[key]))
        yield f"setting {key}, {condition.name}", planned, values, NO
    if not differing:
        yield f"settings, {condition.name}", f"{len(condition.settings)} settings", "as planned", YES


def _review_files(plan: Plan) -> Iterator[tuple[str, ...]]:
    for name, sha in plan.files.items():
        if not Path(name).is_file():
            yield f"file {name}", sha[:12], "not on this computer", UNKNOWN
            continue
        found = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        yield f"file {name}", sha[:12], found[:12], _verdict(found == sha)


def _review_exclusions(plan: Plan, data: ReportData) -> Iterator[tuple[str, ...]]:
    counts = {(row.table, row.rule): row.excluded for row in data.exclusions.itertuples()}
    for rule in plan.exclusions:
        count = counts.get((rule.table, str(rule)))
        found = "not applied" if count is None else f"{count} excluded"
        yield f"exclusion from {rule.table}", str(rule), found, _verdict(count is not None)


def _review_measures(plan: Plan, table: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    for measure in plan.measures:
        rows = table[table["measure"] == measure]
        tests = int(rows["p"].notna().sum())
        yield (
            f"primary measure {measure}",
            "tested",
            f"{tests} test{'' if tests == 1 else 's'}",
            _verdict(tests > 0),
        )


def _verdict(is_planned: bool) -> str:
    return YES if is_planned else NO


def _judge(plan: Plan, hypothesis: Hypothesis, table: pd.DataFrame) -> dict[str, Any]:
    """Returns the cells of ``RESULT_COLUMNS`` of a hypothesis."""
    prediction = describe_prediction(hypothesis, plan.equivalence)
    cells = {"hypothesis": hypothesis.text, "measure": hypothesis.measure, "prediction": prediction}
    sides = hypothesis.first, hypothesis.second
    own = table[
        (table["measure"] == hypothesis.measure) & table["first"].isin(sides) & table["second"].isin(sides)
    ]
    if own.empty:
        return cells | {"result": NOT_TESTED}
    row = own.iloc[0].to_dict()
    if row["first"] != hypothesis.first:
        row = compare.reverse(row)
    names = ("contrast", "estimate", "low", "high", "p_adjusted", "p_equivalence")
    return (
        cells | {name: row[name] for name in names} | {"result": _find_result(plan, hypothesis.relation, row)}
    )


def _find_result(plan: Plan, relation: str, row: dict[str, Any]) -> str:
    if relation == EQUIVALENT and row["p_equivalence"] <= plan.level:
        return SUPPORTED
    if pd.isna(row["p_adjusted"]):
        return NOT_TESTED
    if not row["p_adjusted"] <= plan.level:
        return NOT_SUPPORTED
    if relation == DIFFERENT:
        return SUPPORTED
    is_greater = row["estimate"] > (1 if row["contrast"] == compare.RATIO else 0)
    is_predicted = relation != EQUIVALENT and is_greater == (relation == GREATER)
    return SUPPORTED if is_predicted else OPPOSITE
