"""Tests a whole study as a participant: consent, screening, two games, a custom app, questionnaire.

The custom apps are the examples of the documentation.
"""

from __future__ import annotations

import codecs
import csv
import html
import io
import json
import pickle
import re
import urllib.error

import pytest
import requests
from server_fixture import LabServer
from tabs import Tab, Visitor, advance, creation_error
from test_slots_on_arrival import visit

from tests.pages_of_docs import all_pages, blocks

STUDY = """
_study = [
    consent(),
    "screening_app",
    ttt_solo(ShowFileName="demo.txt", practice_hands=0, check=False, MaxRounds="1", payoff_base=1000.0),
    triangle(hands=1, check=False),
]
SESSION_CONFIGS += [
    sequence("study", "a study", "", *_study, "risk_app", questionnaire(questions="age strategy"),
             tutorial="free", pay_rounding=0.5,
             completion_url="https://example.org/end?who={label}&cc={code}", completion_code="DONE-1",
             refused_code="NO-1", screened_out_code="OUT-1"),
    sequence("last_is_mine", "ends with an app of mine", "", consent(), "risk_app", tutorial="free"),
    sequence("meeting", "they wait for each other", "", consent(), "meeting_app"),
    sequence("groups", "groups", "", consent(), matrix_game(games=1, gather_seconds=1), tutorial="free"),
    sequence("two_partners", "two games with partners", "", matrix_game(games=1), challenge(group_size=2),
             check=False, slots="on_arrival"),
]
"""


MEETING = """
from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, Page, WaitPage

C = type("C", (BaseConstants,), {"NAME_IN_URL": "meeting", "PLAYERS_PER_GROUP": None, "NUM_ROUNDS": 1})
Subsession, Group = type("Subsession", (BaseSubsession,), {}), type("Group", (BaseGroup,), {})
Player = type("Player", (BasePlayer,), {})

class All(WaitPage):
    wait_for_all_groups = True

class Together(Page):
    pass

page_sequence = [All, Together]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Provides a server with the documentation's example apps."""
    lab_server = LabServer(tmp_path_factory.mktemp("server") / "card_lab")
    shown = blocks(all_pages())
    for block in shown:
        if name := re.fullmatch(r"<!-- app: (\S+) -->", block.marker):
            file = lab_server.folder / name[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.code, "utf-8")
    screening = "{{ block content }}{{ formfields }}{{ next_button }}{{ endblock }}"
    (lab_server.folder / "screening_app" / "Screening.html").write_text(screening, "utf-8")
    (lab_server.folder / "meeting_app").mkdir()
    (lab_server.folder / "meeting_app" / "__init__.py").write_text(MEETING, "utf-8")
    (lab_server.folder / "meeting_app" / "Together.html").write_text("{{ block content }}{{ endblock }}")
    with open(lab_server.folder / "settings.py", "a", encoding="utf-8") as settings:
        settings.write(STUDY)
        settings.writelines(block.code for block in shown if block.marker == "<!-- settings -->")
    with lab_server as running:
        yield running


def text_of(visitor: Visitor) -> str:
    """Returns the text of the page without markup."""
    body = re.sub(r"<script.*?</script>", " ", visitor.page.text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def link_of(visitor: Visitor) -> str | None:
    found = re.search(r'<a class="btn[^"]*" href="([^"]+)"', visitor.page.text)
    return found and html.unescape(found[1])


def table(server: LabServer, session: str, app: str, function: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(server.export(session, app, function))))


def status(server: LabServer, session: str) -> dict[str, str]:
    rows = json.loads(server.api(f"/api/get_session/{session}", {}))["participants"]
    return {row["code"]: row["status"] for row in rows}


def play_target_the_two(server: LabServer, visitor: Visitor) -> None:
    """Plays three hands of one move each; none is solved, and each pays a thousand points."""
    visitor.walk_to("Hand")
    while visitor.name == "Hand":
        with Tab(server, visitor.code, visitor.index) as tab:
            tab.send_action("P")
        visitor.send()


