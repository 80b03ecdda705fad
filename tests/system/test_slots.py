"""Tests adding slots to a running session: all or none, without changing other deals."""

import json
import re
import urllib.error

import pytest
import requests
from server_fixture import REST_KEY
from tabs import Tab, Visitor

from cardlab.operations import slots as command
from cardlab.operations.terminal import Refusal

APPS = {  # config -> its app, the field with the openings, and fields that give each participant own deals
    "triangle_hard": ("triangle_app", "opening", {"own_deals": True, "hands": 2}),
    "challenge_tutorial": ("challenge_app", "openings", {"same_deals": False}),
}


@pytest.fixture
def http():
    with requests.Session() as browser:
        browser.trust_env = False
        yield browser


def dealt(server, session, app, field):
    """Returns the openings of each round."""
    rows = server.query(
        f"SELECT s.{field} FROM {app}_subsession s JOIN otree_session o ON o.id = s.session_id "
        "WHERE o.code = ? ORDER BY s.round_number",
        session.code,
    )
    return [text.splitlines() for (text,) in rows]


def rows_of(server, session, app):
    """Returns participant, round and place in the group of each player."""
    return server.query(
        f"SELECT p.id_in_session, y.round_number, y.id_in_group, p._max_page_index FROM {app}_player y "
        "JOIN otree_participant p ON p.id = y.participant_id JOIN otree_session o ON o.id = p.session_id "
        "WHERE o.code = ? ORDER BY 1, 2",
        session.code,
    )


def added(server, session, count):
    return json.loads(server.api(f"/api/slots/{session.code}", {"slots": count}))


def refused(server, session, count):
    with pytest.raises(urllib.error.HTTPError) as answer:
        added(server, session, count)
    assert answer.value.code == 400
    return answer.value.read().decode()


@pytest.mark.parametrize("config", APPS)
def test_added_participants_are_like_the_others(server, config):
    app, field, fields = APPS[config]
    session = server.create_session(config, 2, check=False, **fields)
    larger = server.create_session(config, 4, check=False, **fields)
    first = Visitor(server, session.participants[0])
    before = first.sit_down()
    answer = added(server, session, 2)
    assert answer["num_participants"] == 4
    assert [one["id_in_session"] for one in answer["participants"]] == [3, 4]
    assert dealt(server, session, app, field) == dealt(server, larger, app, field)
    if (
        app == "triangle_app"
    ):  # in the other app, a participant waiting alone for the computer is in a separate group until then
        assert rows_of(server, session, app) == rows_of(server, larger, app)
    late = Visitor(server, answer["participants"][1]["code"])
    tab = late.sit_down()
    assert tab.state["view"] != before.state["view"]
    assert Tab(server, first.code, first.index).state["view"] == before.state["view"]


def test_visitor_without_free_slot_is_redirected(server, http):
    session = server.create_session("triangle_hard", 1, room_name="open", check=False, own_deals=True)
    room, free = f"{server.url}/room/open?welcome_page_ok=1", f"{server.url}/cardlab/free/room/open"
    assert http.get(free).json() == {"free": True}
    assert "/Instructions/" in http.get(room).url
    full = requests.get(room, proxies={})
    assert (full.status_code, full.headers["Retry-After"]) == (503, "10")
    assert "All seats are taken" in full.text
    assert "tell the person running the study" in full.text
    assert http.get(free).json() == {"free": False}

    page = f"{server.url}/cardlab/slots/{session.code}"
    form = http.get(page).text
    assert "<b>1</b>. Taken: <b>1</b>." in form
    token = dict(re.findall(r'name="(csrftoken)" value="(\d+)"', form))
    assert http.post(page, data={"slots": "2"}).status_code == 403
    for wrong in ("", "0", "201", "two", "²", "1.5", "9" * 400):
        response = http.post(page, data={**token, "slots": wrong})
        assert "must be a whole number from 1 to 200" in response.text, wrong
    response = http.post(page, data={**token, "slots": "2"}).text
    assert "Slots added: 2." in response
    assert "<b>3</b>. Taken: <b>1</b>." in response
    assert http.get(free).json() == {"free": True}
    assert "/Instructions/" in requests.get(room, proxies={}).url
    assert len(json.loads(server.api(f"/api/get_session/{session.code}", {}))["participants"]) == 3
    assert "Slots 2 to 3 were added while the session was running." in http.get(
        f"{server.url}/SessionEditProperties/{session.code}"
    ).text  # fmt: skip


def test_invalid_request_for_slots_adds_none(server, http, monkeypatch, capsys):
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)
    groups = server.create_session("matrix_two", 2)
    own = server.folder / "deals" / "triangle" / "to_be_changed.txt"
    own.write_text((server.folder / "deals" / "triangle" / "standard.txt").read_text("utf-8"), "utf-8")
    changed = server.create_session("triangle_standard", 2, deal_file=own.name, own_deals=True)
    own.write_text("\n".join(reversed(own.read_text("utf-8").splitlines())), "utf-8")
    before = server.row_counts()
    assert "participants play matrix_game_app together" in refused(server, groups, 2)
    assert (
        "participants play matrix_game_app together"
        in http.get(f"{server.url}/cardlab/slots/{groups.code}").text
    )
    assert "would now deal differently" in refused(server, changed, 2)
    own.unlink()
    assert "cannot be repeated: to_be_changed.txt" in refused(server, changed, 2)
    for wrong in (0, -1, 1.5, True, "2", None, [1]):
        assert "must be a whole number from 1 to 200" in refused(server, changed, wrong)
    for code, words in (
        (groups.code, "play matrix_game_app together"),
        ("nowhere", "There is no session"),
        ("?", "letters"),
    ):
        with pytest.raises(Refusal, match=words):
            command.add_slots(code, 2, server.url)
    assert server.row_counts() == before
    alone = server.create_session("ttt_demo", 1)
    assert command.add_slots(alone.code, 1, server.url) == 0
    link = capsys.readouterr().out.split()[-1]
    assert "/Instructions/" in http.get(link).url
