"""Tests the documentation under /docs: who may read it, and that no other file is served."""

from __future__ import annotations

import re
import shutil

import requests
from server_fixture import LabServer

from cardlab.admin import help_pages
from cardlab.operations import documentation

PASSWORD = "only for tests"


def get(server: LabServer, path: str, http: requests.Session | None = None, **options) -> requests.Response:
    """Returns the response to a path, which is sent without normalization."""
    http = http or requests.Session()
    http.trust_env = False
    request = requests.Request("GET", server.url + path, cookies=server.browser, **options)
    prepared = http.prepare_request(request)
    prepared.url = server.url + path
    return http.send(prepared, timeout=30)


def build_site(server: LabServer) -> None:
    """Writes a small site into the server's folder, because building the real one takes seconds."""
    files = {
        "index.html": "<h1>Card Lab</h1>",
        "how-to/pay.html": "<h1>Pay</h1>",
        "_static/site.css": "p {}",
        "searchindex.js": "Search.setIndex({})",
        "_images/one.png": "PNG",
        ".buildinfo": "hidden",
    }
    shutil.rmtree(server.folder / help_pages.SITE, ignore_errors=True)
    for name, text in files.items():
        file = server.folder / help_pages.SITE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_server_and_command_mean_the_same_folder():
    assert help_pages.SITE == documentation.SITE


def test_unbuilt_site_says_how_to_build_it(lab_server):
    shutil.rmtree(lab_server.folder / help_pages.SITE, ignore_errors=True)
    answer = get(lab_server, "/docs")
    assert answer.status_code == 404
    assert "python3 lab.py docs" in answer.text


def test_documentation_pages_have_types_and_cache_headers(server):
    build_site(server)
    kinds = {
        "/docs": "text/html",
        "/docs/": "text/html",
        "/docs/how-to/pay.html": "text/html",
        "/docs/_static/site.css?v=1": "text/css",
        "/docs/searchindex.js": "text/javascript",
        "/docs/_images/one.png": "image/png",
    }
    for path, kind in kinds.items():
        answer = get(server, path)
        assert answer.status_code == 200, path
        assert answer.headers["content-type"].startswith(kind), path
        kept = help_pages.KEEP if "?v=" in path else help_pages.REVALIDATE
        assert answer.headers["cache-control"] == kept
    etag = get(server, "/docs/how-to/pay.html").headers["etag"]
    again = get(server, "/docs/how-to/pay.html", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_nothing_outside_the_site_is_served(server):
    build_site(server)
    (server.folder / "docs" / "_build" / "secret.txt").write_text("secret")
    (server.folder / "docs" / "_build" / "html" / "link.txt").symlink_to(server.folder / "settings.py")
    ways = (
        *("../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "how-to/../../secret.txt"),
        *("..\\secret.txt", "%2fetc/passwd", "/etc/passwd", ".buildinfo", "how-to", "link.txt"),
        *("none.html", "C:/x", "a%00.html"),
    )
    for way in ways:
        answer = get(server, f"/docs/{way}")
        assert answer.status_code == 404, way
        assert "secret" not in answer.text


def test_pages_need_the_login_of_the_admin(tmp_path):
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    with LabServer(tmp_path / "card_lab", environment=study) as server:
        build_site(server)
        for path in ("/docs", "/docs/index.html", "/docs/_static/site.css", "/docs/none"):
            answer = get(server, path)
            assert answer.url.endswith("/login"), path
            assert "Card Lab</h1>" not in answer.text
        http = requests.Session()
        http.trust_env = False
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', http.get(f"{server.url}/login").text))
        http.post(f"{server.url}/login", data={**token, "username": "admin", "password": PASSWORD})
        assert "<h1>Card Lab</h1>" in http.get(f"{server.url}/docs").text


def test_each_tab_links_to_its_page(server):
    build_site(server)
    code = server.create_session("ttt_demo").code
    tabs = {
        f"/SessionPayments/{code}": "/docs/how-to/pay.html",
        f"/SessionProgress/{code}": "/docs/index.html",  # the small site has no page about it
        "/rooms": "/docs/index.html",
    }
    for path, page in tabs.items():
        assert f'href="{page}"' in get(server, path).text, path
