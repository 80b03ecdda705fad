"""The command ``preregister``: freezes the plan of a study in a document."""

import argparse
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from cardlab.analysis import cli, parallel
from cardlab.analysis.commands.power import add_design_arguments, simulate_power
from cardlab.analysis.output import atomic_file
from cardlab.games.contract import BadFile

HELP = "freeze hypotheses, design, analysis and power of a study in a document"


def declare(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    cli.add_output_argument(parser, "preregistration.md")
    parallel.add_engine_arguments(parser, "repeats to simulate")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import design  # its libraries take a second to load
    from cardlab.analysis.preregistration import document, plan

    out = Path(arguments.out)
    if out.exists():
        raise BadFile(str(out), "This document is frozen and is not replaced. Choose another name.")
    source = design.read_file(Path(arguments.design))
    experiment = design.parse_design(source)
    study = plan.parse_plan(source, experiment)
    if not study.power:
        repeats = arguments.repeats or experiment.repeats
        experiment = replace(experiment, repeats=repeats, exclusions=study.exclusions)
        experiment, rows = simulate_power(arguments, experiment)
        study = document.add_power(study, experiment, rows)
    frozen_utc = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    text = document.write_document(study, source.text, frozen_utc)
    with atomic_file(out, [Path(arguments.design), *experiment.sources]) as file:
        file.write(text)
    print(f"Wrote {out}. Upload it to OSF before you collect data.")
    print(text.splitlines()[-1])
