"""Finds the pages of a session by their index, in the rounds that the session has.

The timeout worker imports it too, so it has few imports.
"""

from __future__ import annotations

from functools import lru_cache

import otree.lookup
from otree.common import get_constants, get_models_module, get_pages_module
from otree.lookup import PageLookup
from otree.models import Session

from cardlab.core.patch import Patch


@lru_cache(maxsize=32)
def _page_lookups(session_code: str) -> dict[int, PageLookup]:
    """Returns the pages of a session by index, like oTree's function, but only for existing rounds."""
    session = Session.objects_get(code=session_code)
    pages: dict[int, PageLookup] = {}
    for app in session.config["app_sequence"]:
        model, sequence = get_models_module(app).Subsession, get_pages_module(app).page_sequence
        url = get_constants(app).get_normalized("name_in_url")
        rounds = model.objects_filter(session=session).order_by("round_number")
        for number, subsession_id in rounds.with_entities(model.round_number, model.id):
            for page in sequence:
                pages[len(pages) + 1] = PageLookup(app, page, number, subsession_id, url, session.id)
    return pages


PATCHES = (
    Patch(
        *(otree.lookup, "_get_session_lookups", _page_lookups, "feature", "ca52447e47bb3c29"),
        "A session has only the rounds that are played. oTree looks pages up by `NUM_ROUNDS`.",
    ),
)
