"""Session configs: what every game's has, refusing a session, telling the researcher something."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from otree.api import cu
from otree.database import db
from otree.models import Session

from experiment.record import Opening


class SessionRefused(Exception):
    """One sentence for the researcher who creates a session.

    oTree shows the traceback of whatever ``creating_session`` raises; a wrong setting is not a
    crash, so this exception has none to show.
    """

    __traceback__ = property(lambda self: None, lambda self, value: None)


def refuse(session: Session, sentence: str) -> None:
    """Leave nothing of the half-made session behind, then raise the sentence.

    oTree would keep the session's row and participants, and its wide export would fail from then on
    for every session.
    """
    Session.objects_filter(id=session.id).delete(synchronize_session=False)
    db.commit()
    raise SessionRefused(sentence.translate({ord("<"): "‹", ord(">"): "›"})) from None


def tell_researcher(session: Session, sentence: str) -> None:
    """Add a sentence to the session's comment, which the admin pages show; each only once."""
    said = session.comment or ""
    if sentence not in said:
        session.comment = f"{said}\n{sentence}".strip()


def check_common(config: dict[str, Any]) -> str | None:
    """What is wrong with the settings that all games share, as a sentence; None if nothing is."""
    if config["pay_hands"] not in ("all", "one"):
        return f"pay_hands must be all or one, not '{config['pay_hands']}'."
    for key in ("payoff_base", "payoff_rate", "payoff_floor", "time_limit_seconds"):
        if type(config[key]) not in (int, float) or not abs(config[key]) < 1e9:  # nor nan, nor inf
            return f"{key} must be a number, not '{config[key]}'."
    if config["time_limit_seconds"] < 0:
        return "time_limit_seconds must be 0 (no limit) or more."
    return None


def check_choices(config: dict[str, Any], choices: Mapping[str, Sequence[Any]]) -> str | None:
    """What is wrong with settings that have one of several values, as a sentence; None if nothing is."""
    for key, allowed in choices.items():
        if config[key] not in allowed or type(config[key]) not in map(type, allowed):
            return f"{key} must be {' or '.join(map(str, allowed))}, not '{config[key]}'."
    return None


def check_whole_numbers(config: dict[str, Any], limits: Mapping[str, tuple[int, int]]) -> str | None:
    """The same of whole numbers, with the least and the most that each may be."""
    for key, (least, most) in limits.items():
        if type(config[key]) is not int or not least <= config[key] <= most:
            return f"{key} must be a whole number from {least} to {most}, not '{config[key]}'."
    return None


def check_names(config: dict[str, Any], keys: Sequence[str]) -> str | None:
    """The same of names of files."""
    for key in keys:
        if not isinstance(config[key], str):
            return f"{key} must be the bare name of a file, not '{config[key]}'."
    return None


def drawn_hand(config: dict[str, Any], id_in_session: int, hands: int) -> int:
    """The number of the one hand that is paid, drawn by the session's seed for each participant."""
    return random.Random(f"{config['seed']} paid hand {id_in_session}").randint(1, hands)


def is_paid(config: dict[str, Any], opening: Opening, id_in_session: int) -> bool:
    """Not for practice; and where one hand is drawn, only that one."""
    if opening.practice or config["pay_hands"] == "all":
        return not opening.practice
    return opening.number == drawn_hand(config, id_in_session, opening.of)


def payoff(config: dict[str, Any], opening: Opening, id_in_session: int, score: int) -> float:
    """Points for a hand: max(floor, base + rate × score), rounded as oTree keeps them; 0 if not paid."""
    if not is_paid(config, opening, id_in_session):
        return 0
    return float(cu(max(config["payoff_floor"], config["payoff_base"] + config["payoff_rate"] * score)))
