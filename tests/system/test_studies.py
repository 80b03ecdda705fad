"""Tests sessions of one study: who is kept out because they took part before."""

import csv
import io
import json

import pytest
import requests
from server_fixture import REST_KEY, LabServer
from tabs import Socket
from test_slots_on_arrival import link_of, visit

from cardlab.operations.command_line import command_line
from cardlab.operations.terminal import Refusal

CODES = {"excluded_code": "BEFORE", "refused_code": "NO", "completion_code": "DONE"}


@pytest.fixture
def create(server):
    """Creates sessions in which nobody has to read instructions."""

    def create(config="triangle_standard", participants=4, **fields):
        return server.create_session(
            config, participants, **{"slots": "on_arrival", "check": False, "hands": 1, **CODES, **fields}
        )

    return create


def page_of(server, session, label):
    """Opens the session's link in a new browser; returns the page."""
    with requests.Session() as http:
        http.trust_env = False
        return http.get(link_of(server, session), params={"participant_label": label}).text


def is_kept_out(page):
    return "You took part in this study, or in one like it, before." in page


def test_label_takes_part_in_a_study_once(server, create):
    first = create(study="once")
    assert not is_kept_out(page_of(server, first, "anna"))
    second = create(study="once", exclude_studies="other, once")
    page = page_of(server, second, "anna")
    assert is_kept_out(page)
    assert ">BEFORE<" in page
    assert not is_kept_out(page_of(server, second, "bert"))
    assert not is_kept_out(page_of(server, second, "bert")), "who comes back is in their own slot"
    assert not is_kept_out(page_of(server, create(study="third"), "anna"))
    rows = csv.DictReader(io.StringIO(server.api(f"/api/payments/{second.code}").decode()))
    assert [(row["participant_label"], row["status"], float(row["total"])) for row in rows] == [
        ("anna", "excluded", 0),
        ("bert", "not finished", 5),
    ]


def test_register_outlives_the_session(server, create):
    """And has no label in clear text."""
    first = create(study="deleted")
    page_of(server, first, "a secret label")
    with Socket(server, "/delete_sessions") as researcher:
        researcher.send(json.dumps([first.code]))
        researcher.receive()
    assert server.query("SELECT * FROM otree_session WHERE code = ?", first.code) == []
    entries = server.query("SELECT * FROM card_lab_study_label WHERE study = 'deleted'")
    assert len(entries) == 1
    assert "secret" not in str(entries)
    assert is_kept_out(page_of(server, create(exclude_studies="deleted"), "a secret label"))


def test_fixed_slots_exclude_too(server, create):
    first = create(study="fixed", slots="fixed", participants=3, exclude_studies="fixed")
    assert not is_kept_out(page_of(server, first, "anna"))
    other = f"{first.start_urls[2]}?participant_label=anna"
    with requests.Session() as http:
        http.trust_env = False
        assert is_kept_out(http.get(other).text), "a second slot with the same label"
        bert = http.get(f"{first.start_urls[1]}?participant_label=bert")
        assert not is_kept_out(bert.text)


def test_rooms_exclude_labels(server, create):
    page_of(server, create(study="rooms"), "PC01")
    server.api(
        "/api/sessions",
        {
            "session_config_name": "triangle_standard",
            "num_participants": 2,
            "room_name": "typed",
            "modified_session_config_fields": {"exclude_studies": "rooms", **CODES},
        },
    )
    room = f"{server.url}/room/typed?welcome_page_ok=1&participant_label="
    for label, kept_out in (("PC01", True), ("PC02", False)):
        with requests.Session() as http:
            http.trust_env = False
            assert is_kept_out(http.get(room + label).text) == kept_out


def test_treatments_of_a_study_are_excluded(server, create):
    treated = server.create_session("ttt_pay_moves_time", 4, study="treated", slots="on_arrival", check=False)
    labels = ["anna", "bert", "carl", "dora"]
    for label in labels:
        page_of(server, treated, label)
    asked = {"participant_vars": ["treatment"]}
    found = json.loads(server.api(f"/api/get_session/{treated.code}", asked))["participants"]
    had = {one["label"]: one["treatment"] for one in found}
    assert sorted(had.values()) == ["pay_moves", "pay_moves", "pay_time", "pay_time"]
    later = create(exclude_treatments="treated/pay_time, other/pay_moves")
    for label in labels:
        assert is_kept_out(page_of(server, later, label)) == (had[label] == "pay_time")


def test_refusing_consent_leaves_no_entry(server, create):
    session = server.create_session("two_games", 2, slots="on_arrival", study="refused", **CODES)
    visitor = visit(server, session, label="carl")
    count = "SELECT count(*) FROM card_lab_study_label WHERE study = 'refused'"
    assert server.query(count) == [(1,)]
    assert visitor.name == "Consent"
    visitor.send(agreed="no")
    assert ">NO<" in visitor.page.text
    assert server.query(count) == [(0,)]


def test_unknown_study_is_announced(server, create):
    session = create(study="known", exclude_studies="known, unknown", exclude_treatments="pilot/a")
    comment = server.api(f"/api/sessions/{session.code}").decode()
    for study, is_told in (("unknown", True), ("pilot", True), ("known", False)):
        assert (f"No label of the study {study} is registered yet" in comment) == is_told


@pytest.fixture
def run_labels(monkeypatch, capsys):
    """Runs ``lab.py labels`` for a server; returns what it prints."""
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)

    def run(server, *arguments):
        options = command_line().parse_args(["labels", *map(str, arguments), "--url", server.url])
        assert options.do(options) == 0
        return capsys.readouterr().out.strip()

    return run


def test_servers_exchange_labels(server, create, tmp_path, run_labels):
    """As hashes with one key; a server with another key refuses them."""
    with (
        LabServer(tmp_path / "same") as same,
        LabServer(tmp_path / "other", environment={"CARD_LAB_LABEL_KEY": "another"}) as other,
    ):
        page_of(server, create(study="shared"), "anna")
        assert run_labels(server, "--to", tmp_path / "labels.csv").startswith("The labels of all studies")
        text = (tmp_path / "labels.csv").read_text()
        assert "shared" in text
        assert "anna" not in text
        add = "--from", tmp_path / "labels.csv"
        assert run_labels(same, *add) == f"Labels added: {len(text.splitlines()) - 1}"
        assert run_labels(same, *add) == "Labels added: 0"
        fields = {"slots": "on_arrival", "check": False, "exclude_studies": "shared"}
        session = same.create_session("triangle_standard", 4, **fields)
        assert is_kept_out(page_of(same, session, "anna"))
        assert not is_kept_out(page_of(same, session, "bert"))
        assert run_labels(same, "--forget", "anna").startswith("Entries deleted: ")
        again = same.create_session("triangle_standard", 4, **fields)
        assert not is_kept_out(page_of(same, again, "anna"))
        with pytest.raises(Refusal, match="were hashed with the key"):
            run_labels(other, *add)
        (tmp_path / "labels.csv").write_text("study,label\n")
        with pytest.raises(Refusal, match="This is no file of labels"):
            run_labels(same, *add)
