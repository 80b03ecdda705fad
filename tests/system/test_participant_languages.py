"""Tests one session in several languages: pages, messages over sockets, and the data."""

import csv
import re

import pytest
import requests
from matrix_table import together
from tabs import Tab, Visitor, creation_error

from cardlab.operations.languages import catalogues, translations

ITALIAN, GERMAN = (
    translations(catalogues()[language].read_text("utf-8"), language) for language in ("it", "de")
)
TITLE = re.compile(r'id="_otree-title">([^<]*)<')


def language_of(page):
    return re.search(r'<html lang="([\w-]+)"', page.text)[1]


def open_link(server, code, query=""):
    """Opens the start link in a separate client; returns the client and the page."""
    browser = requests.Session()
    browser.trust_env = False
    browser.cookies.update(server.browser)
    return browser, browser.get(f"{server.url}/InitializeParticipant/{code}{query}")


def visitor_in(server, code, language):
    """Returns a visitor whose start link names a language."""
    open_link(server, code, f"?language={language}")
    return Visitor(server, code)


def participants(server, session):
    rows = csv.DictReader(server.export(session.code, function="custom_export_participants").splitlines())
    return {row["participant_code"]: row for row in rows}


def test_participants_play_in_their_languages(server):
    session = server.create_session("ttt_demo", 3, tutorial="free", MaxRounds="1")
    english, italian, german = (
        visitor_in(server, code, language) for code, language in zip(session.participants, ("", "it", "de"))
    )
    visitors = {"en": english, "it": italian, "de": german}
    tabs = {}
    for language, visitor in visitors.items():
        visitor.walk_to("Hand")
        assert language_of(visitor.page) == language
        tabs[language] = Tab(server, visitor.code, visitor.index)
    assert TITLE.search(italian.page.text)[1] == ITALIAN["Hand {number} of {of}"].format(number=1, of=3)
    assert TITLE.search(german.page.text)[1] == GERMAN["Hand {number} of {of}"].format(number=1, of=3)
    stale = "The board changed. This is the current position."
    refused = {language: tab.refused("P", number=99)["refused"] for language, tab in tabs.items()}
    assert refused == {"en": stale, "it": ITALIAN[stale], "de": GERMAN[stale]}
    old = "This page is out of date. Please reload it."
    refused = {language: tab.refused("P", hand=99)["refused"] for language, tab in tabs.items()}
    assert refused == {"en": old, "it": ITALIAN[old], "de": GERMAN[old]}

    # A reload, a later visit and a restart keep the language; so does a link with an unknown language.
    server.kill9()
    server.start()
    for query in ("", "?language=xx", "?language="):
        _browser, page = open_link(server, german.code, query)
        assert language_of(page) == "de"
    for tab in tabs.values():
        tab.drop_connection()
    rows = participants(server, session)
    assert [rows[code]["language"] for code in session.participants] == ["", "it", "de"]
    actions = csv.DictReader(server.export(session.code).splitlines())
    reasons = {row["reason"] for row in actions if row["accepted"] == "0"}
    assert reasons == {stale}, "data are in English"

    # Another link changes the language, for all pages until the end.
    italian = visitor_in(server, italian.code, "de")
    while italian.name == "Hand":
        with Tab(server, italian.code, italian.index) as tab:
            while tab.state.get("over") is None:
                tab.send_action("P")
        italian.send()
    assert italian.name == "Results"
    assert GERMAN["Your results"] in italian.page.text


def test_co_players_read_their_own_languages(server):
    table = together(server, games=1, absent_after=2)
    seats = {seat: player.visitor for seat, player in table.players.items()}
    for seat, language in (("S", "it"), ("W", "de")):
        open_link(server, seats[seat].code, f"?language={language}")
    tabs = {seat: Tab(server, one.code, one.index) for seat, one in seats.items()}
    words = {"S": ITALIAN, "W": GERMAN}
    for seat, tab in tabs.items():
        sentence = "The board changed. This is the current position."
        assert (
            tab.refused(table.harness.moves(tab.state["view"])[0], number=77)["refused"]
            == (words[seat][sentence])
        )


def test_errors_and_room_are_in_the_language(server):
    session = server.create_session("ttt_demo", 1, room_name="open")
    accept = {"Accept": "text/html"}
    browser = requests.Session()
    browser.trust_env = False
    welcome = browser.get(f"{server.url}/room/open?language=it")
    assert language_of(welcome) == "it"
    page = browser.get(f"{server.url}/room/open?language=it&welcome_page_ok=1")
    assert (language_of(page), page.status_code) == ("it", 200)
    missing = browser.get(f"{server.url}/p/nobody/x/Y/1", headers=accept)
    lost = "There is no page at this address. Please check the link, or ask for help."
    assert (missing.status_code, language_of(missing)) == (404, "it")
    assert ITALIAN[lost] in missing.text
    other = requests.get(f"{server.url}/p/nobody/x/Y/1", headers=accept)
    assert (language_of(other), lost in other.text) == ("en", True)
    assert language_of(browser.get(f"{server.url}/SessionProgress/{session.code}")) == "en"
    taken = requests.get(f"{server.url}/InitializeParticipant/{session.participants[0]}?language=de")
    assert (taken.status_code, language_of(taken)) == (403, "de")
    full = requests.get(f"{server.url}/room/open?language=de&welcome_page_ok=1")
    assert language_of(full) == "de"


@pytest.mark.parametrize("separator", [",", ";"])
def test_label_file_has_languages(server, separator):
    folder = server.folder / "treatments"
    rows = ["label,treatment,language", "PC01,a,it", "PC02,a,", "PC03,b,", "PC04,b,DE"]
    (folder / "who.csv").write_text("\n".join(rows).replace(",", separator), "utf-8")
    treatments = 'assignment = "by_label"\nlabels = "who.csv"\n[a]\n[b]\nMaxRounds = 1\n'
    (folder / "by_label.toml").write_text(treatments, "utf-8")
    session = server.create_session("ttt_demo", 5, treatments="by_label.toml")
    labels = ["PC01", "PC02", "PC03", "PC04", "PC05"]
    shown = [
        language_of(Visitor(server, code, label).page) for code, label in zip(session.participants, labels)
    ]
    assert shown == ["it", "en", "en", "de", "en"]
    (folder / "who.csv").write_text("\n".join([*rows, "PC05,a,xx"]).replace(",", separator), "utf-8")
    wrong = creation_error(server, "ttt_demo", treatments="by_label.toml")["error"]
    assert (
        "who.csv, line 6: Column language: 'xx' is not a language of this server. Write one of en," in wrong
    )
