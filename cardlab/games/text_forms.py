"""Texts with several forms. A page's scripts choose one by a count or by the participant's device.

A value of ``board_texts()`` or ``coach_texts()`` is a plain text or one of these. The scripts are
``_static/cardlab/text.js`` and ``page_texts.js``.
"""

from collections.abc import Callable, Mapping

Text = str | dict[str, str]
Texts = Mapping[str, Text]

# A sample number for each plural category of a language (CLDR: zero, one, two, few, many, other).
SAMPLES = (0, 1, 2, 3, 6, 11, 100)


def by_count(form: Callable[[int], str]) -> dict[str, str]:
    """Returns a text's plural forms by sample count, for the scripts to choose with ``Intl.PluralRules``.

    ``form`` calls gettext: ``by_count(lambda count: ngettext("{count} card", "{count} cards", count))``. The
    scripts choose by the value that fills ``{count}``.
    """
    return {str(count): form(count) for count in SAMPLES}


def by_device(mouse: str, touch: str) -> dict[str, str]:
    """Returns a text with a form for a mouse ("Click …") and one for a touch screen ("Tap …")."""
    return {"mouse": mouse, "touch": touch}
