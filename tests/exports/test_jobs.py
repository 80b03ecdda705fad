"""Tests the export process: it runs exports in turn, is replaced when it dies, and ends when idle."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import without_database  # noqa: F401
from server_fixture import wait_for
from sqlalchemy.exc import OperationalError

from cardlab.exports import jobs, worker
from cardlab.exports.jobs import Exporter, ExportFailed, ExportQueue
from cardlab.exports.snapshot import NoSpace
from cardlab.exports.worker import FAILED, NO_SPACE, UNREACHABLE
from cardlab.exports.worker_process import ENVIRONMENT, TERMINATED

TESTED = Path(__file__).with_name("worker_to_test.py")


def start(folder: str, program: str = str(TESTED)) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(TESTED.parents[2])}
    return subprocess.Popen([sys.executable, program, folder], env=environment, **pipes)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Sets the folder for the processes' temporary folders; provides a function that lists its contents."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return lambda: [*tmp_path.rglob("*")]


@pytest.fixture
def exporter(folders):
    one = Exporter(start)
    yield one
    one.end()


def written(exporter: Exporter, view: str, query: dict[str, str]) -> tuple[str, bytes]:
    """Returns the name and the content of an export, and removes its file."""
    *_earlier, file = exporter.export(view, query)
    content = file.path.read_bytes()
    file.path.unlink()
    return file.stem, content


def process(exporter: Exporter) -> int:
    """Returns the export process's ID, which its exports contain."""
    return int(written(exporter, "stem", {})[1].split()[0])


def failed(exporter: Exporter, view: str) -> int:
    with pytest.raises(ExportFailed) as failure:
        list(exporter.export(view, {}))
    return failure.value.status


def test_one_low_priority_process_writes_all_exports(exporter, folders):
    stem, content = written(exporter, "one", {"app": "für alle\n"})
    number, nice, query = content.decode().split(maxsplit=2)
    assert (stem, json.loads(query)) == ("one", {"app": "für alle\n"})
    assert int(nice) == min(os.nice(0) + 10, 19)  # 19 is the lowest priority
    assert process(exporter) == int(number) != os.getpid()
    assert len(folders()) == 1  # its folder, which is empty
    exporter.end()
    assert folders() == []


def test_failed_export_keeps_the_process(exporter):
    number = process(exporter)
    assert failed(exporter, "fail") == FAILED
    assert process(exporter) == number


def test_a_process_that_dies_fails_one_export(exporter, folders, caplog):
    number = process(exporter)
    assert failed(exporter, "die") == FAILED
    assert 'ended (exit code 9): ["die", {}]' in caplog.text
    assert folders() == []
    assert process(exporter) != number


def test_process_dead_between_exports_is_replaced(exporter, folders):
    number = process(exporter)
    os.kill(number, signal.SIGKILL)
    exporter._process.wait()
    assert process(exporter) != number
    assert len(folders()) == 1


def test_process_that_cannot_start_fails_each_export(folders, caplog, capfd):
    for start_process in (
        lambda folder: start(folder, "no_such.py"),
        lambda _folder: subprocess.Popen(["no such"]),
    ):
        exporter = Exporter(start_process)
        assert [failed(exporter, "stem") for _ in range(2)] == [FAILED] * 2
    assert caplog.text.count("ended (exit code 2)") == 2
    assert capfd.readouterr().err.count("no_such.py") == 2  # the server's log
    assert caplog.text.count("No such file or directory: 'no such'") == 2
    assert folders() == []


def test_slow_export_continues_while_it_progresses(exporter, folders):
    process(exporter)  # starting takes longer than the patience
    exporter._patience = 0.6
    files = list(exporter.export("slow", {"rows": "6"}))
    assert [file.progress for file in files[:-1]] == [(n, n, 6) for n in range(1, 7)]
    assert [file.is_complete for file in files] == [False] * 6 + [True]
    assert files[-1].path.read_text() == "0\n1\n2\n3\n4\n5\n"


def test_stuck_export_fails(folders, caplog):
    exporter = Exporter(start, patience=0.5)
    assert failed(exporter, "hang") == FAILED
    assert "ended (exit code" in caplog.text
    assert folders() == []


