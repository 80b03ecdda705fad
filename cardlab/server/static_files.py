"""Serves the files under /static from memory, compressed once and cached by browsers.

All files are read when the server starts. Pages link to ``/static/<digest of all files>/<path>``, which
browsers cache for a year; an update has another digest. A page's modules are served as one bundle, and so are
adjacent styles (:mod:`cardlab.server.module_bundle`): the path is that of the last file, and the query names
all. Plain addresses still work; browsers revalidate them.

The query of a bundle is signed with the server's secret key, so that only bundles that a page links to are
built. Pages from before a restart, or from another server with the same key, still find their bundles.

oTree's debug mode disables all this, so that changes are seen at once.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import hmac
import logging
import mimetypes
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import otree.templating.loader
from otree import settings
from otree.common2 import OTreeStaticFiles, static_files_app
from starlette.responses import HTMLResponse
from starlette.types import Scope, Send

from cardlab import folders
from cardlab.core.patch import Patch
from cardlab.live.lab import LAB
from cardlab.server import module_bundle

logger = logging.getLogger("cardlab.static")

PREFIX = "/static/"
CACHE_ONE_YEAR = b"public, max-age=31536000, immutable"
REVALIDATE = b"no-cache"
MIN_COMPRESSED_BYTES = 500
TYPES = {
    **{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".ico": "image/x-icon"},
    ".woff2": "font/woff2",
}
TEXTS = ("text/", "image/svg+xml", "application/json")
MAX_BUNDLES = 200  # in the cache; Card Lab's own pages link to some thirty
NO_SUCH_BUNDLE = b"There is no such file.\n"

_MODULE = re.compile(r'<script type="module"([^>]*?) src="/static/([^"?]+)"([^>]*)></script>\s*')
_STYLE_LINK = r'<link rel="stylesheet" href="/static/[^"?]+">\s*'
_STYLES = re.compile(
    f"{_STYLE_LINK}(?:{_STYLE_LINK})*"
)  # begins with a constant, so that it is found quickly
_STYLE = re.compile(r'href="/static/([^"?]+)"')
_LINKED = re.compile(r'"/static/([^"?]+)"')  # in an element, or in a script's data


class Reply(NamedTuple):
    """A response, with headers as in ASGI."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class File(NamedTuple):
    """A file's content type, content, compressed content if that is smaller, and ETag."""

    content_type: str
    content: bytes
    compressed: bytes | None
    etag: bytes


