"""Detects sessions without a Card Lab app, which a researcher's own project leaves to oTree."""

from __future__ import annotations

from functools import cache
from typing import Any

from otree.common import get_models_module

from cardlab import folders


def has_card_lab_app(config: Any) -> bool:
    """Returns whether a session with this config has an app of Card Lab; always true in Card Lab's folder."""
    return not folders.IS_INSTALLED or any(map(_uses_card_lab, config["app_sequence"]))


@cache
def _uses_card_lab(app: str) -> bool:
    """Returns whether an app is one of Card Lab's, or imports from it, like a researcher's own games."""
    names = vars(get_models_module(app)).values()
    return any(str(getattr(value, "__module__", "")).startswith("cardlab.") for value in names)
