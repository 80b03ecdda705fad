"""The patch of the forms that oTree's browser bots send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import otree.bots.browser
import otree.constants
from otree.views.abstract import Page
from starlette.datastructures import FormData

from cardlab.core.patch import Wrapper


def _post_of_bot(post: Callable[[Page], Any], self: Page) -> Any:
    if self.participant.is_browser_bot:
        queued = otree.bots.browser.browser_bot_worker.queued_post_data
        data = queued[self.participant.code].post_data if self.participant.code in queued else {}
        if "another_look" in data:  # cardlab.pages.bots.another_look
            del queued[self.participant.code]
            return self.get()
        if otree.constants.timeout_happened in data:
            self._form_data = FormData(data)
        data.pop("error_fields", None)  # oTree would compare their list, written as text
    return post(self)


PATCHES = (
    Wrapper(
        *(Page, "post", _post_of_bot, "correctness", "711e36fa0f7279bb"),
        "A browser bot may report a time-out, and poll on waiting pages.",
    ),
)
