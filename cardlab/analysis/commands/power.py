"""``python -m cardlab.analysis power``: how often an experiment would find what there is to be found."""

from __future__ import annotations

import argparse
import csv
from dataclasses import replace
from pathlib import Path

from cardlab.analysis import parallel
from cardlab.analysis.cli import NAME, NUMBER, add_figures_argument, format_count, to_one_line, warn
from cardlab.analysis.output import atomic_file, make_folder, write_bytes_atomically

HELP = "the power of a design by simulation: a table and a curve"

TABLE, CURVE = "power.csv", "power"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "design",
        metavar="DESIGN.toml",
        help="a design: game, treatments, numbers of participants, measure and test",
    )
    parser.add_argument("--out", metavar="DIR", type=NAME, required=True, help="the folder to write")
    parser.add_argument(
        "--repeats",
        metavar="R",
        type=NUMBER,
        help="number of simulated experiments; default: as the design says",
    )
    add_figures_argument(parser)
    parallel.add_engine_arguments(parser, "repeats to simulate")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import design, power  # their libraries take a second to load
    from cardlab.analysis.report.drawing import render

    asked = design.read_design(Path(arguments.design))
    asked = replace(asked, repeats=arguments.repeats or asked.repeats)
    for arm in asked.arms:
        for field in arm.deals.left_out:
            warn(f"In treatment {arm.name}, {field} is ignored, because it does not affect the simulation.")
    power.check_measure(asked)
    tasks = [(asked, number) for number in range(1, asked.repeats + 1)]
    with parallel.open_engine(arguments, power.simulate_repeat) as compute:
        repeats = list(parallel.show_progress(compute(tasks), len(tasks), "Repeats simulated"))
    rows = power.build_table(asked, repeats)
    folder = make_folder(Path(arguments.out))
    sources = [Path(arguments.design), *asked.sources]
    with atomic_file(folder / TABLE, sources) as file:
        table = csv.DictWriter(file, power.COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    drawing = power.draw_curve(asked, rows)
    for kind in arguments.figures:
        write_bytes_atomically(folder / f"{CURVE}.{kind}", render(drawing, kind), sources)
    for row in rows:
        print(to_one_line(power.describe_row(row)))
    curves = ", ".join(f"{CURVE}.{kind}" for kind in arguments.figures)
    print(f"Wrote {TABLE} and {curves} of {format_count(asked.repeats, 'repeat')} to {folder}")
