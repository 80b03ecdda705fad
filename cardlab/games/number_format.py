"""Formats numbers for participants, with the separators of their language.

``_static/cardlab/text.js`` formats the numbers on boards. Clock times such as 0:30 are the same in all
languages.
"""

from decimal import Decimal
from gettext import gettext as _


def plain(number: float | Decimal, places: int = 2) -> str:
    """Formats a number with as many decimals as it needs, ``places`` at most: ``3``, ``−0.5``."""
    integer_part, _point, decimals = f"{number:.{places}f}".replace("-", "−").partition(".")
    decimals = decimals.rstrip("0")
    if integer_part == "−0" and not decimals:
        return "0"
    return _("{whole}.{decimals}").format(whole=integer_part, decimals=decimals) if decimals else integer_part


def signed(number: float | Decimal) -> str:
    """Formats a number with its sign: ``+7``, ``−3``, ``0``."""
    return f"{'+' if number > 0 else ''}{plain(number)}"
