"""Lets a preregistration set the arguments of a command."""

from __future__ import annotations

import argparse
from pathlib import Path

from cardlab.analysis.preregistration.document import Document, read_document
from cardlab.games.contract import BadFile


def apply_preregistration(arguments: argparse.Namespace) -> Document | None:
    """Reads the document that the arguments name, and sets the arguments that it determines.

    Raises BadFile if one of these was also given on the command line.
    """
    if not arguments.preregistration:
        return None
    document = read_document(Path(arguments.preregistration))
    plan = document.plan
    frozen = {
        "by": plan.by,
        "person": plan.person,
        "threshold": [*plan.thresholds.items()],
        "within": plan.within,
        "measure": [*plan.measures],
        "equivalence": [f"{name}={bound}" for name, bound in plan.equivalence.items()],
        "adjust": plan.adjust,
        "same_deals": plan.same_deals,
    }
    for name, value in frozen.items():
        if getattr(arguments, name, None):
            raise BadFile(
                f"--{name.replace('_', '-')}", "The preregistration determines this option. Leave it out."
            )
        setattr(arguments, name, value)
    return document
