"""Tests rooms: links for seats, printed cards, and typed labels."""

import html
import json
import re
import urllib.error

import pytest
import requests
from server_fixture import LabServer


@pytest.fixture
def http():
    with requests.Session() as browser:
        browser.trust_env = False
        yield browser


def links(server, http, room):
    """Returns the links on a room's cards, by label."""
    page = http.get(f"{server.url}/cardlab/links/{room}")
    assert page.status_code == 200
    found = re.findall(r"<b>(\w+)</b>\s*<a href=\"(.+?)\"", page.text)
    return {label: html.unescape(link) for label, link in found}


def come(http, link):
    """Opens a link and presses Start; returns the next page or the errors."""
    assert http.get(link).status_code == 200
    address, _, query = link.partition("?")
    parameters = dict(part.split("=") for part in query.split("&")) if query else {}
    said = http.post(address, json=parameters).json()
    if said.get("status") != "ok":
        return said["errors"]
    return http.get(address, params={**parameters, "welcome_page_ok": "1"})


def in_room(server, room):
    """Creates a session in a room; returns its code."""
    asked = {"session_config_name": "ttt_demo", "num_participants": 3, "room_name": room}
    return json.loads(server.api("/api/sessions", asked))["code"]


def labels(server, session):
    rows = json.loads(server.api(f"/api/get_session/{session}", {}))["participants"]
    return {row["label"] for row in rows if row["label"]}


@pytest.fixture
def label_file(server):
    """Provides a function that writes the rooms' label file; restores it after the test."""
    file = server.folder / "_rooms" / "lab.txt"
    before = file.read_text("utf-8")
    yield lambda text: file.write_text(text, "utf-8")
    file.write_text(before, "utf-8")


def test_label_file_of_a_room_has_languages(server, http, label_file):
    label_file("label;name;language\nPC01;Anna;it\nPC02;Bert;DE\nPC03;Carl;\n")
    session = in_room(server, "typed")
    for label, language in (("PC01", "it"), ("PC02", "de"), ("PC03", "en")):
        with requests.Session() as browser:
            browser.trust_env = False
            page = come(browser, f"{server.url}/room/typed?participant_label={label}")
            assert f'<html lang="{language}"' in page.text, label
    assert labels(server, session) == {"PC01", "PC02", "PC03"}
    assert come(http, f"{server.url}/room/typed?participant_label=Anna").keys() == {"participant_label"}
    assert [*links(server, http, "lab")] == ["PC01", "PC02", "PC03"]


def test_wrong_label_keeps_only_itself_out(server, http, label_file):
    """This holds if the file changes after the session was created; before that, the session is refused."""
    in_room(server, "typed")
    label_file("label,language\nPC01,xx\nP C02,it\n")
    page = come(http, f"{server.url}/room/typed?participant_label=PC01")
    assert '<html lang="en"' in page.text
    with pytest.raises(urllib.error.HTTPError) as refused:
        in_room(server, "typed")
    expected = "_rooms/lab.txt, line 2: Column language: 'xx' is not a language of this server."
    assert expected in refused.value.read().decode()


def test_seat_cards_are_printed_for_the_laboratory(server, http):
    seat_links = links(server, http, "lab")
    assert [*seat_links] == (server.folder / "_rooms" / "lab.txt").read_text("utf-8").split()
    assert all(
        re.fullmatch(r"http://\S+/room/lab\?participant_label=\w+&hash=\w+", it) for it in seat_links.values()
    )
    page = http.get(f"{server.url}/cardlab/links/lab").text
    codes = re.findall(r"<svg.+?</svg>", page, re.DOTALL)
    assert len({*codes}) == len(seat_links) == 30
    assert page.count("<script") == 0
    room = http.get(f"{server.url}/room_without_session/lab").text
    assert 'href="/cardlab/links/lab"' in room
    assert set(re.findall(r'href="(http://\S+?/room/lab\S+?)"', room)) == {*seat_links.values()}


def test_lab_seat_opens_only_by_its_link(server, http):
    session = in_room(server, "lab")
    seat_links = links(server, http, "lab")
    assert "/Instructions/" in come(http, seat_links["PC02"]).url
    assert labels(server, session) == {"PC02"}
    for wrong in (
        f"{server.url}/room/lab?participant_label=PC03",
        seat_links["PC02"].replace("PC02", "PC03"),
        seat_links["PC03"][:-1],
    ):
        assert come(http, wrong).keys() == {"hash"}
        address = wrong + "&welcome_page_ok=1"
        refused = http.get(address)
        assert refused.status_code == 404
        assert "Please use the link or QR code for your seat" in refused.text
    assert labels(server, session) == {"PC02"}


def test_typed_label_room_needs_only_the_label(server, http):
    session = in_room(server, "typed")
    assert come(http, f"{server.url}/room/typed?participant_label=PC07").status_code == 200
    assert labels(server, session) == {"PC07"}
    assert come(http, f"{server.url}/room/typed?participant_label=PC99").keys() == {"participant_label"}
    assert "hash" not in links(server, http, "typed")["PC07"]
    assert "takes that seat, sees its board" in http.get(f"{server.url}/room_with_session/typed").text


@pytest.mark.parametrize("room", ["open", "cellar", "..", "lab/.."])
def test_room_without_labels_has_no_cards(server, http, room):
    assert http.get(f"{server.url}/cardlab/links/{room}").status_code == 404


def test_seat_cards_need_the_login(tmp_path, http):
    environment = {"OTREE_AUTH_LEVEL": "DEMO", "OTREE_ADMIN_PASSWORD": "only for tests"}
    with LabServer(tmp_path / "card_lab", environment=environment) as server:
        refused = http.get(f"{server.url}/cardlab/links/lab")
        assert refused.url.endswith("/login")
        assert "hash=" not in refused.text
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', refused.text))
        http.post(refused.url, data={**token, "username": "admin", "password": "only for tests"})
        assert len(links(server, http, "lab")) == 30


def test_label_of_two_slots_leads_to_the_first(server, http):
    """Both start links were opened with the same label."""
    session = server.create_session("ttt_demo", 3, room_name="open")
    for link in session.start_urls[:2]:
        http.get(link, params={"participant_label": "anna"})
    page = come(http, f"{server.url}/room/open?participant_label=anna")
    assert (page.status_code, session.participants[0] in page.url) == (200, True)
