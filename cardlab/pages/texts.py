"""What a participant reads in every game."""

from __future__ import annotations

from gettext import gettext as _
from math import inf
from typing import Any

from cardlab.core.number_format import plain


def of_pay(config: dict[str, Any], hand: str, lowest: float = -inf) -> list[str]:
    """What of a score is paid, by the settings of the session, a sentence each.

    ``hand`` is what participants know a hand as, in their language: a hand, a game. ``lowest`` is the lowest
    score that it can have. Points are points of the score, whatever ``payoff_rate`` makes of them.
    """
    rate, base, floor = config["payoff_rate"], config["payoff_base"], config["payoff_floor"]
    unit = abs(rate) or 1
    told = {"hand": hand, "base": plain(abs(base) / unit, 6), "floor": plain(abs(floor) / unit, 6)}
    told["score"] = plain(-base / rate, 6) if rate else ""
    sentences = []
    if rate < 0:
        sentences.append(_("A paid {hand} earns {base} points minus its score."))
    elif rate and base > 0:
        sentences.append(_("A paid {hand} earns its score + {base} points."))
    elif rate and base < 0:
        sentences.append(_("A paid {hand} earns its score − {base} points."))
    if floor > 0:
        sentences.append(_("No paid {hand} earns less than {floor} points."))
    elif floor < 0:
        sentences.append(_("A paid {hand} can also cost you points, {floor} at most."))
    elif rate < 0:
        sentences.append(_("A score of {score} or more earns nothing."))
    elif rate and not base and lowest < 0:
        sentences.append(_("A negative score earns nothing."))
    elif rate and base and lowest <= -base / rate:
        sentences.append(_("A score of {score} or less earns nothing."))
    sentences = [sentence.format(**told) for sentence in sentences]
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