def play_whole_sequence(server, session, code):
    visitor = Visitor(server, code, "Ann 1.x")
    assert (visitor.app, visitor.name) == ("consent", "Consent")
    assert "We store your data under a code and your label: Ann 1.x." in text_of(visitor)
    visitor.send(agreed="perhaps")
    assert visitor.name == "Consent"
    visitor.send(agreed="yes")
    early = visitor.http.get(f"{server.url}/OutOfRangeNotification/{code}")
    assert early.url == visitor.page.url  # it is shown only at the end
    assert "DONE-1" not in early.text
    visitor.send(knows="False")
    play_target_the_two(server, visitor)
    assert (visitor.app, visitor.name) == ("target", "Results")
    text = text_of(visitor)
    assert "You have played all hands of this part." in text
    assert "Points 3000 Points in money €1.50" in text
    assert "Your earnings" not in text
    assert "DONE-1" not in visitor.page.text
    visitor.send()
    visitor.walk_to("Hand")
    advance(server, session.code, code)
    visitor.open_start_link()
    text = text_of(visitor)
    assert "Points 30 Points in money €3.00 All games €4.50" in text
    assert "For taking part €5.00 Your earnings so far €9.50" in text
    visitor.send()
    assert visitor.app == "risk"
    visitor.send(choice="2 euros")
    assert status(server, session.code)[code] == ""
    visitor.send(age="33", strategy="=first\nlow")
    for _again in range(2):
        text = text_of(visitor)
        assert "This is the end Thank you for taking part! Receipt" in text
        assert "For taking part €5.00 Part 1 3000 points €1.50 Part 2 30 points €3.00" in text
        assert "Your earnings €9.50" in text
        assert link_of(visitor) == "https://example.org/end?who=Ann%201.x&cc=DONE-1"
        assert "Your code: DONE-1" in text
        visitor.open_start_link()
    assert status(server, session.code)[code] == "finished"


def refuse_or_fail_screening(server, session, refuses, knows):
    visitor = Visitor(server, refuses, "b")
    visitor.send(agreed="no")
    assert "You have not agreed to take part" in text_of(visitor)
    assert link_of(visitor) == "https://example.org/end?who=b&cc=NO-1"
    assert "DONE-1" not in visitor.page.text
    assert "€" not in visitor.page.text
    visitor = Visitor(server, knows, "c")
    visitor.send(agreed="yes")
    visitor.send(knows="True")
    assert "not fit this study" in text_of(visitor)
    assert link_of(visitor) == "https://example.org/end?who=c&cc=OUT-1"
    visitor.open_start_link()
    assert "not fit this study" in text_of(visitor)


def advance_to_the_end(server, session, code):
    visitor = Visitor(server, code)
    assert "We store your data under a code, not under your name." in text_of(visitor)
    names = []
    while visitor.name != "OutOfRangeNotification":
        names.append(f"{visitor.app}/{visitor.name}")
        advance(server, session.code, code)
        visitor.open_start_link()
    assert names[:2] == ["consent/Consent", "screening/Screening"]
    assert names[-2:] == ["risk/Choice", "questionnaire/Questions"]


@pytest.fixture(scope="module")
def session(server):
    """Provides a session with one participant for each ending.

    In order: finished, refused, screened out, advanced to the end, only arrived, and never arrived.
    """
    session = server.create_session("study", 6)
    first, second, third, fourth, fifth, _sixth = session.participants
    play_whole_sequence(server, session, first)
    refuse_or_fail_screening(server, session, second, third)
    advance_to_the_end(server, session, fourth)
    Visitor(server, fifth)
    return session


def test_each_participant_reaches_an_end(server, session):
    statuses = status(server, session.code)
    ends = ["finished", "refused", "screened out", "finished", "", ""]
    assert [statuses[code] for code in session.participants] == ends


def test_later_apps_know_the_games_results(server, session):
    for code in (session.participants[0], session.participants[3]):
        ((kept,),) = server.query("SELECT _vars FROM otree_participant WHERE code = ?", code)
        stored = pickle.loads(codecs.decode(kept.encode(), "base64"))["cardlab"]
        assert [*stored] == ["ttt_solo_app", "triangle_app"]
        assert stored["ttt_solo_app"]["scores"] == [0, 0, 0]
        assert stored["triangle_app"]["outcomes"] == {"advanced": 1}


def test_tables_list_games_and_early_ends(server, session):
    codes = session.participants
    games = {
        app: {
            row["participant_code"]: row
            for row in table(server, session.code, app, "custom_export_participants")
        }
        for app in ("ttt_solo_app", "triangle_app")
    }
    earned = [
        (
            games[app][codes[0]]["payoff"],
            games[app][codes[0]]["payoff_money"],
            games[app][codes[0]]["earnings_total"],
        )
        for app in games
    ]
    assert [tuple(map(float, cells)) for cells in earned] == [(3000, 1.5, 9.5), (6000, 3, 9.5)]
    assert [games["triangle_app"][code]["ended_early"] for code in codes] == [
        *("", "refused", "screened out", "", "", "")
    ]
    assert float(games["triangle_app"][codes[1]]["earnings_total"]) == 0
    agreed = table(server, session.code, "consent_app", "custom_export_consent")
    assert [row["agreed"] for row in agreed] == ["1", "0", "1", "", "", ""]
    answers = table(server, session.code, "questionnaire_app", "custom_export_answers")
    assert [(row["age"], row["gender"], row["strategy"]) for row in answers][:2] == [
        ("33", "", "'=first low"),
        ("", "", ""),
    ]
    assert answers[3]["answered_utc"] == answers[3]["age"] == ""


