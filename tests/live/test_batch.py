"""Tests that a batch is committed once, and that a faulty request does not affect others."""

from __future__ import annotations

import pytest
import without_database  # noqa: F401

from cardlab.core.hand_cache import UnreadableRecord
from cardlab.live.batch import Answer, Batch


class Database:
    """Keeps written rows at a commit; fails at the given commits, counted from 1."""

    def __init__(self, failing_commits=(), reconnects=False):
        self.failing_commits, self.reconnects = failing_commits, reconnects
        self.commits, self.written, self.kept = 0, [], []

    def commit(self):
        self.commits += 1
        if self.commits in self.failing_commits:
            raise OSError("the disk is full")
        self.kept += self.written
        self.written = []

    def rollback(self):
        self.written = []
        return self.reconnects

    def tell_researcher(self, session_id, sentence):
        self.written.append((session_id, sentence))


class Requests:
    """Provides a batch over a database, and requests that write and then announce their name."""

    def __init__(self, database):
        self.database, self.batch = database, Batch(database)
        self.announced, self.attempts = [], []

    def request(self, name, error=None, announcement_fails=False):
        def announce():
            self.announced.append(name)
            if announcement_fails:
                raise ValueError("no log")
            self.database.written.append(f"log of {name}")

        def handle():
            self.attempts.append(name)
            if error:
                raise error
            self.database.written.append(name)
            self.batch._after_commit.append(announce)
            return Answer({"name": name})

        return handle

    def commit(self, *requests):
        answers = self.batch.commit_batch(requests)
        assert not self.database.written, "something is neither kept nor given up"
        return [answer.message["name"] if isinstance(answer, Answer) else answer for answer in answers]


def test_a_batch_has_one_commit_before_its_announcements():
    requests = Requests(Database())
    assert requests.commit(requests.request("a"), requests.request("b")) == ["a", "b"]
    assert requests.database.kept == ["a", "b", "log of a", "log of b"]
    assert requests.database.commits == 2  # the second commits the logs
    requests.commit(requests.request("c"))
    assert requests.announced == ["a", "b", "c"]


def test_without_announcements_there_is_one_commit():
    requests = Requests(Database())
    assert requests.batch.commit_batch([lambda: Answer({})]) == [({}, None)]
    assert requests.database.commits == 1


def test_faulty_request_does_not_affect_others():
    requests = Requests(Database())
    error = KeyError("a bug")
    assert requests.commit(requests.request("a"), requests.request("b", error), requests.request("c")) == [
        "a",
        error,
        "c",
    ]
    assert [name for name in requests.database.kept if len(name) == 1] == ["a", "c"]
    assert requests.announced == ["a", "c"]


def test_unreadable_record_does_not_affect_others():
    requests = Requests(Database())
    damage = UnreadableRecord("its record is damaged")
    assert requests.commit(requests.request("a"), requests.request("b", damage)) == ["a", damage]
    assert requests.attempts == ["a", "b"]  # nothing is repeated


def test_failed_commit_is_repeated_for_each_request():
    requests = Requests(Database(failing_commits=[1, 4]))
    first, second = requests.commit(requests.request("a"), requests.request("b"))
    assert first == "a"
    assert isinstance(second, OSError)
    assert (requests.database.kept, requests.announced) == (["a", "log of a"], ["a"])


@pytest.mark.parametrize(("reconnects", "attempts"), [(False, ["a"]), (True, ["a", "a"])])
def test_single_request_is_repeated_after_a_reconnect(reconnects, attempts):
    requests = Requests(Database(failing_commits=[1], reconnects=reconnects))
    (answer,) = requests.commit(requests.request("a"))
    assert requests.attempts == attempts
    assert (answer == "a") is reconnects
    assert requests.announced == (["a"] if reconnects else [])


def test_damage_after_a_reconnect_is_answered():
    requests = Requests(Database(failing_commits=[1], reconnects=True))
    damage = UnreadableRecord("its record is damaged")
    assert requests.commit(requests.request("a", damage)) == [damage]


def test_failing_announcement_loses_no_move(caplog):
    requests = Requests(Database())
    assert requests.commit(requests.request("a", announcement_fails=True), requests.request("b")) == [
        "a",
        "b",
    ]
    assert requests.database.kept == ["a", "b", "log of b"]
    assert len(caplog.records) == 1


def test_failing_commit_of_announcements_is_logged(caplog):
    requests = Requests(Database(failing_commits=[2]))
    assert requests.commit(requests.request("a")) == ["a"]
    assert requests.database.kept == ["a"]
    assert len(caplog.records) == 1


def test_notices_for_the_researcher_are_committed(caplog, monkeypatch):
    database = Database(failing_commits=[2])
    batch = Batch(database)
    batch.tell_researcher(5, "Disk almost full.")
    assert database.kept == [(5, "Disk almost full.")]
    batch.tell_researcher(5, "Disk full.")
    assert (database.kept, database.written) == ([(5, "Disk almost full.")], [])
    monkeypatch.setattr(database, "tell_researcher", lambda *_arguments: 1 / 0)
    batch.tell_researcher(5, "Nobody reads this.")
    assert len(caplog.records) == 2
