"""What a participant reads in every game."""

from __future__ import annotations

from gettext import gettext as _
from typing import Any

from experiment.numbers import plain


def of_pay(config: dict[str, Any], hand: str) -> list[str]:
    """What of a score is paid, by the settings of the session, a sentence each.

    ``hand`` is what participants know a hand as, in their language: a hand, a game.
    """
    sentences = []
    rate, base, floor = config["payoff_rate"], config["payoff_base"], config["payoff_floor"]
    if rate != 1 and base:
        earned = _("A paid {hand} earns its score × {rate} + {base} points.")
    elif rate != 1:
        earned = _("A paid {hand} earns its score × {rate} points.")
    elif base:
        earned = _("A paid {hand} earns its score + {base} points.")
    else:
        earned = ""
    if earned:
        sentences.append(earned.format(hand=hand, rate=plain(rate, 6), base=plain(base, 6)))
    if floor > 0:
        sentences.append(
            _("No paid {hand} earns less than {floor} points.").format(hand=hand, floor=plain(floor, 6))
        )
    if config["time_limit_seconds"]:
        limit = _("Time for each {hand}: {seconds} seconds.")
        sentences.append(limit.format(hand=hand, seconds=config["time_limit_seconds"]))
    if config["pay_hands"] == "one":
        sentences.append(
            _("At the end one {hand} is drawn at random, and you are paid for that one.").format(hand=hand)
        )
    elif config.get("practice_hands"):
        sentences.append(_("You are paid for every {hand} but those of practice.").format(hand=hand))
    else:
        sentences.append(_("You are paid for every {hand}.").format(hand=hand))
    return sentences


def of_no_shows(config: dict[str, Any], too_few: str) -> list[str]:
    """What becomes of who waits for somebody who does not come, a sentence each; ``too_few`` is what the game
    says of who finds nobody."""
    if not config["gather_seconds"] or config["group_size"] == 1:
        return []
    after = _("If somebody is still missing after {time} minutes, you play with others who are waiting.")
    minutes, seconds = divmod(round(config["gather_seconds"]), 60)
    return [after.format(time=f"{minutes}:{seconds:02}"), too_few]