def test_payments_agree_on_page_csv_and_receipts(server, session):
    codes = session.participants
    as_csv = server.api(f"/cardlab/payments/{session.code}/payments.csv").decode()
    assert as_csv == server.api(f"/api/payments/{session.code}").decode()
    rows = {row["participant_code"]: row for row in csv.DictReader(io.StringIO(as_csv))}
    assert [*rows] == codes[:5]
    first = rows[codes[0]]
    columns = ("participant_label", "participation_fee", "ttt_solo_app_points", "ttt_solo_app_money")
    assert [first[name] for name in columns] == ["Ann 1.x", "5.00", "3000.00", "1.50"]
    assert [first[name] for name in ("triangle_app_money", "other", "total")] == ["3.00", "0.00", "9.50"]
    assert not any("risk_app" in name or "consent_app" in name for name in first)
    for row in rows.values():
        parts = [float(row[name]) for name in row if name.endswith(("_money", "_fee")) or name == "other"]
        assert sum(parts) == pytest.approx(float(row["total"]))
        assert float(row["total"]) % 0.5 == 0
    assert [float(rows[code]["total"]) for code in codes[1:3]] == [0, 0]
    page = server.api(f"/SessionPayments/{session.code}").decode()
    finished, others, summary = re.split("<h3>Not finished</h3>|<h3>Summary</h3>", page)
    assert [code in finished for code in codes] == [True, False, False, True, False, False]
    assert [code in others for code in codes] == [False, True, True, False, True, False]
    assert [rows[code]["status"] for code in codes[:5]] == [
        *("finished", "refused", "screened out", "finished", "not finished")
    ]
    total = sum(float(rows[code]["total"]) for code in (codes[0], codes[3]))
    assert f"€{total:.2f}" in summary
    assert f"€{float(rows[codes[4]]['total']):.2f}" in summary.split("have not finished")[1]
    assert f"/cardlab/payments/{session.code}/receipts" in page
    receipts = server.api(f"/cardlab/payments/{session.code}/receipts").decode()
    assert [code in receipts for code in codes] == [True, False, False, True, False, False]
    assert "Participants who have not finished and have no receipt here: 1." in receipts
    assert "is-unfinished" not in receipts
    assert '">not finished</td>' in page
    assert "Ann 1.x" in receipts
    assert "<td>30 points</td><td>€3.00</td>" in re.sub(r">\s+<", "><", receipts)
    address = f"/cardlab/payments/{session.code}/receipts/not_finished"
    assert address in page
    others = server.api(address).decode()
    assert [code in others for code in codes] == [*[False] * 4, True, False]  # refusing pays nothing
    assert others.count("is-unfinished") == 1
    for nobody in (
        "/cardlab/payments/nothere/payments.csv",
        "/cardlab/payments/nothere/receipts",
        "/cardlab/payments/nothere/receipts/not_finished",
        "/api/payments/nothere",
    ):
        with pytest.raises(urllib.error.HTTPError) as answer:
            server.api(nobody)
        assert answer.value.code == 404


def test_sequence_of_the_guide_can_be_played(server):
    session = server.create_session("my_study", 1)
    visitor = Visitor(server, session.participants[0])
    visitor.send(agreed="yes")
    assert (visitor.app, visitor.name) == ("target", "Instructions")
    while visitor.name != "Choice":
        advance(server, session.code, visitor.code)
        visitor.open_start_link()
    visitor.send(choice="2 euros")
    assert visitor.app == "questionnaire"


def test_own_last_app_shows_the_completion_page(server):
    session = server.create_session("last_is_mine", 2)
    one, late = session.participants
    visitor = Visitor(server, one)
    visitor.send(agreed="yes")
    assert status(server, session.code)[one] == ""
    visitor.send(choice="2 euros")
    assert "This is the end" in text_of(visitor)
    assert "Please stay in your seat." in text_of(visitor)
    assert status(server, session.code)[one] == "finished"
    session = server.create_session("last_is_mine", 2, late_after_minutes=0.0001, late_code="LATE-1")
    one, late = session.participants
    assert Visitor(server, one).name == "Consent"
    text = text_of(Visitor(server, late))
    assert "you cannot take part this time" in text
    assert "Your code: LATE-1" in text
    assert Visitor(server, one).name == "Consent"
    assert status(server, session.code) == {one: "", late: "late"}


