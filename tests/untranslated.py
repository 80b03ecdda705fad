"""Finds English sentences of the catalogue in texts that should be in another language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cardlab.operations.languages import PLURAL


def form(sentence: str) -> str:
    """Returns a regular expression that matches the sentence, whatever fills its braces."""
    return ".+".join(map(re.escape, re.split(r"\{\w+\}", sentence)))


def letters(sentence: str) -> int:
    return len(re.findall(r"[a-z]", re.sub(r"\{\w+\}", "", sentence), re.I))


def english_pattern(words: Mapping[str, str]) -> re.Pattern[str]:
    """Returns a pattern that matches sentences whose translation differs.

    Leaves out texts that are hardly more than placeholders.
    """
    others = [
        form(one)
        for said, translated in words.items()
        if said != translated
        for one in said.split(PLURAL)
        if letters(one) > 3
    ]
    return re.compile("|".join(others))
