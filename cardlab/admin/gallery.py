"""The demo page: a gallery of the games, each with its configs (``_templates/otree/DemoIndex.html``)."""

from __future__ import annotations

from typing import Any, NamedTuple

from otree.session import SESSION_CONFIGS_DICT
from otree.templating.filters import register

from cardlab.admin.session_form import group_title, title_in_group
from cardlab.games.session_config import APPS, About


class Group(NamedTuple):
    """The configs of a game, or of several apps, where ``about`` is None."""

    title: str
    about: About | None
    configs: list[dict[str, Any]]

    @property
    def picture(self) -> str:
        """The picture of the board in ``_static/``; "" if there is none."""
        return self.about.picture if self.about else ""


@register
def by_game(session_info: list[dict[str, Any]]) -> list[Group]:
    """Groups oTree's list of configs by game; configs of several apps come last."""
    about = {app.title: app.about for app in APPS.values()}
    groups: dict[str, Group] = {}
    for info in session_info:
        config = SESSION_CONFIGS_DICT[info["name"]]
        title = group_title(config)
        group = groups.setdefault(title, Group(title, about.get(title), []))
        group.configs.append({**info, "title": title_in_group(config), "doc": config["doc"]})
    return sorted(groups.values(), key=lambda group: group.about is None)
