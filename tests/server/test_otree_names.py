"""The few names of oTree that the hand socket and the pages lean on, beside its documented interface.

oTree is pinned exactly. Whoever raises the pin learns here, and not from a participant, what moved.
"""

import otree_process

LOOK = r"""
import asyncio, inspect, re, sqlite3, sys
from pathlib import Path
import otree.main
otree.main.setup()

import otree, otree.export, otree.tasks, sqlalchemy
from otree.channels import consumers
from otree.channels.routing import websocket_routes
from otree.channels.utils import wrap_websocket_send
from otree.database import db, engine, session_scope
from otree.lookup import PageLookup, get_page_lookup
from otree.middleware import CommitTransactionMiddleware
from cardlab.live.group_commit import lock2
from otree.models import Participant, Session
from otree.urls import routes
from otree.views.abstract import Page

pinned = re.search(r"^otree==(\S+)$", open(sys.argv[1]).read(), re.M)[1]
assert otree.__version__ == pinned, (otree.__version__, pinned)

# One lock over page requests and sockets, one connection for all.
assert isinstance(lock2, asyncio.Lock)
assert "lock_context = lock2 if" in inspect.getsource(CommitTransactionMiddleware.dispatch)
assert otree.middleware.lock2._lock is lock2  # cardlab.live.page_queue, for pages alone
assert consumers._OTreeAsyncJsonWebsocketConsumer.lock is lock2
assert isinstance(engine.pool, sqlalchemy.pool.StaticPool)
assert list(inspect.signature(wrap_websocket_send).parameters) == ["original_send"]
assert callable(session_scope) and callable(db.expire_all)

# What cardlab.live.query_cache asks in its own way, and oTree for what is no plain cell.
import otree.database
there = inspect.getsource(otree.database)
assert "return cls.objects_filter(*args, **kwargs).one()" in there
assert "return cls.objects_filter(*args, **kwargs).first()" in there
assert "return bool(cls.objects_filter(*args, **kwargs).first())" in there
assert "return self.query(Model).filter_by(**kwargs).one()" in there
assert "raise HTTPException(404, msg)" in there and isinstance(db, otree.database.DBWrapper)

# Pages find the rows of an app by indexes that oTree does not have.
from matrix_game_app import Player
of_player = "EXPLAIN QUERY PLAN SELECT * FROM matrix_game_app_player WHERE"
for cells in ("participant_id=? AND round_number=?", "subsession_id=?", "group_id=?"):
    with engine.connect() as connection:
        (step,) = connection.execute(f"{of_player} {cells.replace('?', '1')}").fetchall()
        assert f"({cells})" in step[3], step

from otree.models import player as players, subsession as subsessions
there = inspect.getsource(otree.common.in_round)
assert "return ModelClass.objects_filter(round_number=round_number, **kwargs).one()" in there
assert players.in_round.__module__ == subsessions.in_round.__module__ == "cardlab.live.query_cache"
from otree.models.player import BasePlayer
assert "in_round(type(self), round_number, participant=self.participant)" in inspect.getsource(BasePlayer)
import otree.templating.template
there = inspect.getsource(otree.templating.template)
assert "return self.root_node.render(context.Context(data_dict, self))" in there
assert "'context': self" in inspect.getsource(otree.templating.context.Context)
assert otree.templating.template.Template.render.__module__ == "cardlab.server.app"
assert "return self._db.close()" in inspect.getsource(otree.database)
assert otree.database.DBWrapper.close.__module__ == "cardlab.server.app"
from otree.views.abstract import Page
assert Page.socket_url.__module__ == "cardlab.live.presence_socket"
from otree.channels.utils import gbat_group_name
told = inspect.getsource(consumers.WSGroupByArrivalTime)
assert "{'status': 'ready'}" in told and "'page_index': int(d['page_index'])" in told
assert "self.groups = [group_name]" in inspect.getsource(consumers._OTreeAsyncJsonWebsocketConsumer)
assert consumers.WSGroupByArrivalTime.group_name.__module__ == "cardlab.groups.notifications"

# A hand is paid as oTree would, but for its commit (cardlab.pages.pages).
paying = inspect.getsource(BasePlayer.payoff.fset)
assert "self._payoff += delta" in paying and "self.participant.payoff += delta" in paying
assert "db.commit()" in paying

# What exports of games do in its place (cardlab.exports.otree_rows).
exporting = inspect.getsource(otree.export)
assert "player._is_frozen = False" in exporting and "[sanitize_for_csv(ele) for ele in row]" in exporting

# All of oTree's exports are written in a process of their own (cardlab.exports.jobs); in memory: left alone.
from otree.views import cbv, export
from cardlab.exports.jobs import PAGE_TIMES, VIEWS
offered = [view for view in vars(export).values() if inspect.isclass(view) and hasattr(view, "write_to_buf")]
assert {*offered} == {*VIEWS, export.ExportMixin, export.BaseExport, export.LoginProtectedExport}
for view in VIEWS:
    assert {"get", "process_export"}.isdisjoint(vars(view)) and "url_pattern" in vars(view), view
    assert ("page_times" in inspect.getsource(view.write_to_buf)) is issubclass(view, PAGE_TIMES)
    parameters = ["self", "buf", "session_code", "query_params"]
    assert list(inspect.signature(view.write_to_buf).parameters) == parameters
    names = view.write_to_buf.__code__.co_names + view.file_name_stem.__code__.co_names
    assert not {"request", "scope"} & {*names}, names  # in that process there is none
source = inspect.getsource(export.ExportMixin.process_export)
for line in (
    "session_code = query_params.get('session_code')",
    "if query_params.get('format') == 'csv_bom':",
    "self.write_to_buf(buf, session_code, query_params)",
    "return get_csv_http_response(buf, self.file_name_stem())",
):
    assert line in source, line
source = inspect.getsource(export.BaseExport.get)
assert "error_response = cbv.validate_rest_key(request)" in source
assert "return self.process_export(request)" in source
assert "return self.process_export(request)" in inspect.getsource(export.LoginProtectedExport.get)
assert "response = await response" in inspect.getsource(cbv.AdminView.dispatch)
assert "Response(buffer.read())" in inspect.getsource(export.get_csv_http_response)
from otree.common2 import write_page_completion_buffer
assert "db.add(PageTimeBatch(" in inspect.getsource(write_page_completion_buffer)

# Connections that compress nothing (cardlab.server.run).
import websockets.legacy.server
assert "self.available_extensions = " in inspect.getsource(websockets.legacy.server.WebSocketServerProtocol)

# Pages are made in one place, and /static has folders, which cardlab.server.static_files sends by itself.
import otree.templating.loader
from otree import settings
from otree.common2 import static_files_app
assert "HTMLResponse(" in inspect.getsource(otree.templating.loader.render)
assert "_static" in map(str, static_files_app.all_directories) and isinstance(settings.DEBUG, bool)

# What cardlab.server.app mends: sessions made outside the lock, a rollback at each return of the one
# connection, a timeout worker that ends at an error of the database.
assert consumers.BaseCreateSession.lock is lock2
assert "_lock" not in vars(consumers.WSCreateSession) and "lock" not in vars(consumers.WSCreateSession)
assert engine.pool._reset_on_return is sqlalchemy.pool.base.reset_none
from otree.views import admin
assert list(inspect.signature(admin.SessionDataAjax.get).parameters) == ["self", "request", "code"]
assert "get_rows_for_data_tab" in inspect.getsource(admin.SessionDataAjax.get)
from otree.cli import timeoutsubprocess
from otree.models_concrete import TaskQueueMessage
assert "Worker(port).listen()" in inspect.getsource(timeoutsubprocess.Command.handle)
assert otree.tasks.Worker.__module__ == "cardlab.server.timeout_worker"
assert set(vars(otree.tasks.Worker)) & set(vars(otree.tasks.Worker.__base__)) >= {"__init__", "listen"}
assert "self.base_url" in inspect.getsource(otree.tasks.Worker.submit_expired_url)
assert {"method", "kwargs_json", "epoch_time"} <= set(TaskQueueMessage.__table__.c.keys())
assert callable(TaskQueueMessage.kwargs)
assert isinstance(engine.pool._pre_ping, bool)

# What cardlab.server.run does in oTree's place.
from otree.cli import prodserver1of2
source = inspect.getsource(prodserver1of2)
assert "['otree', 'timeoutsubprocess', str(port)]" in source
for line in ("'otree.asgi:app'", "log_config=None", "workers=1", "ws='websockets'"):
    assert line in source, line
assert "os.environ['USE_TIMEOUT_WORKER'] = '1'" in inspect.getsource(otree.main.execute_from_command_line)

# The server's clock stands in where oTree reckons with time limits, and with nothing of it but the time.
from cardlab.core import clock
from otree import common2, models
from otree.models import participant, session, subsession
from otree.views import abstract
for module in (otree.tasks, common2, abstract, participant, session, subsession):
    assert module.time is clock, module
    assert set(re.findall(r"\btime\.(\w+)", inspect.getsource(module))) <= {"time"}, module
assert abs(Session.__table__.c._created.default.arg(None) - clock.time()) < 60

# Every session is made by cardlab.sessions.create, whoever asks for it.
import otree.cli.create_session, otree.session, otree.views.rest
from cardlab.sessions import create as sessions
from otree.room import ROOM_DICT, LabelRoom
assert list(inspect.signature(sessions._otrees_create_session).parameters) == [
    "session_config_name", "num_participants", "progress_message_fxn", "label", "room_name", "is_mturk",
    "is_demo", "modified_session_config_fields",
]
for module in (otree.session, otree.views.rest, otree.cli.create_session):
    assert module.create_session is sessions.create_session, module
source = inspect.getsource(consumers.BaseCreateSession.create_session_then_send_start_link)
assert "otree.session.create_session_traceback_wrapper(" in source
assert "return create_session(**kwargs)" in inspect.getsource(otree.session.create_session_traceback_wrapper)
assert "except CreateSessionInvalidArgs as exc:" in inspect.getsource(otree.views.rest.RESTSessions.post)
assert list(inspect.signature(consumers.WSCreateSession.post_receive_json).parameters) == ["self", "form"]
assert consumers.WSCreateSession.post_receive_json is sessions.receive_form
assert set(sessions.MONEY) < set(admin.SessionEditPropertiesForm.field_names)
assert {*sessions.OTREE_FIELDS} >= otree.session.NON_EDITABLE_FIELDS

# What a visitor with a wrong link reads.
from otree.views import participant as visitors
assert visitors.validate_room_visitor.__module__ == "cardlab.admin.room_links"
assert "errors = validate_room_visitor(room, " in inspect.getsource(visitors.AssignVisitorToRoom.get)
assert "errors = validate_room_visitor(room, " in inspect.getsource(visitors.AssignVisitorToRoom.post)

# The links of a room, and the one template that stands in place of oTree's.
for name in ("get_participant_labels", "get_participant_urls"):
    assert callable(getattr(LabelRoom, name)), name
assert ROOM_DICT["lab"].use_secure_urls and not ROOM_DICT["typed"].use_secure_urls
assert "include \"otree/includes/RoomParticipantLinks.html\"" in open(
    otree.__path__[0] + "/templates/otree/RoomWithSession.html"
).read()

# Our routes are among oTree's, which are built after the apps are imported.
assert {"/hand/{code}/{page_index:int}", "/here/{code}"} <= {route.path for route in websocket_routes[-2:]}
assert {
    "/SessionProgress/{code}", "/cardlab/advance/{code}", "/cardlab/progress/{code}/rows",
    "/cardlab/report/{code}/{app}", "/cardlab/report/{code}/{app}/{file:path}", "/cardlab/links/{room_name}",
} <= {
    route.path for route in websocket_routes
}
assert all(route in routes for route in websocket_routes)

# The report: no lock on its way, a login where the tab has one, a table as the export has it; and what reads
# the database for it cannot write there.
from otree import middleware
from otree.export import custom_export_app
from otree.views.cbv import AdminView
from cardlab.exports.worker_process import read_only
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

# Progress: without the lock, but not to move somebody on; the tab is all that oTree's template lacks.
lockless = middleware._get_paths_without_lock()
assert "/cardlab/progress/" in lockless
assert not any("/cardlab/advance/".startswith(path) for path in lockless)
assert "CSRF verification failed" in inspect.getsource(AdminView.inner_dispatch)
assert callable(Session.advance_selected_participants)
theirs = open(otree.__path__[0] + "/templates/otree/Session.html").read().splitlines()
added = [line for line in open("_templates/otree/Session.html").read().splitlines() if line not in theirs]
assert len(added) == 4 and all("Progress" in line or "Places" in line for line in added), added

# A pause: what keeps a page's time, and the task that ends it.
from otree.models_concrete import TaskQueueMessage
for ours in (Page.inner_dispatch, Page.remaining_timeout_seconds_inner):
    assert ours.__code__.co_filename.endswith("pauses.py")
assert "delay=timeout_seconds + 6" in inspect.getsource(inspect.unwrap(Page.remaining_timeout_seconds_inner))
assert list(inspect.signature(otree.tasks.Worker.submit_expired_url).parameters) == [
    "self", "participant_code", "page_index"
]
assert TaskQueueMessage.__tablename__ == "otree_taskqueuemessage"
assert {"method", "kwargs_json", "epoch_time"} <= set(TaskQueueMessage.__table__.c.keys())

# Where a participant is.
assert {"app_name", "page_class", "round_number"} <= set(PageLookup._fields)
assert list(inspect.signature(get_page_lookup).parameters) == ["session_code", "idx"]
columns = Participant.__table__.c.keys()
for name in (
    "code", "label", "id_in_session", "session_id", "time_started_utc", "_session_code", "_index_in_pages",
    "_max_page_index", "status", "_is_bot", "_timeout_page_index", "_timeout_expiration_time",
    "_gbat_page_index", "_gbat_grouped", "_waitpage_is_connected", "_last_request_timestamp",
    "_last_page_timestamp", "_current_app_name", "_current_page_name", "_round_number", "visited", "payoff",
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
at_gathering = inspect.getsource(WaitPage.inner_dispatch_gbat)
assert "_gbat_page_index = self._index_in_pages" in at_gathering
assert "self._run_aapa_and_notify(gbat_new_group)" in at_gathering
assert "self._mark_completed_and_notify(group=group)" in inspect.getsource(WaitPage._run_aapa_and_notify)
marking = inspect.getsource(WaitPage._mark_completed_and_notify)
assert "participants = self._get_participants_for_this_waitpage(" in marking
assert "data={'status': 'ready'}" in marking

# oTree takes groups apart in two ways, and deletes those that are left empty (cardlab.groups.group_lock).
from otree.models import BaseGroup
assert "group.set_players(" in source and "db.delete(group_to_delete)" in source
for mended in (BaseGroup.set_players, BaseSubsession.set_group_matrix):
    assert mended.__globals__["__name__"] == "cardlab.groups.group_lock"
assert "player.group = self" in inspect.getsource(BaseGroup.set_players.__wrapped__)
assert "self.group_set.delete()" in inspect.getsource(BaseSubsession.set_group_matrix.__wrapped__)
from otree.lookup import get_min_idx_for_app
assert list(inspect.signature(get_min_idx_for_app).parameters) == ["session_code", "app_name"]

# Who came and who is finished (cardlab.sessions.arrival).
from otree.views import participant as participant_views, rest
start = participant_views.InitializeParticipant.get.__wrapped__
for mended in (Session.advance_selected_participants, start):
    assert mended.__globals__["__name__"] == "cardlab.sessions.arrival"
assert "p.initialize(None)" in inspect.getsource(Session.advance_selected_participants.__wrapped__)
assert "self.advance_selected_participants(" in inspect.getsource(Session.advance_last_place_participants)
assert "pp.time_started_utc = str(datetime.datetime.utcnow())" in inspect.getsource(Participant.initialize)
assert "pp.initialize(label)" in inspect.getsource(start.__wrapped__)

# How a session ends for a participant, and what they are paid (cardlab.sessions.completion,
# cardlab.admin.payments).
from otree.views.abstract import FormPageOrInGameWaitPage
ended = (
    FormPageOrInGameWaitPage._increment_index_in_pages,
    *(Page.get, participant_views.InitializeParticipant.get, participant_views.OutOfRangeNotification.get),
    *(participant_views.SessionWideLink.get, participant_views.AssignVisitorToRoom.get),
)
for mended in ended:
    assert mended.__globals__["__name__"] == "cardlab.sessions.completion"
source = inspect.getsource(FormPageOrInGameWaitPage._increment_index_in_pages.__wrapped__)
for line in (
    "page_index_to_skip_to = self._get_next_page_index_if_skipping_apps()",
    "if page_index == participant._max_page_index + 1:",
    "if page.group_by_arrival_time:",
    "is_last, someone_waiting = page._tally_unvisited()",
    "page._run_aapa_and_notify(page._group_or_subsession)",
):
    assert line in source, line
assert "self._index_in_pages <= self._max_page_index" in inspect.getsource(Participant._url_i_should_be_on)
assert "status = Column(" in inspect.getsource(Participant)
assert admin.SessionPayments.vars_for_template.__module__ == "cardlab.admin.payments"
assert Participant.payoff_plus_participation_fee.__module__ == "cardlab.admin.payments"
assert "pp.vars.get('finished', False)" in inspect.getsource(rest.RESTGetSessionInfo.post)
assert "payload.update(session_attrs_for_detail(session))" in inspect.getsource(rest.RESTGetSessionInfo.post)
assert rest.session_attrs_for_detail.__module__ == "cardlab.sessions.create"
assert "row['status'] = pp.status" in inspect.getsource(otree.export.get_rows_for_monitor)
assert callable(Participant._update_monitor_table)

# Places added to a session are made as oTree makes a session's (cardlab.sessions.add_participants).
from cardlab.sessions import create as sessions
source = " ".join(inspect.getsource(sessions._otrees_create_session).split())
for row in (
    "Participant( id_in_session=id_in_session, session=session, _session_code=session_code, )",
    "Player( session=session, subsession_id=ss_id, round_number=ss_rd, participant_id=participant[0], "
    "group_id=group_id, id_in_group=id_in_group, _role=get_role(roles, id_in_group), )",
    "{Participant._max_page_index: num_pages}",
    "if ppg is None or Subsession._has_group_by_arrival_time():",
):
    assert row in source, row
assert participant_views.no_participants_left_http_response.__module__ == "cardlab.sessions.add_participants"

# Treatments (cardlab.sessions.treatment_assignment): in vars, which can be read without being written anew.
from otree.database import MixinVars
assert "self._vars.changed()" in inspect.getsource(MixinVars.vars.fget)
assert "_vars" in columns and "_vars" in Session.__table__.c.keys()
assert Participant.initialize.__globals__["__name__"] == "cardlab.sessions.treatment_assignment"
assert "if not pp.label" in inspect.getsource(Participant.initialize)
assert otree.export.get_rows_for_monitor.__globals__["__name__"] == "cardlab.sessions.treatment_assignment"
assigning = admin.SessionMonitor.vars_for_template.__globals__
assert assigning["__name__"] == "cardlab.sessions.treatment_assignment"
assert "otree.export.get_rows_for_monitor(participants)" in inspect.getsource(consumers.WSSessionMonitor)
assert "export.get_rows_for_monitor(" in inspect.getsource(Participant._update_monitor_table)
assert "label" in otree.export.get_fields_for_monitor()

# What bots send from browsers (cardlab.server.app, cardlab.pages.bots).
from otree.bots import browser
assert Page.post.__globals__["__name__"] == "cardlab.server.app"
source = inspect.getsource(Page.post.__wrapped__)
assert source.index("auto_submitted = post_data.get(") < source.index("browser_bots.pop_enqueued_post_data(")
assert "d.update({k: str(v) for k, v in submission.items()})" in source  # lists too
assert browser.BotWorker().queued_post_data == {}
assert "self.queued_post_data.pop(participant_code)" in inspect.getsource(browser.BotWorker)

# A page without a form is asked error_message, and a timeout passes it by.
source = inspect.getsource(Page.post.__wrapped__)
assert "hasattr(self, 'error_message') and not self.timeout_happened" in source
assert "'before_next_page'" in source

# The guard: what stands around the lock, who reads cookies, where labels are stored, what serves files, and
# the connections of the server that oTree starts.
import otree.asgi, otree.common2, uvicorn.protocols.http.auto as auto
from otree.middleware import SessionMiddleware
from otree.views import rest
from cardlab.guard import connections, cookies
from cardlab.guard import rest as guard_rest
source = inspect.getsource(otree.asgi.OTreeStarlette.build_middleware_stack)
assert source.index("middleware.CommitTransactionMiddleware") < source.index("OTreeServerErrorMiddleware")
assert CommitTransactionMiddleware.__module__ == "cardlab.server.guard_layer"
assert otree.asgi.app.middleware_stack.__class__ is CommitTransactionMiddleware
assert "middleware.SessionMiddleware" in source and SessionMiddleware is cookies.Sessions
assert list(inspect.signature(Participant.set_label).parameters) == ["self", "label"]
post = rest.RESTParticipantVarsByRoom.post
assert list(inspect.signature(post).parameters) == ["self", "room_name", "participant_label", "vars"]
assert Participant.set_label.__module__ == post.__module__ == "cardlab.guard.labels"
assert otree.common2.OTreeStaticFiles.lookup_path.__module__ == "cardlab.server.static_guard"
assert auto.AutoHTTPProtocol is connections.GuardedConnection
assert connections.GuardedConnection.__mro__[1].__name__ == "H11Protocol"
import starlette.requests
from otree.views import admin
for patched in (
    starlette.requests.Request.form, cbv.BaseRESTView.inner_dispatch, admin.LoginForm.validate,
    admin.Login.form_valid, admin.Logout.get,
):
    assert patched.__module__.startswith("cardlab.guard."), patched
assert cbv.REST_KEY_HEADER == "otree-rest-key"
assert "json.loads(body)" in inspect.getsource(cbv.BaseRESTView.dispatch)
assert "await self.request.form()" in inspect.getsource(cbv.AdminView.dispatch)
assert "session.get(AUTH_COOKIE_NAME) == AUTH_COOKIE_VALUE" in inspect.getsource(consumers)
assert "session.get(AUTH_COOKIE_NAME) == AUTH_COOKIE_VALUE" in inspect.getsource(cbv.AdminView._is_logged_in)
rest_views = {url for url in (getattr(view, "url_pattern", "") for view in vars(rest).values()) if url}
assert {url for url in rest_views if not url.startswith("/api/")} == guard_rest.BROWSER_BOTS, rest_views
assert "participant_label" in inspect.getsource(consumers.WSRoomParticipant)

# The frame of participants' pages: what stands in _templates/otree was written after these of oTree's, and
# has all of their blocks, which apps fill.
import hashlib
ours, otrees = Path(sys.argv[1]).parent / "_templates/otree", Path(otree.__file__).parent / "templates/otree"
names = sorted(str(path.relative_to(ours)) for path in ours.rglob("*.html"))
text = {name: (otrees / name).read_text() for name in names}
digest = hashlib.sha256("".join(text.values()).encode()).hexdigest()
assert digest.startswith("d74086cae2fa"), digest
blocks = [
    {*re.findall(r"{[{%] block (\w+)", "".join(each))}
    for each in (text.values(), [(ours / name).read_text() for name in names])
]
assert blocks[0] <= blocks[1], blocks[0] - blocks[1]
from otree import settings
from otree.templating.context import builtins
assert builtins["language"] == settings.LANGUAGE_CODE
print("all there")
"""


def loaded(folder, program):
    """What a program prints that sets oTree and all apps up as the server does."""
    done = otree_process.run(folder, ["-c", program, str(otree_process.PROJECT / "requirements.txt")])
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_every_name_is_there(tmp_path):
    assert loaded(tmp_path, LOOK).strip().endswith("all there")


def test_the_server_starts_without_libraries_that_load_slowly(tmp_path):
    program = "import otree.main, sys; otree.main.setup(); from otree.urls import routes; print(*sys.modules)"
    modules = set(loaded(tmp_path, program).split())
    assert {path.name for path in otree_process.PROJECT.glob("*_app")} < modules
    assert {"nashpy", "scipy", "numpy", "pandas", "matplotlib"} & modules == set()
