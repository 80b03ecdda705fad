"""Formats numbers for participants, in the form of their language.

``_static/cardlab/text.js`` does the same for boards. The clock's 0:30 is the same in all languages.
"""

from __future__ import annotations

from decimal import Decimal
from gettext import gettext as _


def plain(number: float | Decimal, places: int = 2) -> str:
    """Returns a number with as many decimals as it needs, ``places`` at most: ``3``, ``−0.5``."""
    whole, _point, decimals = f"{number:.{places}f}".replace("-", "−").partition(".")
    decimals = decimals.rstrip("0")
    if whole == "−0" and not decimals:
        return "0"
    return _("{whole}.{decimals}").format(whole=whole, decimals=decimals) if decimals else whole
