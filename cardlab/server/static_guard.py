"""What is under /static: files, and no programs; whatever else is asked for is not found."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from otree.common2 import OTreeStaticFiles

from cardlab.core.patch import Patch
from cardlab.server.static_files import is_hidden


async def _lookup_path(usual: Callable[..., Awaitable[Any]], self: OTreeStaticFiles, path: str) -> Any:
    if is_hidden(path):
        return "", None
    try:
        return await usual(self, path)
    except (OSError, ValueError):  # a file in place of a folder, a name too long, a null byte
        return "", None


PATCHES = (
    Patch(
        *(OTreeStaticFiles, "lookup_path", _lookup_path, "security"),
        "Programs and hidden files under /static are not found; neither is a path that is none.",
        source="505d2a65ddf9a2b6",
        wraps=True,
    ),
)
