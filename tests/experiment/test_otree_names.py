"""The few names of oTree that the hand socket and the pages lean on, beside its documented interface.

oTree is pinned exactly. Whoever raises the pin learns here, and not from a participant, what moved.
"""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]

LOOK = r"""
import asyncio, inspect, re, sqlite3, sys
import otree.main
otree.main.setup()

import otree, otree.tasks, sqlalchemy
from otree.channels import consumers
from otree.channels.routing import websocket_routes
from otree.channels.utils import wrap_websocket_send
from otree.database import db, engine, session_scope
from otree.lookup import PageLookup, get_page_lookup
from otree.middleware import CommitTransactionMiddleware, lock2
from otree.models import Participant, Session
from otree.urls import routes
from otree.views.abstract import Page

pinned = re.search(r"^otree==(\S+)$", open(sys.argv[1]).read(), re.M)[1]
assert otree.__version__ == pinned, (otree.__version__, pinned)

# One lock over page requests and sockets, one connection for all.
assert isinstance(lock2, asyncio.Lock)
assert "lock2" in inspect.getsource(CommitTransactionMiddleware.dispatch)
assert consumers._OTreeAsyncJsonWebsocketConsumer.lock is lock2
assert isinstance(engine.pool, sqlalchemy.pool.StaticPool)
assert list(inspect.signature(wrap_websocket_send).parameters) == ["original_send"]
assert callable(session_scope) and callable(db.expire_all)

# What experiment.server mends: sessions made outside the lock, a rollback at each return of the one
# connection, a timeout worker that posts from within a transaction.
assert consumers.BaseCreateSession.lock is lock2
assert "_lock" not in vars(consumers.WSCreateSession) and "lock" not in vars(consumers.WSCreateSession)
assert engine.pool._reset_on_return is sqlalchemy.pool.base.reset_none
from otree.views import admin, export
for view in (export.ExportWide, export.ExportApp, export.ExportAppCustom):
    assert list(inspect.signature(export.BaseExport.get).parameters) == ["self", "request"]
    assert issubclass(view, export.BaseExport) and "get" not in vars(view), view  # in memory: left alone
assert list(inspect.signature(admin.SessionDataAjax.get).parameters) == ["self", "request", "code"]
assert "get_rows_for_data_tab" in inspect.getsource(admin.SessionDataAjax.get)
assert otree.tasks.post.__module__ == "experiment.server"
assert list(inspect.signature(otree.tasks.post).parameters) == ["url", "data"]
assert "            post(" in inspect.getsource(otree.tasks.Worker.submit_expired_url)
assert otree.tasks.get.__module__ == "experiment.server"
assert list(inspect.signature(otree.tasks.get).parameters) == ["url"]
assert "            get(" in inspect.getsource(otree.tasks.Worker.ensure_pages_visited)

# Our routes are among oTree's, which are built after the apps are imported.
assert websocket_routes[-1].path.startswith("/hand/")
assert {"/cardlab/report/{code}/{app}", "/cardlab/report/{code}/{app}/{file:path}"} <= {
    route.path for route in websocket_routes
}
assert all(route in routes for route in websocket_routes)

# The report: no lock on its way, a login where the tab has one, a table as the export has it; and what reads
# the database for it cannot write there.
from otree import middleware
from otree.export import custom_export_app
from otree.views.cbv import AdminView
from experiment.report_child import read_only
from otree.database import DB_FILE
assert "/cardlab/report/" in middleware._get_paths_without_lock()
assert "/session_data/" in middleware._get_paths_without_lock()
assert "in _get_paths_without_lock())" in inspect.getsource(CommitTransactionMiddleware.dispatch)
assert isinstance(admin.AdminReport._requires_login, bool)
assert "self._is_unauthorized()" in inspect.getsource(AdminView.inner_dispatch)
assert "self._requires_login and not self._is_logged_in()" in inspect.getsource(AdminView._is_unauthorized)
assert "self.intercept_dispatch(**request.path_params)" in inspect.getsource(AdminView.inner_dispatch)
assert list(inspect.signature(custom_export_app).parameters)[:3] == ["app_name", "fp", "session_code"]
read_only().execute("CREATE TABLE mine (id INTEGER)")
tables = sqlite3.connect(DB_FILE).execute("SELECT name FROM sqlite_master").fetchall()
assert ("mine",) not in tables, "the report could write"

# Where a participant is.
assert {"app_name", "page_class", "round_number"} <= set(PageLookup._fields)
assert list(inspect.signature(get_page_lookup).parameters) == ["session_code", "idx"]
columns = Participant.__table__.c.keys()
for name in (
    "code", "label", "id_in_session", "session_id", "time_started_utc", "_session_code", "_index_in_pages",
    "_max_page_index", "_is_bot", "_timeout_page_index", "_timeout_expiration_time",
    "_gbat_page_index", "_gbat_grouped", "_waitpage_is_connected", "_last_request_timestamp",
):
    assert name in columns, name
for name in ("id", "code", "comment", "is_demo", "_created"):
    assert name in Session.__table__.c.keys(), name

# Groups are put together by arrival: asked for whenever one comes, and any players may be named.
from otree.models.subsession import BaseSubsession
from otree.views.abstract import WaitPage
source = inspect.getsource(BaseSubsession._gbat_try_to_make_new_group)
assert "players_for_group = func(self, waiting_players)" in source
assert "for round_number in range(self.round_number, num_rounds + 1)" in source  # who stays together, stays
assert "_gbat_page_index = self._index_in_pages" in inspect.getsource(WaitPage.inner_dispatch_gbat)

# A page without a form is asked error_message, and a timeout passes it by.
source = inspect.getsource(Page.post)
assert "hasattr(self, 'error_message') and not self.timeout_happened" in source
assert "'before_next_page'" in source
print("all there")
"""


def test_every_name_is_there(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "OTREE_IN_MEMORY": "1",
        "OTREE_PRODUCTION": "1",
    }
    apps = [path.name for path in PROJECT.glob("*_app")]
    for room in ("_templates", "_static", "_rooms", *apps):  # oTree looks for them where it runs
        (tmp_path / room).symlink_to(PROJECT / room)
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(PROJECT / "requirements.txt")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip().endswith("all there"), done.stderr[-3000:]
