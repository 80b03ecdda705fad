"""Declares replacements of library attributes. Each package lists its own in ``PATCHES``.

:mod:`cardlab.server.otree_patches` collects them, checks them against the installed libraries and applies
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["correctness", "security", "feature", "speed"]


@dataclass(frozen=True, eq=False)
class Patch:
    """One attribute of a library, and its replacement.

    Attributes:
        target: the module, class or object that has the attribute.
        name: the attribute.
        replacement: the new value.
        kind: what the patch is for.
        source: the first 16 digits of the SHA-256 of the replaced source
            (:func:`cardlab.server.otree_patches.registry.digest_of`); None for Python's own, which differs
            between versions.
        reason: why it is needed, in one or two sentences; for kind ``speed`` its gain.
        after: an earlier patch of the same attribute, whose replacement this one wraps.
        label: the name in the documentation of a target that is neither a module nor a class.
    """

    target: Any
    name: str
    replacement: Any
    kind: Kind
    source: str | None
    reason: str
    after: Patch | None = None
    label: str = ""


class Wrapper(Patch):
    """A patch whose replacement is called with the replaced function, then the call's arguments.

    With ``after``, the replaced function is that of the earlier patch.
    """
