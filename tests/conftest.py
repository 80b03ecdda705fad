"""Fixtures that several rooms of tests share: a running Card Lab, a PostgreSQL server."""

from __future__ import annotations

import gc
import re
import sys

import hypothesis
import pytest
from server_fixture import LabServer, Postgres

# Other examples in each run of the suite, so that few are enough; --hypothesis-profile=thorough has many.
# On a busy machine a quick example may take long: that is no failure.
hypothesis.settings.register_profile("suite", deadline=None, max_examples=25)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("suite")


@pytest.fixture(autouse=True)
def full_rate_limits():
    """Requests of earlier tests do not count towards the rate limits of this one."""
    if module := sys.modules.get("cardlab.guard.rate_limits"):
        for limit in vars(module).values():
            if isinstance(limit, module.RateLimit):
                limit._full_at.clear()


# With several processes at work the longest files begin, so that none is left over at the end. The browser's
# come last: from its start to the end of the process an event loop runs that other tests must not meet.
LONGEST_FIRST = (
    *("test_report.py", "test_simulate.py", "test_golden.py", "test_analysing_data.py", "test_dask.py"),
    *("test_as_the_server_tells.py", "test_transform_quick.py", "test_damage.py", "test_belief.py"),
    *("test_matrix_rematched.py", "test_one_fold.py", "test_commands.py", "test_simulated_faults.py"),
    *("test_run.py", "test_leaks.py", "test_matrix_gathering.py", "test_admin_report.py"),
    *("test_matrix_absence.py", "test_matrix_play.py", "test_new_game.py", "test_store.py"),
    *("test_keeper_files.py", "test_progress.py", "test_refused_sessions.py", "test_postgres.py"),
    *("test_engine_process.py", "test_fuzz.py", "test_socket.py", "test_time_limits.py"),
    *("test_triangle.py", "test_solitario.py", "test_play_by_mouse_and_touch.py", "test_matrix_layout.py"),
    *("test_challenge.py", "test_matrix_waiting.py", "test_matrix_keyboard_and_touch.py"),
    *("test_coming_back.py", "test_layout.py", "test_report_page.py", "test_replay_page.py"),
    *("test_matrix_game.py", "test_translated.py", "test_end_of_a_hand.py", "test_researcher.py"),
    *("test_instructions_and_check.py", "test_matrix_instructions_and_check.py"),
)


