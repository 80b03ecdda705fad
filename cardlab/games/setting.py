"""The schema of session-config settings: their labels, help texts and allowed values.

A setting is declared once, with its game (``cardlab/games/<game>/session_config.py``) or, if all games share
it, in ``cardlab.games.shared_settings``. The form that creates a session, the validation of a session and
docs/reference/settings.md are all made from these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from decimal import Decimal
from typing import Any

from cardlab.games.text_file import shorten

# The headings that group the settings in the form and the reference, in order.
HEADINGS = DESIGN, PAY, TIME, GROUPS, DISPLAY, ONLINE, ADVANCED = (
    *("Design", "Pay", "Time", "Groups", "Display", "Online", "Advanced"),
)
MONEY = "money"  # the unit of amounts; the form shows the currency
MAX_NUMBER = 1e9  # larger than any sensible value of a setting


@dataclass(frozen=True)
class Values:
    """The allowed values of a setting.

    ``words`` completes a sentence after "must be". ``control`` is the form's control: ``select``,
    ``checkbox``, ``number`` or ``text``.
    """

    words: str
    control: str = "text"

    def problem(self, value: Any) -> str | None:
        """Returns the requirement that the value violates, as the predicate of a sentence; None if valid."""
        return None if self.allows(value) else f"must be {self.words}"

    def allows(self, value: Any) -> bool:
        """Returns whether the value is allowed; the base class allows any value."""
        return True

    def listed(self) -> Mapping[Any, str]:
        """Returns the values with their meanings, if there is a list of them."""
        return {}


@dataclass(frozen=True)
class Choice(Values):
    """One of several values, each with its meaning."""

    meanings: Mapping[Any, str] = field(default_factory=dict)

    def allows(self, value: Any) -> bool:
        """Returns whether the value is in the list, with its type: 1 is not True."""
        return any(
            type(value) is type(allowed_value) and value == allowed_value for allowed_value in self.meanings
        )

    def listed(self) -> Mapping[Any, str]:
        """Returns the values with their meanings."""
        return self.meanings


@dataclass(frozen=True)
class Number(Values):
    """A number in a range; ``whole`` excludes decimals, ``above`` excludes the minimum itself."""

    minimum: float = -MAX_NUMBER
    maximum: float = MAX_NUMBER
    whole: bool = False
    above: bool = False
    step: float = 0  # the smallest difference between values; 0 for no limit

    def allows(self, value: Any) -> bool:
        """Returns whether the value is a number in the range; neither nan nor an infinite number is."""
        if type(value) is not int and (self.whole or type(value) is not float):
            return False
        return (
            abs(value) < MAX_NUMBER
            and self.minimum <= value <= self.maximum
            and not (self.above and value == self.minimum)
            and (not self.step or abs(round(value / self.step) * self.step - value) < self.step / 1e6)
        )


@dataclass(frozen=True)
class Money(Values):
    """An amount of money; oTree may store it as its own subclass of Decimal."""

    def allows(self, value: Any) -> bool:
        """Returns whether the value is a non-negative amount that can be paid."""
        number = type(value) is not bool and isinstance(value, (int, float, Decimal))
        endless = isinstance(value, Decimal) and not value.is_finite()  # comparing a Decimal nan raises
        return number and not endless and 0 <= value < MAX_NUMBER


@dataclass(frozen=True)
class Text(Values):
    """A text; ``check`` returns the requirement that it violates, as the predicate of a sentence, or None."""

    check: Callable[[Any], str | None] | None = None

    def problem(self, value: Any) -> str | None:
        """Returns the requirement that the text violates, or None."""
        return self.check(value) if self.check else super().problem(value)

    def allows(self, value: Any) -> bool:
        """Returns whether the value is a text."""
        return isinstance(value, str)


SWITCH = Choice("True or False", "checkbox", {True: "on", False: "off"})


def one_of(**meanings: str) -> Choice:
    """Returns the allowed words of a setting, given with their meanings."""
    return one_value_of(meanings)


def one_value_of(meanings: Mapping[Any, str]) -> Choice:
    """Returns allowed values that are not words, such as 2 and 4, given with their meanings."""
    return Choice(" or ".join(map(str, meanings)), "select", meanings)


def whole_number(minimum: int, maximum: int) -> Number:
    """Allows whole numbers in a range."""
    return Number(f"a whole number from {minimum} to {maximum}", "number", minimum, maximum, whole=True)


def number(words: str = "a number", minimum: float = -MAX_NUMBER, **range_: Any) -> Number:
    """Allows numbers from ``minimum`` upwards."""
    return Number(words, "number", minimum, **range_)


def file_name(folder: str) -> Text:
    """Allows the name of a file in a folder of the project; whether it exists is checked when it is read."""
    return Text(f"the name of a file in {folder}")


@dataclass(frozen=True)
class Setting:
    """A setting of a session config.

    ``help`` says what it does, in whole sentences. ``session_wide`` is the reason why an app of a sequence
    cannot have a value of its own; "" if it can.
    """

    default: Any
    heading: str
    label: str
    values: Values
    help: str
    _: KW_ONLY
    unit: str = ""
    session_wide: str = ""

    def with_default(self, default: Any, more_help: str = "") -> Setting:
        """Returns the setting with another default for a game, and perhaps more help text."""
        return replace(self, default=default, help=f"{self.help} {more_help}".strip())


Settings = Mapping[str, Setting]


def plain_setting(name: str, default: Any) -> Setting:
    """Returns a setting that is declared by its default alone: any value of that type is allowed."""
    values = {bool: SWITCH, int: Number("a whole number", "number", whole=True), float: number()}.get(
        type(default), Text("a text")
    )
    return Setting(default, ADVANCED, re.sub("_", " ", name).capitalize(), values, "")


def problem_with(key: str, setting: Setting, value: Any) -> str | None:
    """Returns what is wrong with a setting's value, as a sentence; None if nothing is."""
    if (problem := setting.values.problem(value)) is None:
        return None
    plain = Decimal.__str__(value) if isinstance(value, Decimal) else value  # without a sign of currency
    return f"{key} {problem}, not '{shorten(plain)}'."


def check_settings(config: Mapping[str, Any], settings: Settings, **maximums: int) -> str | None:
    """Returns what is wrong with the first invalid setting of a config, as a sentence; None if all are valid.

    Settings that the config lacks are skipped, because a simulated session does not have all. ``maximums``
    overrides the maximum of whole numbers, for example of ``hands`` by the number of rounds of the app.
    """
    for key, setting in settings.items():
        if key in maximums and isinstance(setting.values, Number):
            minimum = int(setting.values.minimum)
            setting = replace(setting, values=whole_number(minimum, maximums[key]))
        if key in config and (problem := problem_with(key, setting, config[key])):
            return problem
    return None