async def content(exports: ExportQueue, view: str, query: dict[str, str]) -> bytes:
    """Returns what a client downloads."""
    download = await exports.export(view, query)
    try:
        return b"".join([chunk async for chunk in download.chunks()])
    finally:
        download.close()


def test_exports_are_serial_and_process_ends_idle(exporter, folders):
    exports = ExportQueue(exporter, idle=0.05)

    async def run_all() -> list[bytes]:
        contents = await asyncio.gather(*(content(exports, "stem", {"number": str(i)}) for i in range(5)))
        while folders():
            await asyncio.sleep(0.01)
        return [*contents, await content(exports, "stem", {})]

    *contents, again = asyncio.run(asyncio.wait_for(run_all(), 60))
    assert [json.loads(one.split(maxsplit=2)[2])["number"] for one in contents] == list("01234")
    (number,) = {one.split()[0] for one in contents}
    assert again.split()[0] != number


def test_download_begins_before_the_export_ends(exporter, folders, monkeypatch):
    exports = ExportQueue(exporter)

    async def download() -> tuple[dict, list[bytes]]:
        one = await exports.export("slow", {"rows": "4"})
        progress = exports.progress()
        chunks = [chunk async for chunk in one.chunks()]
        one.close()
        assert exports.progress() == {}
        return progress, chunks

    monkeypatch.setitem(jobs.URL_PATTERNS, "slow", "/api/slow")
    progress, chunks = asyncio.run(download())
    assert progress == {"path": "/api/slow", "query": {"rows": "4"}, "rows": 1, "done": 1, "total": 4}
    assert len(chunks) > 1
    assert b"".join(chunks) == b"0\n1\n2\n3\n"
    assert len(folders()) == 1  # its empty folder


def test_late_failure_truncates_the_download(exporter, folders):
    exports = ExportQueue(exporter)

    async def download() -> tuple[bytes, int] | None:
        one = await exports.export("slow", {"rows": "3", "fails": "yes"})
        received = b""
        try:
            async for chunk in one.chunks():
                received += chunk
        except ExportFailed as failed:
            return received, failed.status
        finally:
            one.close()

    assert asyncio.run(download()) == (b"0\n1\n2\n", FAILED)
    assert len(folders()) == 1


def test_download_fails_if_the_file_is_gone(exporter, folders):
    exports = ExportQueue(exporter)

    async def download() -> int:
        one = await exports.export("stem", {})
        one.file.path.unlink()
        with pytest.raises(ExportFailed) as failed:
            await anext(one.chunks())
        one.close()
        return failed.value.status

    assert asyncio.run(download()) == FAILED


def test_disconnected_client_stops_the_export(exporter, folders):
    exports = ExportQueue(exporter)

    async def disconnect() -> bytes:
        one = await exports.export("slow", {"rows": "1000"})
        one.close()
        return await content(exports, "stem", {})

    assert asyncio.run(asyncio.wait_for(disconnect(), 60))
    assert len(folders()) == 1


@pytest.mark.parametrize("stopped", ["the pipe is closed", "it gets SIGTERM"])
def test_stopped_process_removes_its_folder(tmp_path, stopped):
    folder = tmp_path / "folder"
    folder.mkdir()
    with start(str(folder)) as child:
        child.stdin.write('["stem", {}, "one"]\n["hang", {}, "other"]\n')
        child.stdin.flush()
        wait_for(child.stdout.readline, "the first export")
        assert [*folder.iterdir()]
        if stopped == "it gets SIGTERM":
            child.send_signal(signal.SIGTERM)
            assert child.wait(60) == TERMINATED
    assert child.returncode == TERMINATED
    assert not folder.exists()


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (OperationalError("SELECT 1", {}, OSError("no such host")), UNREACHABLE, "no such host"),
        (LookupError("a column"), FAILED, "LookupError: a column"),
        (NoSpace("9 MB needed"), NO_SPACE, "9 MB needed"),
    ],
)
def test_database_errors_differ_from_other_failures(monkeypatch, tmp_path, caplog, error, status, message):
    def fail(_folder):
        raise error

    monkeypatch.setattr(worker, "read_snapshot", fail)
    answer = worker.handle_request("ExportWide", {"session_code": "abc"}, tmp_path / "export", print)
    assert answer == {"status": status}
    assert "export ExportWide {'session_code': 'abc'}" in caplog.text
    assert message in caplog.text