# What tells again what another test tells: on the second database, in oTree's second mode, with a second kind
# of pointer or window, in a second language, in a second form that costs as much as the first. Run by --long,
# and where files are named; before a release.
ON_POSTGRES = {"postgres", "own_postgres", "server_on_postgres"}
TOLD_AGAIN = (
    # of what the shared tests hold for every game
    *("test_kills_on_sqlite[ttt]", "test_kills_on_sqlite[triangle]", "test_kills_on_sqlite[solitario]"),
    *("test_kills_on_sqlite[ttt_pair]", "any_session[ttt_pair]", "in_sight_and_no_other[ttt_pair]"),
    *("test_kills_on_sqlite[challenge]", "cards_in_sight_and_no_other[challenge]", "any_session[challenge]"),
    *("[debug-", "told_nowhere[debug]", "tells_anything[debug]", "that_lies_face_down[special]"),
    *("test_the_shared_tests_hold_for_it", "test_hands_report_and_replay_come_of_what_was_played"),
    *("test_a_simulated_session_is_told_as_a_played_one", "test_four_windows_are_told_nothing"),
    *("test_triangle.py::test_a_server_killed", "test_what_was_committed_survives_a_kill"),
    # of what a co-player chooses about an absent one, in every game for several
    *("gets_the_seat_back[ttt_pair]", "gets_the_seat_back[challenge]"),
    *("stops_with_pay[ttt_pair]", "stops_with_pay[challenge]", "passed_over[503]", "passed_over[429]"),
    # of what is done to a database before a server starts
    *("test_run.py::test_an_old_database_is_left_alone", "the_copy_is_offered", "test_an_unsigned_database"),
    *("test_a_damaged_database_is_refused", "test_two_servers_on_one_database", "test_otrees_own_commands"),
    *("test_run.py::test_a_killed_timeout_worker", "test_a_server_that_dies_takes_its_timeout_worker_along"),
    *("is_lost[postgresql]", "[one commit for all]", "[two pages of one seat at once]"),
    # of what needs the registry of packages for minutes
    "test_bundle_offline.py",
    # of layouts and gestures
    *("forty_hands_are_in_order", "face_down_is_in_order[phone]", "of_four_is_in_order[phone]"),
    *("robots_is_in_order[phone]", "before_the_game_are_in_order[phone]", "for_four_are_in_order[phone]"),
    *("both_variations_is_in_order", "after_a_game_is_in_order[phone]", "robots_is_in_order[desk]"),
    *("test_triangle.py::test_a_whole_session_by_keyboard_alone", "cards_in_sight_and_no_other[triangle]"),
    *("cards_in_sight_and_no_other[solitario]", "test_with_four_people_those", "test_with_four_the_others"),
    *("a_double_tap_chooses_once_and_turns_once[mouse]", "the_game_to_try[mouse]", "config_says_so[touch]"),
    *("test_triangle.py::test_a_whole_hand[touch]", "both_heard[may change]"),
    *("test_four_play_a_game_to_its_end_by_keyboard", "test_a_step_back_shows_the_board_as_it_was"),
    # of what a finger does, done by the mouse, which plays a whole hand and a whole game in other tests
    *("onto_the_keepers[mouse]", "test_pass[mouse]", "stays_only_the_other_is_dragged[mouse]"),
    *("a_look_lasts_until_the_turn_passes[mouse]", "a_broken_rule_moves_nothing_and_says_why[mouse]"),
    *("a_drop_on_the_wrong_place_goes_back_and_says_why[mouse]", "is_recorded_as_a_pick_up[mouse]"),
    *("exchanges_it_with_the_keeper_to_move[mouse]", "what_is_no_move_is_explained[mouse]"),
    "test_challenge.py::test_a_game_is_played_to_its_end[mouse]",
    # of words, reports and searches
    *("any_session[ttt]", "any_session[triangle]", "any_session[solitario]", "[thirteen-settings3-"),
    *("test_dask.py::test_on_the_cores", "test_a_cluster_without_workers", "test_an_address_where_nobody"),
    "searched_alike_on_one_core_on_several_and_by_dask",
    *("test_translated.py::test_the_matrix_card_game", "test_translated.py::test_triangle_solitaire"),
    *("screen_and_on_paper[matrix", "screen_and_on_paper[triangle", "on_paper[ttt-phone]"),
    *("screen_and_on_paper[solitario", "screen_and_on_paper[ttt_pair", "on_paper[ttt-desk]"),
    *("test_report_tab.py", "test_one_at_a_time_not_for_ever_and_not_without_the_server"),
)


told_again = re.compile("|".join(map(re.escape, TOLD_AGAIN))).search  # quicker than asking for each


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also what tells again what other tests tell")


def is_long(item: pytest.Item) -> bool:
    """Whether a test tells again what another tells, at some cost."""
    on_postgres = not ON_POSTGRES.isdisjoint(item.fixturenames) and item.path.name != "test_postgres.py"
    return on_postgres or bool(told_again(item.nodeid))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("long"):
        long = dict.fromkeys(item for item in items if is_long(item))
        config.hook.pytest_deselected(items=[*long])
        items[:] = [item for item in items if item not in long]
    names = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: ("browser" in item.path.parts, names.get(item.path.name, len(names))))


def pytest_collection_finish() -> None:
    """Python's search for garbage, which took a tenth of the time, leaves out what is there when the tests
    begin, and comes less often."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


@pytest.fixture
def lab_server(tmp_path):
    """A running Card Lab on SQLite, alone in a folder of its own."""
    with LabServer(tmp_path / "card_lab") as server:
        yield server


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server; ``postgres.new_database()`` gives a DATABASE_URL."""
    yield from _running_postgres()


@pytest.fixture
def own_postgres():
    """A PostgreSQL server that nobody else uses, for who restarts it."""
    yield from _running_postgres()


def _running_postgres():
    if not Postgres.programs():
        pytest.skip("PostgreSQL (initdb, postgres) is not installed on this machine")
    server = Postgres()
    try:
        yield server.start()
    finally:
        server.stop()