class StaticFiles:
    """The files of some folders; of two files with one path, that in the first folder is served."""

    def __init__(self, folders: Iterable[Path], secret: str) -> None:
        """``secret`` signs the addresses of bundles."""
        self._secret = secret.encode()
        self._contents: dict[str, bytes] = {}
        for folder in folders:
            for file in sorted(Path(folder).rglob("*")):
                path = file.relative_to(folder).as_posix()
                if file.is_file() and not is_hidden(path):
                    self._contents.setdefault(path, file.read_bytes())
        self._file = cache(self._read)
        self._bundles: dict[tuple[str, ...], File | None] = {}
        self._build_lock = threading.Lock()

    @cached_property
    def digest(self) -> str:
        """The digest of all contents and of the bundling code."""
        contents_hash = hashlib.sha256(Path(module_bundle.__file__).read_bytes())
        for path, content in sorted(self._contents.items()):
            contents_hash.update(f"{path} {len(content)} ".encode() + content)
        return contents_hash.hexdigest()[:12]

    def address(self, path: str) -> str:
        """Returns a file's cached address."""
        return f"{PREFIX}{self.digest}/{path}"

    # Pages.

    def with_cached_addresses(self, html: str) -> str:
        """Returns a page that links to cached addresses, with one bundle of modules and bundles of styles."""
        html = self._with_one_module(html)
        html = _STYLES.sub(lambda match: self._one_style(match[0]), html)
        return _LINKED.sub(self._quote_address, html)

    def _quote_address(self, match: re.Match[str]) -> str:
        return f'"{self.address(match[1])}"' if match[1] in self._contents else match[0]

    def _with_one_module(self, html: str) -> str:
        """Replaces the modules of a page by one bundle in the place of the first.

        Like modules, the bundle runs after the page has been parsed. A script element with an id or data
        attributes stays, because its module reads them.
        """
        scripts = list(_MODULE.finditer(html))
        address = self._one_address([script[2] for script in scripts]) if scripts else None
        if address is None:
            return html
        parts, end = [], 0
        for script in scripts:
            parts.append(html[end : script.start()])
            if script is scripts[0]:
                parts.append(f'<script type="module" src="{address}"></script>\n')
            if attributes := f"{script[1]} {script[3]}".strip():
                parts.append(f'<script type="module" {attributes}></script>\n')
            end = script.end()
        return "".join([*parts, html[end:]])

    def _one_style(self, links: str) -> str:
        paths = _STYLE.findall(links)
        address = self._one_address(paths) if len(paths) > 1 else None
        return links if address is None else f'<link rel="stylesheet" href="{address}">\n'

    def _one_address(self, paths: Sequence[str]) -> str | None:
        """Returns the address of a bundle; None if the files cannot be bundled."""
        paths = tuple(dict.fromkeys(paths))
        if self.bundle(paths) is None:
            return None
        names = ",".join(paths)
        return f"{self.address(paths[-1])}?of={names}~{self._signature(names)}"

    def _signature(self, names: str) -> str:
        """Returns the signature of a bundle's names, which are separated by commas."""
        return hmac.new(self._secret, f"bundle {names}".encode(), "sha256").hexdigest()[:24]

    # Files.

    def reply(self, path: str, query: str, headers: Mapping[bytes, bytes]) -> Reply | None:
        """Returns the response to a request below /static; None if oTree has to serve it.

        Builds a bundle that has not been built yet, which takes up to 0.1 s (:meth:`bundle_to_build`).
        """
        digest, _separator, file_path = path.partition("/")
        if digest == self.digest and query:
            paths = self._files_of_query(file_path, query)
            content = self.bundle(paths) if paths else None
            return _reply(content, True, headers) if content else _not_found()
        if cached := digest == self.digest:
            path = file_path
        return _reply(self._file(path), cached, headers) if path in self._contents else None

    def bundle_to_build(self, path: str, query: str) -> tuple[str, ...] | None:
        """Returns the files of a requested bundle; None if it is built or has no valid signature."""
        digest, _separator, file_path = path.partition("/")
        paths = self._files_of_query(file_path, query) if digest == self.digest and query else None
        return paths if paths and paths not in self._bundles else None

    def bundle(self, paths: tuple[str, ...]) -> File | None:
        """Returns a bundle, built once; None if the files cannot be bundled."""
        with self._build_lock:
            if paths not in self._bundles:
                while len(self._bundles) >= MAX_BUNDLES:
                    del self._bundles[next(iter(self._bundles))]
                self._bundles[paths] = self._built(paths)
            return self._bundles[paths]

    def _files_of_query(self, path: str, query: str) -> tuple[str, ...] | None:
        """Returns the files in a query, the last of which is ``path``; None without a valid signature."""
        names, _sign, signature = parse_qs(query).get("of", [""])[0].rpartition("~")
        paths = tuple(names.split(","))
        signed = hmac.compare_digest(signature.encode(), self._signature(names).encode())
        return paths if signed and paths[-1] == path else None

    def _text(self, path: str) -> str:
        if path not in self._contents:
            raise module_bundle.UnsupportedSyntax(f"{path} does not exist.")
        return self._contents[path].decode("utf-8-sig")

    def _read(self, path: str) -> File:
        kind = TYPES.get(Path(path).suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
        return make_file(kind, self._contents[path])

    def _built(self, paths: tuple[str, ...]) -> File | None:
        join = module_bundle.bundle_styles if paths[-1].endswith(".css") else module_bundle.bundle_modules
        try:
            text = join(paths, self._text, self.address)
        except (module_bundle.UnsupportedSyntax, UnicodeDecodeError) as error:
            logger.warning("%.200s are sent separately: %s", ", ".join(paths), error)
            return None
        return make_file(TYPES[Path(paths[-1]).suffix], text.encode()) if "." in paths[-1] else None


class VisibleFiles(OTreeStaticFiles):
    """oTree's static files without programs and hidden files. An invalid path is not found."""

    def get_directories(self, *arguments: Any, **keywords: Any) -> list[str | os.PathLike[str]]:
        """Returns the folders that are searched: oTree's, then that of an installed Card Lab."""
        directories = super().get_directories(*arguments, **keywords)
        return [*directories, folders.OWN / "_static"] if folders.IS_INSTALLED else directories

    async def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Returns the file's full path and status; None for the status if there is no such file."""
        if is_hidden(path):
            return "", None
        try:
            path_and_status: tuple[str, os.stat_result | None] = await super().lookup_path(path)
        except (OSError, ValueError):  # a file in place of a folder, a name too long, a null byte
            return "", None
        return path_and_status


def is_hidden(path: str) -> bool:
    """Returns whether a file is never served: a program, or a name that begins with a dot."""
    return path.endswith((".py", ".pyc")) or any(part.startswith(".") for part in path.split("/"))


def make_file(kind: str, content: bytes) -> File:
    """Returns a file of a content type; texts are compressed."""
    text = kind.startswith(TEXTS)
    small = gzip.compress(content, 9, mtime=0) if text and len(content) >= MIN_COMPRESSED_BYTES else None
    tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'.encode()
    return File(f"{kind}; charset=utf-8" if text else kind, content, small, tag)


def _reply(file: File, cached: bool, request: Mapping[bytes, bytes]) -> Reply:
    headers = [(b"etag", file.etag), (b"cache-control", CACHE_ONE_YEAR if cached else REVALIDATE)]
    if file.compressed:
        headers.append((b"vary", b"accept-encoding"))
    if request.get(b"if-none-match") == file.etag:
        return Reply(304, headers, b"")
    body = file.content
    if file.compressed and b"gzip" in request.get(b"accept-encoding", b""):
        body = file.compressed
        headers.append((b"content-encoding", b"gzip"))
    headers += [(b"content-type", file.content_type.encode()), (b"content-length", str(len(body)).encode())]
    return Reply(200, headers, body)


def _not_found() -> Reply:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    return Reply(404, [*headers, (b"content-length", str(len(NO_SUCH_BUNDLE)).encode())], NO_SUCH_BUNDLE)


def _page(text: str) -> HTMLResponse:
    """Returns the response with a page that oTree has rendered."""
    files = LAB.static_files.files
    return HTMLResponse(files.with_cached_addresses(text) if files else text)


class StaticLayer:
    """Answers requests for static files before oTree, without its lock."""

    def __init__(self) -> None:
        self.files: StaticFiles | None = None  # none in debug mode
        self._build_lock = asyncio.Lock()

    def begin(self) -> None:
        """Reads the files when the server starts. In debug mode oTree reads them each time."""
        if not settings.DEBUG:
            self.files = StaticFiles(map(Path, static_files_app.all_directories), settings.SECRET_KEY)

    async def answer(self, scope: Scope, send: Send) -> bool:
        """Answers a request for a file that exists; returns whether it was one."""
        path: str = scope["path"]
        if self.files is None or not path.startswith(PREFIX) or scope["method"] not in ("GET", "HEAD"):
            return False
        query = scope.get("query_string", b"").decode("latin-1")
        await self._build(self.files, path[len(PREFIX) :], query)
        reply = self.files.reply(path[len(PREFIX) :], query, dict(scope["headers"]))
        if reply is None:
            return False
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.headers})
        body = b"" if scope["method"] == "HEAD" else reply.body
        await send({"type": "http.response.body", "body": body})
        return True

    async def _build(self, files: StaticFiles, path: str, query: str) -> None:
        """Builds a bundle in a thread, if a page linked to it before the server was restarted."""
        if files.bundle_to_build(path, query):
            async with self._build_lock:  # many browsers may ask for the same one, and threads are few
                if paths := files.bundle_to_build(path, query):
                    await asyncio.get_running_loop().run_in_executor(None, files.bundle, paths)


PATCHES = (
    Patch(
        *(otree.templating.loader, "HTMLResponse", _page, "speed", "094ccd9dfa98bdee"),
        "Browsers cache files for a year and get modules as one bundle: with 100 ms of latency the first "
        "board takes 1.5 instead of 2.3 s.",
    ),
)
