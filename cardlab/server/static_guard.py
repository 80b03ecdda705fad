"""What is under /static: files, and no programs; whatever else is asked for is not found."""

from __future__ import annotations

from otree.common2 import OTreeStaticFiles

from cardlab.server.static_files import is_hidden


def install() -> None:
    lookup_path = OTreeStaticFiles.lookup_path

    async def lookup_file(self, path):
        if is_hidden(path):
            return "", None
        try:
            return await lookup_path(self, path)
        except (OSError, ValueError):  # a file in place of a folder, a name too long, a null byte
            return "", None

    OTreeStaticFiles.lookup_path = lookup_file
