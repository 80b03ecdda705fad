"""What participants read in every game; a game's own texts are in ``cardlab.games.<game>.texts``."""

from __future__ import annotations

from gettext import gettext as _
from math import inf

from cardlab.games.dealing import Config
from cardlab.games.number_format import plain
from cardlab.games.record import Opening


def hand_title(opening: Opening, plays_games: bool = False) -> str:
    """Returns the title of a hand's page; ``plays_games``: participants know hands as games."""
    if plays_games:
        title = _("Game {number} of {of}")
    else:
        title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def pay_sentences(config: Config, hand: str, lowest: float = -inf) -> list[str]:
    """Returns what is paid for a score, by the settings of the session, a sentence each.

    ``hand`` is what participants call a hand, in their language. ``lowest`` is the lowest score that it can
    have. Points are points of the score, whatever ``payoff_rate`` makes of them.
    """
    sentences = [*_payoff_sentences(config, hand, lowest)]
    if config["time_limit_seconds"]:
        limit = _("Time for each {hand}: {seconds} seconds.")
        sentences.append(limit.format(hand=hand, seconds=config["time_limit_seconds"]))
    if config["pay_hands"] == "one":
        paid = _("At the end one {hand} is drawn at random, and you are paid for that one.")
    elif config.get("practice_hands"):
        paid = _("You are paid for every {hand} but those of practice.")
    else:
        paid = _("You are paid for every {hand}.")
    return [*sentences, paid.format(hand=hand)]


def _payoff_sentences(config: Config, hand: str, lowest: float) -> list[str]:
    """Returns what a score earns: payoff_base, payoff_rate and payoff_floor."""
    rate, base, floor = config["payoff_rate"], config["payoff_base"], config["payoff_floor"]
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
    unit = abs(rate) or 1
    values = {
        "hand": hand,
        "base": plain(abs(base) / unit, 6),
        "floor": plain(abs(floor) / unit, 6),
        "score": plain(-base / rate, 6) if rate else "",
    }
    return [sentence.format(**values) for sentence in sentences]


def no_show_sentences(config: Config, too_few: str) -> list[str]:
    """Returns what happens to a participant who waits for a no-show, a sentence each.

    ``too_few`` is what the game says if nobody is left to play with.
    """
    if not config["gather_seconds"] or config["group_size"] == 1:
        return []
    after = _("If somebody is still missing after {time} minutes, you play with others who are waiting.")
    minutes, seconds = divmod(round(config["gather_seconds"]), 60)
    return [after.format(time=f"{minutes}:{seconds:02}"), too_few]
