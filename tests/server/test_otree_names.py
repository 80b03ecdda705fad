"""Tests the undocumented parts of oTree that Card Lab uses without replacing them.

oTree is pinned exactly. After an upgrade, these tests report the parts that have changed;
``test_otree_patches.py`` does the same for the parts that are replaced.
"""

import otree_process

LOOK = r"""
import asyncio, hashlib, inspect, pathlib, re, sqlite3, sys
from pathlib import Path
import otree.main
otree.main.setup()

import otree, sqlalchemy, starlette.routing
from otree.channels import consumers
from otree.channels.utils import wrap_websocket_send
from otree.database import DB_FILE, db, engine, session_scope
from otree.lookup import PageLookup, get_min_idx_for_app, get_page_lookup
from otree.middleware import CommitTransactionMiddleware, lock2
from otree.models import Participant, Session
from otree.models_concrete import TaskQueueMessage
from otree.room import ROOM_DICT, LabelRoom
from otree.views import admin, cbv, export, rest
from otree import settings

pinned = re.search(r"^otree==(\S+)", open(sys.argv[1]).read(), re.M)[1]
assert otree.__version__ == pinned, (otree.__version__, pinned)

# One lock over page requests and sockets, one connection for all.
from cardlab.live.lab import LAB
lock = LAB.group_commit._lock
assert isinstance(lock, asyncio.Lock)
assert otree.middleware.lock2._lock is lock  # cardlab.live.page_queue, for pages alone
assert consumers._OTreeAsyncJsonWebsocketConsumer.lock is lock
assert "_lock" not in vars(consumers.WSCreateSession) and "lock" not in vars(consumers.WSCreateSession)
assert isinstance(engine.pool, sqlalchemy.pool.StaticPool)
assert list(inspect.signature(wrap_websocket_send).parameters) == ["original_send"]
assert callable(session_scope) and callable(db.expire_all)

# Pages find the rows of an app by indexes that oTree does not have.
from matrix_game_app import Player
explain = "EXPLAIN QUERY PLAN SELECT * FROM matrix_game_app_player WHERE"
for cells in ("participant_id=? AND round_number=?", "subsession_id=?", "group_id=?"):
    with engine.connect() as connection:
        (step,) = connection.execute(f"{explain} {cells.replace('?', '1')}").fetchall()
        assert f"({cells})" in step[3], step

# All of oTree's exports are written in a process of their own (cardlab.exports.jobs); in memory: left alone.
from cardlab.exports.jobs import OTREE_VIEWS, PAGE_TIMES
offered = [view for view in vars(export).values() if inspect.isclass(view) and hasattr(view, "write_to_buf")]
assert {*offered} == {*OTREE_VIEWS, export.ExportMixin, export.BaseExport, export.LoginProtectedExport}
for view in OTREE_VIEWS:
    assert {"get", "process_export"}.isdisjoint(vars(view)) and "url_pattern" in vars(view), view
    assert ("page_times" in inspect.getsource(view.write_to_buf)) is issubclass(view, PAGE_TIMES)
    parameters = ["self", "buf", "session_code", "query_params"]
    assert list(inspect.signature(view.write_to_buf).parameters) == parameters
    names = view.write_to_buf.__code__.co_names + view.file_name_stem.__code__.co_names
    assert not {"request", "scope"} & {*names}, names  # in that process there is none

# The server's clock stands in for the module time, of which oTree uses nothing but the time.
from cardlab.core import clock
from otree import common2, models, tasks
from otree.models import participant, session, subsession
from otree.views import abstract
for module in (tasks, common2, abstract, participant, session, subsession):
    assert set(re.findall(r"\btime\.(\w+)", inspect.getsource(module))) <= {"time"}, module
assert abs(Session.__table__.c._created.default.arg(None) - clock.time()) < 60

# Sessions: what create_session takes, and which fields are oTree's.
from cardlab.sessions import config_check, create as sessions
assert list(inspect.signature(sessions._otrees_create_session).parameters) == [
    "session_config_name", "num_participants", "progress_message_fxn", "label", "room_name", "is_mturk",
    "is_demo", "modified_session_config_fields",
]
assert set(sessions.MONEY_FIELDS) < set(admin.SessionEditPropertiesForm.field_names)
assert {*config_check.OTREE_FIELDS} >= otree.session.NON_EDITABLE_FIELDS
import otree.cli.create_session
assert otree.cli.create_session.create_session is sessions.create_session

# Where Card Lab's code is not in the place of oTree's but in that of a class that oTree makes subclasses of.
from otree.middleware import SessionMiddleware
import otree.asgi
for name in ("get_participant_labels", "get_participant_urls"):
    assert callable(getattr(LabelRoom, name)), name
assert ROOM_DICT["lab"].use_secure_urls and not ROOM_DICT["typed"].use_secure_urls
assert "include \"otree/includes/RoomParticipantLinks.html\"" in open(
    otree.__path__[0] + "/templates/otree/RoomWithSession.html"
).read()

# Our routes come before oTree's, some of which they stand in for; all want a login, a key or nothing secret.
from cardlab.guard import rest as guard_rest
from cardlab.server import asgi
app = asgi.build_app().app
own = asgi.routes()
assert [route.path for route in app.routes[:len(own)]] == [route.path for route in own]
open_to_all = {"/ExportWide/{code}", "/cardlab/free/room/{room_name}", "/cardlab/free/join/{anonymous_code}"}
for route in own:
    if isinstance(route, starlette.routing.Route) and route.path not in open_to_all:
        view = route.endpoint
        otrees = [base for base in view.__mro__ if base.__module__.startswith("otree.")]
        as_otrees = any("url_pattern" in vars(base) for base in otrees)
        checks = as_otrees or issubclass(view, (cbv.BaseRESTView, export.BaseExport))  # with a key
        checks = checks or guard_rest.is_rest({"path": route.path})  # the guard checks the key
        assert checks or view._is_unauthorized is not cbv.AdminView._is_unauthorized, route.path

# The report and Progress: no lock on their way, but to move somebody on; what reads cannot write.
from cardlab.exports.snapshot import snapshot_engine
assert {"/session_data/"} <= otree.middleware._get_paths_without_lock()
assert "/cardlab/progress/x/rows".startswith(asgi.PATHS_WITHOUT_LOCK)
assert not "/cardlab/advance/x".startswith(asgi.PATHS_WITHOUT_LOCK)
assert isinstance(admin.AdminReport._requires_login, bool)
snapshot_engine(pathlib.Path("copy.sqlite3")).execute("CREATE TABLE mine (id INTEGER)")
tables = sqlite3.connect(DB_FILE).execute("SELECT name FROM sqlite_master").fetchall()
assert ("mine",) not in tables, "the report could write"

# The title and the tabs of a session, without pictures, are all that oTree's template lacks.
theirs = open(otree.__path__[0] + "/templates/otree/Session.html").read()
theirs = re.sub(r"{{ ADMIN_EMOJIS\.\w+ ?}} |<img src='{% static .*? %}'> ", "", theirs).splitlines()
added = [line for line in open("_templates/otree/Session.html").read().splitlines() if line not in theirs]
names = ("Progress", "Slots", "Archive", "help_address", "{{ session.code }}")
assert len(added) == 7 and all(any(name in line for name in names) for line in added), added
navbar = "otree/includes/navbar.html"
theirs = open(f"{otree.__path__[0]}/templates/{navbar}").read().splitlines()
added = [line for line in open(f"_templates/{navbar}").read().splitlines() if line not in theirs]
assert len(added) == 3 and "help_address" in added[2], added

# Tables and what is known of a page.
assert {"app_name", "page_class", "round_number"} <= set(PageLookup._fields)
assert list(inspect.signature(get_page_lookup).parameters) == ["session_code", "idx"]
assert list(inspect.signature(get_min_idx_for_app).parameters) == ["session_code", "app_name"]
assert TaskQueueMessage.__tablename__ == "otree_taskqueuemessage" and callable(TaskQueueMessage.kwargs)
columns = {
    TaskQueueMessage: "method kwargs_json epoch_time",
    Participant: "code label id_in_session session_id time_started_utc _session_code _index_in_pages "
    "_max_page_index status _is_bot _timeout_page_index _timeout_expiration_time _gbat_page_index "
    "_gbat_grouped _waitpage_is_connected _last_request_timestamp _last_page_timestamp _current_app_name "
    "_current_page_name _round_number visited payoff _vars",
    Session: "id code comment is_demo _created _vars",
}
for model, names in columns.items():
    assert {*names.split()} <= {*model.__table__.c.keys()}, model
assert callable(Participant._update_monitor_table) and callable(Session.advance_selected_participants)
assert "label" in otree.export.get_fields_for_monitor()

# The guard: around everything, and what its REST checks know.
assert app.middleware_stack.__class__ is CommitTransactionMiddleware
assert cbv.REST_KEY_HEADER == "otree-rest-key"
rest_views = {url for url in (getattr(view, "url_pattern", "") for view in vars(rest).values()) if url}
assert {url for url in rest_views if not url.startswith("/api/")} == guard_rest.BROWSER_BOTS, rest_views

# Pages are made in one place, and /static has folders, which cardlab.server.static_files sends by itself.
from otree.common2 import static_files_app
assert "_static" in map(str, static_files_app.all_directories) and isinstance(settings.DEBUG, bool)

# The frame of participants' pages: what stands in _templates/otree, and in _templates/cardlab the frame that
# some of these extend, was written after these of oTree's, and has all of their blocks, which apps fill.
ours, otrees = Path(sys.argv[1]).parent / "_templates/otree", Path(otree.__file__).parent / "templates/otree"
names = sorted([
    "OutOfRangeNotification.html",
    "includes/TimeLimit.html",
    *(str(path.relative_to(ours)) for path in ours.rglob("*.html")),
])
of_the_frame = ("Document", "End", "Page", "TimeLimit", "WaitPage")
frame = [ours.parent / "cardlab" / f"{name}.html" for name in of_the_frame]
text = {name: (otrees / name).read_text() for name in names}
digest = hashlib.sha256("".join(text.values()).encode()).hexdigest()
assert digest.startswith("1b64b97a5202"), digest
blocks = [
    {*re.findall(r"{[{%] block (\w+)", "".join(each))}
    for each in (text.values(), [path.read_text() for path in (*ours.rglob("*.html"), *frame)])
]
assert blocks[0] <= blocks[1], blocks[0] - blocks[1]
from otree.templating import context
assert context.builtins["language"] == settings.LANGUAGE_CODE

# What is not replaced but relied on: called in another order, done in the same way, or a base of classes.
import pydoc
from cardlab.server.otree_patches.registry import digest_of
def now(name):
    value = pydoc.locate(name)
    return digest_of(value.fset if isinstance(value, property) else value)
RELIED_ON = dict(line.split() for line in RELIED.strip().splitlines())
differ = {name: now(name) for name, digest in RELIED_ON.items() if now(name) != digest}
assert not differ, "\n".join(f"{name} {digest}" for name, digest in differ.items())
print("all there")
"""

