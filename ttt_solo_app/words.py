"""What a participant reads that is not in a template: the board's words, and how hands are paid."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any


def of_pay(config: dict[str, Any], options: dict[str, Any]) -> str:
    """How a hand earns its score, in one or two sentences."""
    if options["pay_by"] == "time":
        scored = _(
            "The faster you solve a hand, the more points it scores: "
            "from 1000 down to 0 after {seconds} seconds."
        )
        scored = scored.format(seconds=config["time_scale_seconds"])
    else:
        scored = _(
            "The fewer moves you need to solve a hand, the more points it scores: "
            "{first} for one move, {step} less for each further move."
        )
        step = round(1000 / options["MaxRounds"])
        scored = scored.format(first=1000 - step, step=step)
    if config["pay_hands"] == "one":
        return scored + " " + _("At the end one hand is drawn at random, and you are paid for that one.")
    return scored + " " + _("You are paid for every hand.")


def of_board() -> dict[str, str]:
    return {}
