"""Downloads files from the server in chunks, and shows the progress of long downloads."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qsl, urlsplit

from cardlab.operations.rest import fetch
from cardlab.operations.terminal import Refusal

CHUNK_BYTES = 64 * 1024
SILENCE_SECONDS = 3600  # without data before a download fails; the server stops a stuck export earlier
QUIET_SECONDS = 3.0  # a shorter download shows no progress
LINE_SECONDS = 1.0  # between two updates of the line on a terminal
PLAIN_LINE_SECONDS = 30.0  # between two lines elsewhere, such as in a log
SHARE_SECONDS = 5.0  # timeout of a request for the progress


def fetch_file(url: str, path: str, file: Path, session: str) -> str:
    """Downloads one file from the server, complete or not at all; returns its SHA-256.

    oTree exports the page times of all sessions: only those of ``session`` are kept. Raises Refusal.
    """
    unfinished = file.with_name(file.name + ".part")
    try:
        with (
            ProgressLine(file.name, partial(share_done, url, path)) as progress,
            fetch(url, path, timeout=SILENCE_SECONDS) as response,
        ):
            chunks = progress.count(received_chunks(response))
            if file.name == "page_times.csv":
                chunks = chunks_of_session(chunks, session)
            sha256 = write_chunks(chunks, unfinished)
        os.replace(unfinished, file)
    except (OSError, http.client.HTTPException) as error:
        raise Refusal(
            f"{file.name} could not be downloaded ({error}). Check that the server at {url} runs, see its "
            f"terminal, and check that files can be written to {file.parent}."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    return sha256


def share_done(url: str, path: str) -> float | None:
    """Returns the share of an export that the server has written, from 0 to 1; None if it is unknown."""
    try:
        with fetch(url, "/api/export_progress", timeout=SHARE_SECONDS) as response:
            state: dict[str, Any] = json.load(response)
    except (OSError, http.client.HTTPException, ValueError):  # an older version
        return None
    address = urlsplit(path)
    is_other = (state.get("path"), state.get("query")) != (address.path, dict(parse_qsl(address.query)))
    return None if is_other or not state["total"] else state["done"] / state["total"]


def received_chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Yields the content of a response piece by piece. Raises HTTPException if it is truncated."""
    while chunk := response.read(CHUNK_BYTES):
        yield chunk
    if response.length:  # bytes are missing, which read() only notices without a size
        raise http.client.IncompleteRead(b"", response.length)


def write_chunks(chunks: Iterable[bytes], file: Path) -> str:
    """Writes a file; returns its SHA-256."""
    digest = hashlib.sha256()
    with open(file, "wb") as target:
        for chunk in chunks:
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()


def chunks_of_session(chunks: Iterable[bytes], session: str) -> Iterator[bytes]:
    """Yields the heading and the rows of one session from oTree's page times."""
    prefix, is_heading = f"{session},".encode(), True
    for line in _lines(chunks):
        if is_heading or line.startswith(prefix):
            yield line
        is_heading = False


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


class ProgressLine:
    """Shows how much of a long download has arrived: one line on a terminal, several elsewhere.

    Args:
        name: the file.
        share: returns the share that is done; None if it is unknown.
        stream: where the lines are written.
        quiet_seconds: the time before the first line.
    """

    def __init__(
        self,
        name: str,
        share: Callable[[], float | None] = lambda: None,
        stream: IO[str] | None = None,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._name, self._share, self._stream = name, share, stream or sys.stdout
        self._is_terminal = self._stream.isatty()
        self._interval = LINE_SECONDS if self._is_terminal else PLAIN_LINE_SECONDS
        self._quiet_seconds = quiet_seconds
        self._rows = self._bytes = 0
        self._started = time.monotonic()
        self._width = 0  # of the line on the terminal
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show_until_over, daemon=True)

    def __enter__(self) -> ProgressLine:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()
        if self._width:
            print("\r" + " " * self._width, end="\r", file=self._stream, flush=True)

    def count(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the chunks and counts them."""
        for chunk in chunks:
            self._rows += chunk.count(b"\n")
            self._bytes += len(chunk)
            yield chunk

    def _show_until_over(self) -> None:
        delay = self._quiet_seconds
        while not self._over.wait(delay):
            delay = self._interval
            self._show(self._text(self._share()))

    def _text(self, share: float | None) -> str:
        parts = ["the server is preparing it"] if not self._bytes else []
        parts += [f"{share:.0%} done"] if share is not None else []
        parts += [f"{self._rows:,} rows, {self._bytes / 1e6:,.1f} MB"] if self._bytes else []
        return f"    {self._name}: {', '.join(parts)}, {time.monotonic() - self._started:.0f} s"

    def _show(self, text: str) -> None:
        if self._is_terminal:
            print("\r" + text.ljust(self._width), end="", file=self._stream, flush=True)
            self._width = max(self._width, len(text))
        else:
            print(text, file=self._stream, flush=True)
