"""Provides fixtures for all tests (a running Card Lab, a PostgreSQL server) and sets the order of tests.

A slow test that repeats another test's check, for example on a second database, is marked
`@pytest.mark.long(reason)`, or `long(reason, only=...)` for some of its parameters. It runs with `--long`,
and when `lab.py test` is called with file names.
"""

from __future__ import annotations

import gc

import hypothesis
import pytest
from server_fixture import FOLDER_OF_FIRST_COPY, LabServer, Postgres
from stages import SLOW

from cardlab.linear_algebra import use_one_thread

use_one_thread()  # here, before tests import numpy

# Hypothesis draws new examples in every run, so a few are enough; --hypothesis-profile=thorough draws many.
# There is no deadline, because an example may take long on a busy machine.
hypothesis.settings.register_profile("suite", deadline=None, max_examples=25)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=1000)
hypothesis.settings.load_profile("suite")


# Several processes run the tests file by file. The longest files start first, so that no process is left with
# one at the end. Files with browsers, which keep the cores busy, alternate with files whose tests often wait
# for a server.
LONGEST_FIRST = (
    *("test_report.py", "test_model_scripts.py", "test_simulated_faults.py", "test_analysis_guides.py"),
    *("test_simulate.py", "test_planning_models.py", "test_dataset.py", "test_belief_of_two.py"),
    "test_types.py",
    *("test_all_boards.py", "test_clock_that_is_set.py", "test_challenge.py", "test_studies.py"),
    *("test_solitario.py", "test_absent_partners.py", "test_triangle.py", "test_run.py"),
    *("test_matrix_waiting.py", "test_leaks.py", "test_pair.py", "test_rehearsal.py"),
    *("test_matrix_layout.py", "test_matrix_gathering.py", "test_play_by_mouse_and_touch.py"),
    *("test_matrix_absence.py", "test_researcher.py", "test_instructions_and_check.py"),
    *("test_end_of_a_hand.py", "test_layout.py", "test_matrix_keyboard_and_touch.py", "test_docs_site.py"),
    *("test_coming_back.py", "test_board_page.py", "test_translated.py", "test_unsent_forms.py"),
    *("test_progress_tab.py", "test_replay_page.py"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the tests that are marked as long")


def is_long(item: pytest.Item) -> bool:
    """Returns whether a `long` mark applies to this test: to all parameters, or to those in `only`."""
    for mark in item.iter_markers("long"):
        assert mark.args, f"{item.nodeid}: give the reason in the mark, as in long('the mouse does the same')"
        only = mark.kwargs.get("only", ())
        named = {only} if isinstance(only, str) else {*only}
        parameters = item.callspec.id if hasattr(item, "callspec") else ""
        if not named or not named.isdisjoint([parameters, *parameters.split("-")]):
            return True
    return False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = [item for item in items if is_long(item)]
    if not config.getoption("long"):
        config.hook.pytest_deselected(items=long)
        deselected = set(long)
        items[:] = [item for item in items if item not in deselected]
    places = {name: place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: (item.nodeid.startswith(SLOW), places.get(item.path.name, len(places))))


def pytest_collection_finish() -> None:
    """Collects garbage less often and ignores objects loaded so far: collections took a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def pytest_sessionfinish() -> None:
    FOLDER_OF_FIRST_COPY.cleanup()


@pytest.fixture
def lab_server(tmp_path):
    """Provides a running Card Lab on SQLite, in a new folder."""
    with LabServer(tmp_path / "card_lab") as server:
        yield server


@pytest.fixture(scope="session")
def postgres():
    """Provides a PostgreSQL server; ``postgres.new_database()`` gives a DATABASE_URL."""
    yield from _running_postgres()


@pytest.fixture
def own_postgres():
    """Provides a PostgreSQL server that no other test uses, for tests that restart it."""
    yield from _running_postgres()


def _running_postgres():
    if not Postgres.programs():
        pytest.skip("PostgreSQL (initdb, postgres) is not installed on this machine")
    server = Postgres()
    try:
        yield server.start()
    finally:
        server.stop()
