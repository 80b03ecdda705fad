"""The tab "Archive" of a session: makes an archive, as ``lab.py archive`` does, and offers it for download.

A separate process writes the file into ``exports/``. It fetches the exports from this server, so it needs
no access to the database.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from otree.database import IN_MEMORY
from otree.views.cbv import AdminSessionPage
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from cardlab import folders
from cardlab.guard.login import RequiresLogin
from cardlab.live.lab import LAB

logger = logging.getLogger("cardlab.archive")

PATH = "/cardlab/archive/"
REFRESH_SECONDS = 2  # of the page while an archive is being made
WAITING = "Waiting for another archive to be finished …"
STARTING = "Starting …"
FAILED = "The archive could not be made. For the reason, see the terminal in which the server runs."
NEEDS_DISK = (
    "An archive needs a server that stores its data on disk. This server stores them in memory. "
    f"Start the server with: {folders.command('run')}"
)


class ArchiveJob:
    """An archive that is being made, or is finished: the latest message, the file, and the warnings."""

    def __init__(self) -> None:
        self.message = WAITING
        self.file: Path | None = None
        self.warnings: list[str] = []
        self.is_over = False
        self.started = time.monotonic()

    @property
    def seconds(self) -> int:
        """How long it has taken so far."""
        return round(time.monotonic() - self.started)


class Archives:
    """The latest archive of each session; they are made one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held while an archive is made
        self._latest: dict[str, ArchiveJob] = {}  # used by the event loop's thread only

    def latest(self, session: str) -> ArchiveJob | None:
        """Returns the latest archive of a session."""
        return self._latest.get(session)

    def begin(self, session: str, url: str, identified: bool) -> None:
        """Begins to make an archive, unless one of the session is being made."""
        job = self._latest.get(session)
        if job is None or job.is_over:
            self._latest[session] = job = ArchiveJob()
            # A daemon thread does not delay the server's stop.
            arguments = (job, session, url, identified)
            threading.Thread(target=self._make, args=arguments, daemon=True, name="archive").start()

    def drop(self, session: str) -> None:
        """Deletes the latest archive of a session: a participant has withdrawn."""
        job = self._latest.pop(session, None)
        if job and job.file:
            job.file.unlink(missing_ok=True)

    def _make(self, job: ArchiveJob, session: str, url: str, identified: bool) -> None:
        with self._lock:
            job.message, job.started = STARTING, time.monotonic()
            file = folders.PROJECT / "exports" / f"{session}-{datetime.now().astimezone():%Y%m%d-%H%M%S}.zip"
            try:
                job.message = self._run(job, session, url, file, identified)
                job.file = file if file.is_file() else None
                if job.file and self._latest.get(session) is not job:  # dropped meanwhile
                    job.file.unlink()
            except OSError:
                logger.exception("archive of %s", session)
                job.message = FAILED
            finally:
                job.is_over = True

    def _run(self, job: ArchiveJob, session: str, url: str, file: Path, identified: bool) -> str:
        """Runs the command, whose lines become messages; returns the reason for a failure, or ""."""
        options = ["--out", str(file), "--url", url, *(["--identified"] if identified else [])]
        command = [sys.executable, "-m", "cardlab", "archive", session, *options]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folders.PROJECT,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
            encoding="utf-8",
        ) as process:
            line = ""
            for line in map(str.strip, process.stdout or ()):
                if line.startswith("Warning: "):
                    job.warnings.append(line.removeprefix("Warning: "))
                elif line:
                    job.message = line
        if file.is_file():
            return ""
        logger.error("archive of %s: exit code %s, %s", session, process.returncode, job.message)
        return job.message if process.returncode == 1 else FAILED


class ArchivePage(RequiresLogin, AdminSessionPage):
    """Shows the latest archive of a session, and a form to make one."""

    def vars_for_template(self) -> dict[str, Any]:
        """Returns the state of the latest archive."""
        job = LAB.archives.latest(self.session.code)
        return {
            "job": job,
            "refresh_seconds": REFRESH_SECONDS,
            "hindrance": NEEDS_DISK if IN_MEMORY else "",
            "file_name": job.file.name if job and job.file else "",
        }

    def get_template_name(self) -> str:
        """Returns the template."""
        return "cardlab/Archive.html"

    def post(self, request: Request, code: str) -> Response:
        """Begins an archive, and shows the page again."""
        if not IN_MEMORY:
            host, port = request.scope["server"]
            identified = self.get_post_data().get("identified") == "on"
            LAB.archives.begin(code, f"http://{host}:{port}", identified)
        return self.redirect("Archive", code=code)


class ArchiveFile(RequiresLogin, AdminSessionPage):
    """The file of the latest archive."""

    def get(self, request: Request, code: str) -> Response:
        """Returns the ZIP file."""
        job = LAB.archives.latest(code)
        if job is None or job.file is None or not job.file.is_file():
            raise HTTPException(404)
        return FileResponse(job.file, media_type="application/zip", filename=job.file.name)


ROUTES = [
    Route(PATH + "{code}", ArchivePage, name="Archive"),
    Route(PATH + "{code}/file", ArchiveFile, name="ArchiveFile"),
]
