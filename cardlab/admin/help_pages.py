"""Serves the documentation under /docs, and links each admin page to its help page.

``python3 lab.py docs`` builds the site, which needs no internet. It requires the same login as the admin
pages.
"""

from __future__ import annotations

import asyncio
import mimetypes
from pathlib import Path, PurePosixPath

from otree.templating.filters import register
from otree.views.cbv import AdminView
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from cardlab import folders
from cardlab.guard.login import RequiresLogin

PATH = "/docs"  # requests that begin with it take no lock (cardlab.server.asgi)
SITE = Path("docs", "_build", "html")  # in the project's folder, the server's working directory
INDEX = "index.html"

# Browsers revalidate pages; files with a digest in their query never change. Shared caches must not store
# what requires a login.
REVALIDATE = "private, no-cache"
KEEP = "private, max-age=31536000, immutable"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".inv": "application/octet-stream",
}

# The help page of each admin page, by the name of its view.
HELP = {
    "DemoIndex": "tutorials/first-session.html",
    "CreateSession": "how-to/create-a-session.html",
    "CreateDemoSession": "tutorials/first-session.html",
    "ServerCheck": "how-to/host-on-a-server.html",
    "Sessions": "how-to/create-a-session.html",
    "SessionDescription": "how-to/create-a-session.html",
    "SessionStartLinks": "how-to/seat-30-people.html",
    "SlotsPage": "how-to/seat-30-people.html",
    "ArchivePage": "how-to/export-data.html",
    "SessionMonitor": "how-to/watch-progress.html",
    "SessionProgress": "how-to/watch-progress.html",
    "SessionData": "reference/data-dictionary.html",
    "SessionPayments": "how-to/pay.html",
    "AdminReport": "how-to/read-the-report.html",
    "ExportIndex": "reference/data-dictionary.html",
    "Rooms": "how-to/seat-30-people.html",
    "RoomWithSession": "how-to/seat-30-people.html",
    "RoomWithoutSession": "how-to/seat-30-people.html",
}

IN_THE_PROJECT = """
<p>Build it once, on a computer with an internet connection, in the folder of Card Lab:</p>
<pre>python3 lab.py docs</pre>
<p>On Windows: <code>py lab.py docs</code>. Then reload this page. The server need not be restarted.</p>
"""
IN_THE_SOURCE = f"""
<p>Build it once, in the folder with Card Lab's source:</p>
<pre>python3 lab.py docs</pre>
<p>Then copy the folder <code>{SITE.as_posix()}</code> from there to your project, and reload this page.</p>
"""
NOT_BUILT = f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Documentation | Card Lab</title></head>
<body style="font-family: sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em; line-height: 1.5">
<h1>The documentation has not been built yet</h1>
{IN_THE_SOURCE if folders.IS_INSTALLED else IN_THE_PROJECT}
<p>Without the internet: copy the folder <code>{SITE.as_posix()}</code> from such a computer. The commands
<code>zip</code> and <code>bundle</code> include it.</p>
</body>
</html>
"""


@register
def help_address(view: object) -> str:
    """Returns the address of an admin page's help page, or of the index."""
    page = HELP.get(type(view).__name__, INDEX)
    return f"{PATH}/{page if (SITE / page).is_file() else INDEX}"


class SiteIndex(RequiresLogin, AdminView):
    """The address of the site without a page."""

    def get(self, request: Request) -> Response:
        """Redirects to the first page."""
        return RedirectResponse(f"{PATH}/{INDEX}")


class SiteFile(RequiresLogin, AdminView):
    """A file of the site."""

    async def get(self, request: Request, file: str) -> Response:
        """Returns the file, or an error page."""
        version = request.query_params.get("v", "")
        known_version = request.headers.get("if-none-match", "")
        return await asyncio.get_running_loop().run_in_executor(
            None, file_response, file, version, known_version
        )


def file_response(file: str, version: str, known_version: str) -> Response:
    """Returns the response to a request for a file of the site.

    Args:
        file: The path below /docs.
        version: The digest in the query, which Sphinx writes for styles and scripts.
        known_version: The ETag in the request.
    """
    if not (SITE / INDEX).is_file():
        return HTMLResponse(NOT_BUILT, 404, {"Cache-Control": "no-store"})
    path = find_file(file or INDEX)
    if path is None:
        return Response("There is no such page.\n", 404, {"Cache-Control": "no-store"}, "text/plain")
    state = path.stat()
    etag = f'"{state.st_mtime_ns:x}-{state.st_size:x}"'
    headers = {"ETag": etag, "Cache-Control": KEEP if version else REVALIDATE}
    if known_version == etag:
        return Response(status_code=304, headers=headers)
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return Response(path.read_bytes(), headers={**headers, "Content-Type": kind})


def find_file(file: str) -> Path | None:
    """Returns a file of the site; None for any other path, such as one outside the folder."""
    parts = PurePosixPath(file).parts
    if any(part.startswith((".", "/")) or "\\" in part or ":" in part or "\0" in part for part in parts):
        return None
    site = SITE.resolve()
    path = (site / file).resolve()
    return path if path.is_file() and path.is_relative_to(site) else None


ROUTES = [
    Route(PATH, SiteIndex, name="Documentation"),
    Route(f"{PATH}/{{file:path}}", SiteFile),
]
