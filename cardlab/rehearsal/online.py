"""Rehearses an online study: a recruiting service sends visitors, and the study's promises are checked.

The session creates slots on arrival. Visitors read and play at human pace; some reload, leave for good, come
back later, or have an unreliable connection (``cardlab.rehearsal.visitor``). Those who leave are replaced.
``lab.py rehearse --online`` runs the server and this program in accelerated time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections import Counter
from typing import Any

from cardlab.rehearsal.cohort import scout_answers
from cardlab.rehearsal.figures import Figures, spread, times
from cardlab.rehearsal.promises import CODE_FIELDS, Outcome, broken_promises, treatment_counts
from cardlab.rehearsal.recruitment import VISITORS_PER_PLACE, Recruitment
from cardlab.rehearsal.server import Server, Session, parse_fields

MAX_SHOWN = 5  # broken promises of a kind, and errors
FAST_TIME = "CARD_LAB_FAST_TIME"  # the variable of fast_time/sitecustomize.py


def rehearse(options: argparse.Namespace) -> int:
    """Plays a study, prints a summary and writes all figures. Returns 1 if a promise was broken, else 0."""
    server = Server(options.url[0], os.environ.get("OTREE_REST_KEY", ""))
    config = server.config(options.config)
    fields = _online_fields(config, options.field)
    scouted = server.create(options.config, VISITORS_PER_PLACE, fields)
    answers = asyncio.run(scout_answers(f"{scouted.link}?participant_label=scout", options.seed))
    session = server.create(options.config, VISITORS_PER_PLACE * options.participants, fields)
    figures = Figures()
    study = Recruitment(
        *(session.link, options.participants, options.minutes, options.seed, figures, answers)
    )
    asyncio.run(study.run())
    outcome = _outcome(server, session, study, {**config, **fields})
    broken = broken_promises(outcome)
    results = {
        **figures.as_json(),
        "sessions": [session._asdict()],
        "visitors": [
            {
                **visitor.interruptions._asdict(),
                "label": visitor.label,
                "seats": sorted(visitor.seats),
                "codes": sorted(visitor.codes),
                "has_left": visitor.has_left,
                "waits": [wait._asdict() for wait in visitor.waits],
            }
            for visitor in study.visitors
        ],
        "broken_promises": broken,
    }
    if options.out:
        options.out.write_text(json.dumps(results, indent=1), "utf-8")
    print("\n".join(_summary(outcome, figures, broken)), flush=True)
    return 1 if figures.errors or any(broken.values()) else 0


def _online_fields(config: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """Returns the config fields to change: slots on arrival, completion codes, and those in ``texts``."""
    codes = {field: f"{field.removesuffix('_code').upper()}-1" for field in CODE_FIELDS.values()}
    return {"slots": "on_arrival", **codes, **parse_fields(config, texts)}


def _outcome(server: Server, session: Session, study: Recruitment, config: dict[str, Any]) -> Outcome:
    figures = study.figures
    slowest = max(figures.seconds["pages"] + figures.seconds["polls"], default=0.0)
    payments = server.payments(session.code)
    apps = [
        name.removesuffix("_points") for name in (payments or [{}])[0] if name.endswith("_points")
    ]  # those that pay
    return Outcome(
        study.visitors,
        payments,
        {app: server.custom_export(session.code, app, "custom_export_hands") for app in apps},
        [row for app in apps for row in server.custom_export(session.code, app, "custom_export")],
        figures.acknowledged,
        {status: config[field] for status, field in CODE_FIELDS.items()},
        60 * float(config["lost_after_minutes"]),
        slowest * _time_factor(),
    )


def _time_factor() -> int:
    """Returns the factor by which the clocks run faster than real time."""
    return int(os.environ.get(FAST_TIME, "1").split()[0])


def _summary(outcome: Outcome, figures: Figures, broken: dict[str, list[str]]) -> list[str]:
    """Returns the lines that are printed at the end."""
    visitors = outcome.visitors
    wait_seconds = [wait.total for visitor in visitors for wait in visitor.waits]
    statuses = Counter(row["status"] for row in outcome.payments)
    lines = [
        f"{len(visitors)} visitors, of whom {sum(visitor.has_left for visitor in visitors)} left and "
        f"{len(figures.finished)} came to an end.",
        "In the table of payments: " + ", ".join(f"{count} {name}" for name, count in statuses.items()) + ".",
    ]
    if figures.finished:
        lines.append(f"Time per visitor: {times([finish.seconds for finish in figures.finished])}.")
    if wait_seconds:
        lines.append(f"Waiting for partners, {len(wait_seconds)} times: {times(wait_seconds)}.")
    if counts := treatment_counts(outcome.payments):
        lines.append(
            f"Finished by treatment: {', '.join(f'{name} {count}' for name, count in counts.items())}."
        )
    if pay := [float(row["total"]) for row in outcome.payments if row["status"] == "finished"]:
        lines.append(f"Payment, including the fee: {spread(pay)}.")
    lines.append(f"{len(outcome.acknowledged)} actions were confirmed.")
    for promise, failures in broken.items():
        lines.append(f"{promise}: {'no, ' + str(len(failures)) + ' times' if failures else 'yes'}")
        lines += [f"    {failure}" for failure in failures[:MAX_SHOWN]]
    lines += [*figures.table_lines(), f"Errors: {len(figures.errors)}"]
    return lines + [f"    {error}" for error in figures.errors[:MAX_SHOWN]]
