"""``python -m cardlab.analysis power``: how often an experiment would find what there is to be found."""

from __future__ import annotations

import argparse
import csv
from dataclasses import replace
from pathlib import Path

from cardlab.analysis import parallel
from cardlab.analysis.command import NAME, NUMBER, count, one_line, takes_figures, warn
from cardlab.analysis.output import folder_for, whole_bytes, whole_file

HELP = "the power of a design, by simulation: a table, and a curve over the number of participants"

TABLE, CURVE = "power.csv", "power"


def declare(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "design",
        metavar="DESIGN.toml",
        help="game, treatments with the strategies of their participants, numbers of participants, repeats, "
        "measure and test",
    )
    one.add_argument(
        "--out", metavar="DIR", type=NAME, required=True, help="where to write; made if it is not there"
    )
    one.add_argument(
        "--repeats", metavar="R", type=NUMBER, help="so many simulated experiments, not those of the design"
    )
    takes_figures(one)
    parallel.declare(one, "repeats that are simulated")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import design, power  # their libraries take a second to load
    from cardlab.analysis.report.figures import rendered

    asked = design.read(Path(arguments.design))
    asked = replace(asked, repeats=arguments.repeats or asked.repeats)
    for arm in asked.arms:
        for field in arm.dealt.left_out:
            warn(f"In treatment {arm.name}, {field} is left out: nothing depends on it that is simulated.")
    power.check(asked)
    tasks = [(asked, number) for number in range(1, asked.repeats + 1)]
    with parallel.chosen(arguments, power.repeated) as compute:
        repeats = list(parallel.with_progress(compute(tasks), len(tasks), "Repeats simulated"))
    rows = power.table(asked, repeats)
    folder = folder_for(Path(arguments.out))
    sources = [Path(arguments.design), *asked.sources]
    with whole_file(folder / TABLE, sources) as file:
        table = csv.DictWriter(file, power.COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    drawing = power.curve(asked, rows)
    for kind in arguments.figures:
        whole_bytes(folder / f"{CURVE}.{kind}", rendered(drawing, kind), sources)
    for row in rows:
        print(one_line(power.sentence(row)))
    curves = ", ".join(f"{CURVE}.{kind}" for kind in arguments.figures)
    print(f"Wrote {TABLE} and {curves} of {count(asked.repeats, 'repeat')} to {folder}")
