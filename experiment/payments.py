"""What a session pays: the sum for each participant, fee and games."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from otree.currency import RealWorldCurrency
from otree.models import Participant

from experiment.ending import ended_early


def paid(participant: Any) -> RealWorldCurrency:
    """What a participant is paid for the whole session: fee and points in money, rounded; nothing where it
    has ended early."""
    if ended_early(participant):
        return RealWorldCurrency(0)
    session = participant.session
    exact = session.config["participation_fee"] + participant.payoff_in_real_world_currency()
    return rounded(exact, session.config["pay_rounding"])


def rounded(amount: Decimal, step: float) -> RealWorldCurrency:
    """The nearest multiple of ``step``, halves upwards."""
    unit = Decimal(str(step))
    return RealWorldCurrency((Decimal(amount) / unit).quantize(Decimal(1), ROUND_HALF_UP) * unit)


def take_over() -> None:
    """oTree's page of payments, its tables and our results tell the same sum."""
    Participant.payoff_plus_participation_fee = paid
