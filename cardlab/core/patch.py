"""A declared replacement of an attribute of a library. Packages declare their patches as data, ``PATCHES``.

:mod:`cardlab.server.otree_patches` collects all of them, checks them against the installed libraries and
applies them.
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
        source: the first 16 digits of the SHA-256 of the source that is replaced, as
            :func:`cardlab.server.otree_patches.registry.digest_of` computes it; None if it is Python's own,
            which differs from version to version.
        reason: why it is needed, in one or two sentences; of kind ``speed`` what it gains.
        after: the patch of the same attribute that has to be applied before; its result is wrapped.
        label: what the documentation calls a target that is neither a module nor a class.
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
    """A patch whose replacement is called with what it replaces, then with the arguments of the call.

    What it replaces is the library's function or, with ``after``, that of the earlier patch.
    """
