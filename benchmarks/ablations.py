"""Removes single performance mechanisms from a server, to measure what each gains.

Writes a ``project.py`` into a working copy of the project, which changes what the server installs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_PROJECT = """
from cardlab.server import app
from cardlab.server.otree_patches.registry import name_of


def leave_out(*names):
    left = [patch for patch in app.PATCHES if name_of(patch) not in names]
    assert len(left) == len(app.PATCHES) - len(names), names
    app.PATCHES = tuple(left)

{changes}
app.install()
"""

CHANGES = {
    "query-cache": """
from cardlab.live import query_cache
leave_out(*map(name_of, query_cache.PATCHES))
""",
    "catalogue-cache": 'leave_out("gettext.dgettext", "gettext.dngettext")',
    "page-queue": 'leave_out("otree.middleware.lock2")',
    "session-cycle": 'leave_out("otree.database.DBWrapper.close")',
    "template-cycle": 'leave_out("otree.templating.template.Template.render")',
    "static-bundle": 'leave_out("otree.templating.loader.HTMLResponse")',
    "switch-interval": "app.SWITCH_SECONDS = 0.005  # Python's own",
    "gc-schedule": """
from cardlab.server import gc_schedule
gc_schedule.begin = lambda: None
""",
    "group-commit": """
from cardlab.live.group_commit import GroupCommit
commit_batch = GroupCommit.commit_batch
def commit_one(self):
    later, self.queue = self.queue[1:], self.queue[:1]
    commit_batch(self)
    self.queue += later
GroupCommit.commit_batch = commit_one
""",
    "hand-cache": """
from cardlab.core import hand_cache
hand_cache.CACHE_SIZE = 0
""",
    "checkpoint-thread": """
from cardlab.live import wal_checkpoints
wal_checkpoints.begin = lambda: None
wal_checkpoints.AUTOCHECKPOINT_PAGES = 1000  # pages, SQLite's own
""",
}


def leave_out(folder: Path, names: Iterable[str]) -> None:
    """Removes the named mechanisms (keys of ``CHANGES``) from the server in a working copy."""
    changes = "\n".join(CHANGES[name] for name in names)
    (folder / "project.py").write_text(_PROJECT.format(changes=changes), "utf-8")
