"""Applies declared patches, after comparing the installed libraries with the declared sources.

Each patch declares a digest of the code that it replaces, so a different version is detected before it runs.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from functools import wraps
from types import ModuleType
from typing import Any, NamedTuple

from cardlab import folders
from cardlab.core.patch import Patch, Wrapper

REINSTALL = "delete the folder .venv and run lab.py, or run pip install --force-reinstall -r requirements.txt"
if folders.IS_INSTALLED:
    REINSTALL = 'pip install --force-reinstall "card-lab[server]"'
ABSENT = ""  # the digest of an attribute that the library does not have
_MISSING = object()

_applied: dict[Patch, Any] = {}  # the attribute that each patch has replaced


class Difference(NamedTuple):
    """An attribute whose installed source is not the declared one."""

    name: str
    declared: str
    installed: str


class SourcesDiffer(Exception):
    """Raised if the installed libraries are not those that the patches were written for."""

    def __init__(self, differences: list[Difference]) -> None:
        self.differences = differences
        names = ", ".join(name for name, _declared, _installed in differences)
        super().__init__(
            "Card Lab cannot start, because it replaces parts of oTree that differ in the installed "
            f"version: {names}. Reinstall the packages: {REINSTALL}."
        )


def name_of(patch: Patch) -> str:
    """Returns the full name of the replaced attribute, for example ``otree.tasks.Worker``."""
    target = patch.target
    if patch.label:
        return f"{patch.label}.{patch.name}"
    if isinstance(target, ModuleType):
        return f"{target.__name__}.{patch.name}"
    return f"{target.__module__}.{target.__qualname__}.{patch.name}"


def name_of_replacement(patch: Patch) -> str:
    """Returns the name of the replacement if it is a function, class or module, otherwise its value."""
    replacement = getattr(patch.replacement, "__func__", patch.replacement)
    if isinstance(replacement, ModuleType):
        return replacement.__name__
    if callable(replacement) and hasattr(replacement, "__qualname__"):
        return f"{replacement.__module__}.{replacement.__qualname__}"
    return (
        repr(replacement)
        if isinstance(replacement, (bool, str))
        else f"{type(replacement).__module__}.{type(replacement).__qualname__}"
    )


def digest_of(value: Any) -> str:
    """Returns the digest of the source of a function or class, or of the ``repr`` of another value."""
    if value is _MISSING:
        return ABSENT
    value = inspect.unwrap(
        getattr(value, "__func__", value)
    )  # of a class method, or of a default of a column
    if inspect.isfunction(value) or inspect.isclass(value):
        text = textwrap.dedent(inspect.getsource(value))
    elif isinstance(value, ModuleType):
        text = f"module {value.__name__}"
    else:
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def differences(patches: Iterable[Patch]) -> list[Difference]:
    """Returns all attributes whose installed source is not the declared one."""
    differing = []
    for patch in patches:
        if patch.source is not None:
            installed = digest_of(_library_value(patch))
            if installed != patch.source:
                differing.append(Difference(name_of(patch), patch.source, installed))
    return differing


def apply(patches: Iterable[Patch]) -> None:
    """Applies patches in order, each only once.

    Raises SourcesDiffer before anything is replaced. Raises ValueError if a second patch of an attribute does
    not name the first as ``after``.
    """
    patches = list(patches)
    _check_order(patches)
    if differing := differences(patches):
        raise SourcesDiffer(differing)
    for patch in patches:
        if patch not in _applied:
            current = _value(patch)
            _applied[patch] = current
            setattr(
                patch.target,
                patch.name,
                _wrapped(patch, current) if isinstance(patch, Wrapper) else patch.replacement,
            )


def _check_order(patches: list[Patch]) -> None:
    last: dict[tuple[int, str], Patch] = {}
    for patch in patches:
        previous = last.get((id(patch.target), patch.name))
        if patch.after is not previous:
            raise ValueError(
                f"{name_of(patch)} has several patches. Each must name the previous one as after."
            )
        last[id(patch.target), patch.name] = patch


def _value(patch: Patch) -> Any:
    return inspect.getattr_static(patch.target, patch.name, _MISSING)


def _library_value(patch: Patch) -> Any:
    """Returns the library's original value."""
    while patch.after:
        patch = patch.after
    return _applied[patch] if patch in _applied else _value(patch)


def _wrapped(patch: Patch, current: Any) -> Any:
    call: Callable[..., Any] = patch.replacement
    original = getattr(current, "__func__", current)

    @wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        return call(original, *arguments, **keywords)

    return classmethod(wrapper) if isinstance(current, classmethod) else wrapper
