"""Runs the examples of the REST page on a server, in order."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

from server_fixture import REST_KEY

from tests.pages_of_docs import page

TEXT = page("rest.md")


def test_documented_examples_work(server, tmp_path, monkeypatch):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "rest_key").write_text(REST_KEY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    namespace: dict = {}
    for block in re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL):
        exec(compile(block.replace("http://127.0.0.1:8000", server.url), "rest.md", "exec"), namespace)
    assert "triangle_standard" in namespace["names"]
    assert {"lab", "typed", "open"} <= {*namespace["rooms"]}
    assert namespace["link"].startswith(f"{server.url}/join/")
    assert "has no field 'hand'. Did you mean hands?" in namespace["sentence"]
    assert namespace["finished"] == []
    assert namespace["group"] == "north"
    assert namespace["code"] in namespace["codes"]
    assert sorted(namespace["people"]) == [1, 2, 3, 4]
    assert namespace["heading"].startswith("session_code,")
    stored = json.loads(server.api(f"/api/get_session/{namespace['code']}", {"session_vars": ["weather"]}))
    assert (stored["config"]["hands"], stored["weather"], len(stored["participants"])) == (1, "rain", 4)
    if shutil.which("curl"):
        command = re.search(r"^\$ (curl .*)$", TEXT, re.MULTILINE)[1].replace(
            "http://127.0.0.1:8000", server.url
        )
        answer = subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout
        assert json.loads(answer)["version"]


def test_every_documented_address_exists():
    views = Path(importlib.util.find_spec("otree").origin).parent / "views"
    source = "".join(file.read_text("utf-8") for file in (views / "rest.py", views / "export.py"))
    addresses = {path.replace("{code}", "CODE") for path in re.findall(r"url_pattern = '(/api/\S+)'", source)}
    documented = set(re.findall(r"^\|.*?`(/api/[\w/]+)`", TEXT, re.MULTILINE))
    assert len(documented) > 10
    assert documented - addresses == {
        "/api/labels",
        "/api/withdraw",
        "/api/export_browser_events",
        "/api/export_page_texts",
        "/api/export_progress",
        *(f"/api/{ours}/CODE" for ours in ("slots", "payments", "notices")),
    }