def test_participant_without_slot_gets_completion_code(server):
    fields = {
        "late_code": "LATE-1",
        "completion_url": "https://a.org/?l={label}&c={code}",
        "completion_code": "D",
    }
    session = server.create_session("last_is_mine", 1, room_name="open", **fields)
    ((anonymous,),) = server.query("SELECT _anonymous_code FROM otree_session WHERE code = ?", session.code)
    places = {}
    for label in ("one", "no 2", "one"):
        query = {"participant_label": label, "welcome_page_ok": "1"}
        for link in (f"/join/{anonymous}", "/room/open"):
            places[label] = requests.get(server.url + link, params=query, timeout=30, cookies=server.browser)
    assert "Your consent" in places["one"].text
    (row,) = table(server, session.code, "consent_app", "custom_export_consent")
    assert row["participant_label"] == "one"
    assert 'href="https://a.org/?l=no%202&amp;c=LATE-1"' in places["no 2"].text
    assert "Your code" in places["no 2"].text


def test_last_results_page_shows_the_completion_link(server):
    fields = {"completion_url": "https://a.org/done", "completion_code": "D-1", "show_earnings": False}
    session = server.create_session("ttt_demo", 1, MaxRounds="1", payoff_base=1000.0, **fields)
    visitor = Visitor(server, session.participants[0])
    play_target_the_two(server, visitor)
    assert visitor.name == "Results"
    assert link_of(visitor) == "https://a.org/done"
    text = text_of(visitor)
    assert "Your code: D-1" in text
    assert "Score" in text
    assert not [word for word in ("€", "Points", "Earned", "1000", "earnings") if word in text]
    rows = list(csv.DictReader(io.StringIO(server.api(f"/api/payments/{session.code}").decode())))
    assert [row["total"] for row in rows] == ["6.50"]


def test_wait_page_ignores_those_without_consent(server):
    session = server.create_session("meeting", 2)
    stays, refuses = (Visitor(server, code) for code in session.participants)
    stays.send(agreed="yes")
    assert stays.name == "All"
    refuses.send(agreed="no")
    stays.open_start_link()
    assert stays.name == "Together"
    assert status(server, session.code) == dict(zip(session.participants, ("finished", "refused")))


def test_groups_do_not_wait_for_missing_consent(server):
    session = server.create_session("groups", 2)
    stays, refuses = (Visitor(server, code) for code in session.participants)
    stays.send(agreed="yes")
    refuses.send(agreed="no")
    stays.walk_to("Results")
    assert "No partner was available" in text_of(stays)


REFUSED = {
    "no address": ({"completion_url": "javascript:alert(1)"}, "completion_url must begin with https://"),
    "no server": ({"completion_url": "https://"}, "completion_url must begin with https://"),
    "another placeholder": ({"completion_url": "https://a.org/{name}"}, "may have {label} and {code}"),
    "an open brace": ({"completion_url": "https://a.org/{"}, "braces are allowed only as"),
    "a look inside": (
        {"completion_url": "https://a.org/{label.__class__}"},
        "may have {label} and {code}",
    ),
    "a server from a label": ({"completion_url": "https://{label}.org/"}, "must begin with https://"),
    "no code": (
        {"completion_url": "https://a.org/{code}", "completion_code": "off"},
        "completion_url has {code}, so completion_code must be set.",
    ),
    "a code with a mark": ({"late_code": "<b>"}, "late_code must be off, or a code of letters, digits"),
    "lateness": ({"late_after_minutes": -1}, "late_after_minutes must be a number, 0 or more"),
    "a text": ({"consent_text": "../settings.py"}, "there is no text '../settings.py' in consent_app/"),
    "the page as its text": ({"consent_text": "Consent.html"}, "there is no text 'Consent.html'"),
    "questions": ({"questions": "age shoes"}, "questions must be some of age gender field_of_study"),
}


@pytest.mark.parametrize(("fields", "sentence"), REFUSED.values(), ids=REFUSED)
def test_session_with_invalid_ending_is_refused(server, fields, sentence):
    asked = {"session_config_name": "study", "num_participants": 1, "modified_session_config_fields": fields}
    with pytest.raises(urllib.error.HTTPError) as answer:
        server.api("/api/sessions", asked)
    assert answer.value.code == 400
    assert sentence in answer.value.read().decode()


def test_form_has_the_fields_of_one_game(server):
    text = creation_error(server, "study", **{"triangle_app.payoff_base": -1e12})
    assert "triangle_app.payoff_base must be a number" in text["error"]


def test_each_game_has_its_own_teams(server):
    """In the second game, two participants form its first group; the other two stay in the first game."""
    session = server.create_session("two_partners", 4, study="teams")
    people = [visit(server, session, label) for label in "abcd"]
    for each in people:
        each.walk_to("Gather", "Hand")
    for each in people[2:]:
        each.open_start_link()
        each.walk_to("Hand")
        advance(server, session.code, each.code)
        each.open_start_link()
        each.walk_to("Gather", "Hand")
    teams = server.query("SELECT team FROM card_lab_study_label WHERE session = ?", session.code)
    assert len({*teams}) == 2, teams
