"""Lets oTree find the templates and static files of an installed Card Lab, in addition to the project's own.

The project's files come first. Settings that only Card Lab has get defaults, because the ``settings.py`` of
another project lacks them.
"""

from __future__ import annotations

from typing import Any

import otree.common2
from otree import settings
from otree.templating.loader import FileLoader, ibis_loader

from cardlab import folders
from cardlab.games.session_config import APP_FIELDS

# The project's own pages may be long, so the forms of participants are limited as little as an admin's.
DEFAULTS: dict[str, Any] = {
    "APP_FIELDS": APP_FIELDS,
    "FORM_BYTES": 100_000,
    "FORM_FIELDS": 1_000,
    "ROOMS": [],
}


def find_shipped_files(loader: FileLoader = ibis_loader) -> None:
    """Adds Card Lab's folders to oTree's and the missing settings; changes nothing in a source checkout."""
    if not folders.IS_INSTALLED:
        return
    for name, value in DEFAULTS.items():
        if not hasattr(settings, name):
            setattr(settings, name, value)
    project, templates, *others = loader.dirs
    loader.dirs = (project, templates, folders.OWN / "_templates", *others)
    otree.common2.static_files_app.all_directories.append(str(folders.OWN / "_static"))