# With the digests of their sources: functions that are called in a certain order, or that our code imitates.
RELIED = """
otree.asgi.OTreeStarlette.build_middleware_stack ac830ecf9d17be7f
otree.bots.browser.BotWorker fa0b8eefa808eb03
otree.channels.consumers.BaseCreateSession.create_session_then_send_start_link 631326aaee3cd729
otree.channels.consumers.WSRoomParticipant ec313cf61609ab9c
otree.channels.consumers.WSSessionMonitor b7d0b9e28d9dc14e
otree.channels.consumers._OTreeAsyncJsonWebsocketConsumer 45563e7457dd8774
otree.cli.prodserver1of2.Command 2b8a70a3147223db
otree.cli.timeoutsubprocess.Command 6bbfc16552436422
otree.common2.write_page_completion_buffer 13767ad115471806
otree.database.MixinVars 37810b6300dba52b
otree.export.get_rows_for_data_tab b0371d39e6ebfbc2
otree.main.execute_from_command_line 5a732f91e78d08e4
otree.main.setup ee0c7bbb2537f6e0
otree.models.participant.Participant._update_monitor_table d7f9bc02466cfcb1
otree.models.participant.Participant._url_i_should_be_on 37c4c757bbbe0356
otree.models.player.BasePlayer.payoff b66943cf409add64
otree.models.session.Session.advance_last_place_participants 9bf3065c3f109531
otree.session.create_session_traceback_wrapper 5ca0f53abee80e44
otree.settings._merge_project_fields fa302356bd79bd76
otree.tasks.Worker.submit_expired_url 5684c11315361465
otree.templating.context.Context e7a6e4f9b5e77c63
otree.templating.loader.render 93ee3ff4a97a0cc8
otree.views.abstract.WaitPage._mark_completed_and_notify 37471104537ab3c8
otree.views.abstract.WaitPage._run_aapa_and_notify 56f35412ab215a06
otree.views.abstract.WaitPage.inner_dispatch_gbat 6e4e565c8343f79a
otree.views.admin.AdminReport d7ce3e42310fea07
otree.views.cbv.AdminView f4e5696f79412bbd
otree.views.cbv.BaseRESTView.dispatch 393ab5c1924ff6b7
otree.views.export.LoginProtectedExport.get 251f91c5ba987cc3
otree.views.export.get_csv_http_response f1aa015fe0234d00
otree.views.participant.AssignVisitorToRoom.post 4dc7830f127f1734
otree.views.rest.RESTGetSessionInfo.post 50ebc86ec402d1e7
otree.views.rest.RESTSessions.post 5ed70fa1b57f2961
uvicorn.protocols.http.h11_impl.H11Protocol 02d70f7f8a9507d5
uvicorn.protocols.websockets.websockets_impl.WebSocketProtocol 65bcb7de318f7527
websockets.legacy.server.WebSocketServerProtocol f71d3c2b43879019
"""


def loaded(folder, program):
    """Runs a program that sets up oTree and all apps like the server, and returns its output."""
    done = otree_process.run(folder, ["-c", program, str(otree_process.PROJECT / "requirements.txt")])
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_required_otree_names_exist(tmp_path):
    assert loaded(tmp_path, f"RELIED = {RELIED!r}\n{LOOK}").strip().endswith("all there")


def test_server_starts_without_slow_libraries(tmp_path):
    program = "import otree.main, sys; otree.main.setup(); from otree.urls import routes; print(*sys.modules)"
    modules = set(loaded(tmp_path, program).split())
    assert {path.name for path in otree_process.PROJECT.glob("*_app")} < modules
    assert {"nashpy", "scipy", "numpy", "pandas", "matplotlib"} & modules == set()
