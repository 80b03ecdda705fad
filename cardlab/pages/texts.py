"""The participants' texts of all games; a game's own texts are in ``cardlab.games.<game>.texts``."""

from __future__ import annotations

from gettext import gettext as _
from gettext import ngettext
from math import inf

from otree.currency import RealWorldCurrency

from cardlab.games.dealing import Config
from cardlab.games.number_format import plain
from cardlab.games.record import Opening
from cardlab.games.shared_settings import LEAVE
from cardlab.games.text_forms import Texts, by_device
from cardlab.sessions.money import format_money


def input_texts() -> Texts:
    """Returns what a board answers to an input that is no action."""
    return {
        "changed": _("The board changed. This is the current position."),
        "double_click": by_device(
            _("A double click counts as one click."), _("A double tap counts as one tap.")
        ),
    }


def hand_title(opening: Opening, plays_games: bool = False) -> str:
    """Returns the title of a hand's page; ``plays_games``: the texts call a hand a game."""
    if plays_games:
        title = _("Game {number} of {of}")
    else:
        title = _("Practice hand {number} of {of}") if opening.practice else _("Hand {number} of {of}")
    return title.format(number=opening.number, of=opening.of)


def pay_sentences(config: Config, plays_games: bool, lowest_score: float = -inf) -> list[str]:
    """Returns sentences about the payment for a score, in points of the score.

    Args:
        config: the session config.
        plays_games: whether the texts call a hand a game.
        lowest_score: the lowest possible score of a hand.
    """
    sentences = [*_payoff_sentences(config, plays_games, lowest_score)]
    if config["time_limit_seconds"]:
        hand, game = (
            _("You have {seconds} seconds for each hand."),
            _("You have {seconds} seconds for each game."),
        )
        limit = game if plays_games else hand
        sentences.append(limit.format(seconds=config["time_limit_seconds"]))
    if config["pay_hands"] == "one":
        paid_sentence = drawn_sentence(plays_games)
    elif plays_games:
        paid_sentence = _("Every game is paid.")
    elif config.get("practice_hands"):
        paid_sentence = _("Every hand except practice is paid.")
    else:
        paid_sentence = _("Every hand is paid.")
    return [*sentences, paid_sentence]


def _payoff_sentences(config: Config, plays_games: bool, lowest_score: float) -> list[str]:
    """Returns sentences about payoff_base, payoff_rate and payoff_floor."""
    rate, base, floor = config["payoff_rate"], config["payoff_base"], config["payoff_floor"]
    hand_sentences, game_sentences = [], []
    if rate < 0:
        hand_sentences.append(_("A paid hand earns {base} points minus its score."))
        game_sentences.append(_("A paid game earns {base} points minus its score."))
    elif rate and base > 0:
        hand_sentences.append(_("A paid hand earns its score plus {base} points."))
        game_sentences.append(_("A paid game earns its score plus {base} points."))
    elif rate and base < 0:
        hand_sentences.append(_("A paid hand earns its score minus {base} points."))
        game_sentences.append(_("A paid game earns its score minus {base} points."))
    common_sentences = []
    if floor > 0:
        hand_sentences.append(_("A paid hand earns at least {floor} points."))
        game_sentences.append(_("A paid game earns at least {floor} points."))
    elif floor < 0:
        hand_sentences.append(_("A paid hand can cost you points, but at most {floor}."))
        game_sentences.append(_("A paid game can cost you points, but at most {floor}."))
    elif rate < 0:
        common_sentences.append(_("A score of {score} or more earns nothing."))
    elif rate and not base and lowest_score < 0:
        common_sentences.append(_("A negative score earns nothing."))
    elif rate and base and lowest_score <= -base / rate:
        common_sentences.append(_("A score of {score} or less earns nothing."))
    unit = abs(rate) or 1
    values = {
        "base": plain((base if rate < 0 else abs(base)) / unit, 6),
        "floor": plain(abs(floor) / unit, 6),
        "score": plain(-base / rate, 6) if rate else "",
    }
    return [
        sentence.format(**values)
        for sentence in [*(game_sentences if plays_games else hand_sentences), *common_sentences]
    ]


def drawn_sentence(plays_games: bool) -> str:
    """Returns the sentence that one hand or game is paid. The session's seed has drawn it already."""
    if plays_games:
        return _("One game is drawn at random. Only that game is paid. At the end you learn which one.")
    return _("One hand is drawn at random. Only that hand is paid. At the end you learn which one.")


def drawn_hand_sentence(number: int, plays_games: bool) -> str:
    """Returns the sentence about the hand or game that was drawn and is paid."""
    if plays_games:
        return _("Game {number} was drawn for payment.").format(number=number)
    return _("Hand {number} was drawn for payment.").format(number=number)


def waiting_sentences(config: Config, too_few: str) -> list[str]:
    """Returns sentences about the longest wait, and what follows it; none without a limit.

    ``too_few`` is the game's sentence about a participant without partners.
    """
    if not config["gather_seconds"] or config["group_size"] == 1:
        return []
    minutes, seconds = divmod(round(config["gather_seconds"]), 60)
    if seconds or not minutes:
        count = 60 * minutes + seconds
        wait_sentence = ngettext(
            "You wait at most {count} second.", "You wait at most {count} seconds.", count
        )
    else:
        count = minutes
        wait_sentence = ngettext(
            "You wait at most {count} minute.", "You wait at most {count} minutes.", count
        )
    end_sentences = _leave_sentences(config) if config["no_shows"] == LEAVE else [too_few]
    return [wait_sentence.format(count=count), *end_sentences]


def _leave_sentences(config: Config) -> list[str]:
    """Returns sentences about the end without a partner, and the pay for waiting instead of the fee."""
    per_minute, fee = (
        config[name] and format_money(RealWorldCurrency(config[name]))
        for name in ("waiting_fee_per_minute", "participation_fee")
    )
    if per_minute and fee:
        pay = _("You are then paid {money} for each minute of waiting, instead of {fee} for taking part.")
    elif per_minute:
        pay = _("You are then paid {money} for each minute of waiting.")
    else:
        pay = _("You then receive nothing for taking part.") if fee else ""
    end = _("If nobody is free to play with you by then, the study ends for you.")
    return [end, pay.format(money=per_minute, fee=fee)] if pay else [end]
