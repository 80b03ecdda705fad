"""Tests sessions of one study, which exclude people who took part before."""

import csv
import io
import json
import re
import time

import pytest
import requests
from server_fixture import REST_KEY, LabServer
from tabs import Socket, Visitor, advance, creation_error, open_first_hand
from test_slots_on_arrival import link_of, visit

from cardlab.operations.command_line import command_line
from cardlab.operations.terminal import Refusal

CODES = {"excluded_code": "BEFORE", "refused_code": "NO", "completion_code": "DONE"}


@pytest.fixture
def create(server):
    """Provides a function that creates sessions without compulsory instructions."""

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
    assert not is_kept_out(page_of(server, second, "bert")), "a returning participant keeps their slot"
    assert not is_kept_out(page_of(server, create(study="third"), "anna"))
    rows = csv.DictReader(io.StringIO(server.api(f"/api/payments/{second.code}").decode()))
    assert [(row["participant_label"], row["status"], float(row["total"])) for row in rows] == [
        ("bert", "not finished", 5),
    ]


@pytest.mark.parametrize("slots", ["on_arrival", "fixed"])
def test_excluded_visitors_use_no_slot(server, create, slots):
    """Newcomers to a continued study use none, either, so the slots remain for those who may take part."""
    study = f"slots-{slots}"
    page_of(server, create(study=study), "anna")
    later = create(participants=1, slots=slots, exclude_studies=study)
    for _visit in range(2):
        page = page_of(server, later, "anna")
        assert is_kept_out(page)
        assert ">BEFORE<" in page
        assert "var(--icon-info)" in page
    assert not is_kept_out(page_of(server, later, "bert"))
    assert is_kept_out(page_of(server, later, "anna")), "also where all slots are taken"
    continued = create(participants=1, slots=slots, continues=study)
    for label in (None, "eva"):
        assert "people who took part in an earlier part of the study" in page_of(server, continued, label)
    assert "earlier part of the study" not in page_of(server, continued, "anna")
    assert taken_labels(server, continued) == ["anna"]


def test_advanced_participant_keeps_the_links_label(server, create):
    """This holds even if the researcher advanced somebody before arrival, and the label is excluded."""
    session = create(participants=2, slots="fixed", study="advanced", exclude_studies="advanced")
    first, advanced = session.participants
    advance(server, session.code, advanced)
    pages = [page_at_start_link(server, code, "anna") for code in (first, advanced)]
    assert [is_kept_out(page) for page in pages] == [False, True]
    assert taken_labels(server, session) == ["anna", "anna"]


def test_advanced_participant_keeps_the_treatment(server, create):
    """The researcher reads that the label, which was not known yet, has another treatment."""
    folder = server.folder / "treatments"
    (folder / "advanced.csv").write_text("label,treatment\nanna,a\nbert,b\n")
    (folder / "advanced.toml").write_text(
        'assignment = "by_label"\nlabels = "advanced.csv"\n[a]\n[b]\nhands = 2\n'
    )
    session = create(participants=2, slots="fixed", treatments="advanced.toml")
    advanced = session.participants[0]
    advance(server, session.code, advanced)
    kept = slot_treatments(server, session)[0]
    label, own = ("bert", "b") if kept == "a" else ("anna", "a")
    for code in session.participants:
        page_at_start_link(server, code, label)
    assert slot_treatments(server, session) == [kept, own]
    comment = json.loads(server.api(f"/api/get_session/{session.code}", {}))["comment"]
    assert comment.splitlines()[-1] == (
        f"Participant 1 was advanced before they arrived, and keeps the treatment {kept}. The treatment of "
        f"their label is {own}."
    )


def page_at_start_link(server, code, label):
    """Opens a participant's start link in a new browser; returns the page."""
    with requests.Session() as http:
        http.trust_env = False
        link = f"{server.url}/InitializeParticipant/{code}"
        return http.get(link, params={"participant_label": label}).text


def taken_labels(server, session):
    """Returns the labels of participants who have a slot."""
    found = json.loads(server.api(f"/api/get_session/{session.code}", {}))["participants"]
    return [one["label"] for one in found if one["label"]]


def test_register_outlives_the_session(server, create):
    """The register stores no label in clear text."""
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
    """Provides a function that runs ``lab.py labels`` for a server; it returns the output."""
    monkeypatch.setenv("OTREE_REST_KEY", REST_KEY)

    def run(server, *arguments):
        options = command_line().parse_args(["labels", *map(str, arguments), "--url", server.url])
        assert options.do(options) == 0
        return capsys.readouterr().out.strip()

    return run


def test_servers_exchange_labels(server, create, tmp_path, run_labels):
    """They exchange hashes made with one key; a server with another key refuses them."""
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
        with pytest.raises(Refusal, match="A file of labels has lines with 7 cells"):
            run_labels(same, *add)


def treatments_of(server, session):
    """Returns treatments by label."""
    asked = {"participant_vars": ["treatment"]}
    found = json.loads(server.api(f"/api/get_session/{session.code}", asked))["participants"]
    return {one["label"]: one["treatment"] for one in found if one["label"]}


@pytest.mark.parametrize("slots", ["on_arrival", "fixed"])
def test_label_continues_in_its_treatment(server, slots):
    fields = {"slots": slots, "check": False, "excluded_code": "NEW"}
    study = f"days-{slots}"
    first = server.create_session("ttt_pay_moves_time", 4, study=study, **fields)
    labels = ["anna", "bert", "carl", "dora"]
    for label in labels:
        page_of(server, first, label)
    second = server.create_session("ttt_pay_moves_time", 5, continues=study, **fields)
    page = page_of(server, second, "eva")
    assert "people who took part in an earlier part of the study" in page
    assert ">NEW<" in page
    for label in ("dora", "bert", "anna", "carl"):
        assert "earlier part of the study" not in page_of(server, second, label)
    had = treatments_of(server, first)
    assert sorted(had) == labels
    assert {label: treatments_of(server, second)[label] for label in labels} == had


@pytest.mark.parametrize("slots", ["on_arrival", "fixed"])
def test_label_continues_after_a_delay(server, create, tmp_path, run_labels, slots):
    """With any kind of link, an early visitor uses no slot and gets no code, and may take part later."""
    study = f"delay-{slots}"
    page_of(server, create(study=study), "anna")
    run_labels(server, "--to", tmp_path / "labels.csv")
    heading, *entries = (tmp_path / "labels.csv").read_text().splitlines()
    (entry,) = (line for line in entries if line.startswith(f"{study},"))
    assert abs(int(entry.rpartition(",")[2]) - time.time() / 3600) <= 1
    later = create(participants=1, slots=slots, continues=study, continues_after_hours=22)
    links = [link_of(server, later), *(later.start_urls if slots == "fixed" else ())]
    with requests.Session() as http:
        http.trust_env = False
        for link in links:
            page = http.get(link, params={"participant_label": "anna"}).text
            assert re.search("Open this link again in 2[23] hours.", page)
            assert "BEFORE" not in page
    assert taken_labels(server, later) == []
    run_labels(server, "--forget", "anna")
    earlier = f"{entry.rpartition(',')[0]},{int(entry.rpartition(',')[2]) - 23}"
    (tmp_path / "labels.csv").write_text(f"{heading}\n{earlier}\n")
    assert run_labels(server, "--from", tmp_path / "labels.csv") == "Labels added: 1"
    assert "Open this link again" not in page_of(server, later, "anna")
    assert taken_labels(server, later) == ["anna"]


def test_delay_needs_a_study(server):
    error = creation_error(server, "matrix_two", continues_after_hours=2)["error"]
    assert "continues_after_hours must be 0 where continues is off." in error


def pairs(server, session):
    """Returns the labels of participants who play together."""
    found = server.query(
        "SELECT y.group_id, p.label FROM matrix_game_app_player y "
        "JOIN otree_participant p ON p.id = y.participant_id JOIN otree_session s ON s.id = p.session_id "
        "WHERE s.code = ? AND y.round_number = 2 AND y.seat != ''",
        session.code,
    )
    return {frozenset(label for group, label in found if group == each) for each, _label in found}


@pytest.mark.long("the same as with slots on arrival", only="fixed")
@pytest.mark.parametrize("slots", ["on_arrival", "fixed"])
def test_label_continues_with_the_same_partner(server, slots):
    """Being ready first does not matter, and nobody else takes a partner's place."""
    fields = {"check": False, "games": 1, "no_shows": "robot"}
    study = f"partners-{slots}"
    first = server.create_session("matrix_two", 6, study=study, slots="on_arrival", **fields)
    for label in ("anna", "bert", "carl", "dora", "eva", "finn"):
        visit(server, first, label=label).walk_to("Gather", "Hand")
    assert pairs(server, first) == {
        *(frozenset(pair) for pair in (("anna", "bert"), ("carl", "dora"), ("eva", "finn")))
    }
    second = server.create_session(
        "matrix_two", 6, slots=slots, continues=study, same_partner=True, gather_seconds=20, **fields
    )
    begun = {}
    for label in ("eva", "anna", "dora", "bert", "carl"):
        begun[label] = visit(server, second, label=label)
        begun[label].walk_to("Gather", "Hand")
    assert begun["eva"].name == "Gather", "the partner may come"
    begun["eva"].wait_for_group()
    assert begun["eva"].name == "Hand"
    assert pairs(server, second) == {
        *(frozenset(pair) for pair in (("anna", "bert"), ("carl", "dora"), ("eva",)))
    }


def test_same_partner_needs_a_study(server):
    error = creation_error(server, "matrix_two", same_partner=True)["error"]
    assert "same_partner must be False where continues is off or partners change." in error


FACTORS = """
[factors.deals.demo]
ShowFileName = "demo.txt"
[factors.deals.mixed]
ShowFileName = "mixed.txt"
[factors.pay]
moves = { pay_by = "moves" }
time = { pay_by = "time" }
"""


def test_exports_have_a_column_per_factor(server):
    (server.folder / "treatments" / "factors.toml").write_text(FACTORS)
    session = server.create_session("ttt_static_422", 4, treatments="factors.toml", check=False)
    for number, code in enumerate(session.participants):
        with open_first_hand(server, code) as tab:
            assert tab.state, number
    seen = set()
    for function in ("custom_export", "custom_export_hands", "custom_export_participants"):
        rows = [*csv.DictReader(io.StringIO(server.export(session.code, "ttt_solo_app", function)))]
        names = [*rows[0]]
        place = names.index("treatment")
        assert names[place : place + 3] == ["treatment", "factor_deals", "factor_pay"]
        for row in rows:
            assert row["treatment"] == f"{row['factor_deals']}-{row['factor_pay']}"
            seen.add((function, row["treatment"]))
        if function == "custom_export_hands":
            assert all(
                (row["show_file"] == "demo.txt") == (row["factor_deals"] == "demo")
                for row in rows
                if row["practice"] == "0"
            )
    assert len(seen) == 12, "each treatment in each table"


def test_sessions_of_a_study_share_their_treatments(server):
    """The second session makes up for people who did not come to the first."""
    fields = {"study": "series", "check": False}
    first = server.create_session("ttt_pay_moves_time", 6, **fields)
    drawn = slot_treatments(server, first)
    came = (0, 1, 2, 4)
    for number in came:
        Visitor(server, first.participants[number])
    second = server.create_session("ttt_pay_moves_time", 8, **{**fields, "seed": 2})
    of_second = slot_treatments(server, second)
    assert of_second[:2] == [drawn[3], drawn[5]]
    together = [*(drawn[number] for number in came), *of_second]
    assert together.count("pay_moves") == together.count("pay_time") == 6
    third = server.create_session("ttt_familiar_422_442", 4, **fields)
    comment = server.api(f"/api/sessions/{third.code}").decode()
    assert "Treatments are not balanced with the earlier sessions of the study series" in comment


def slot_treatments(server, session):
    """Returns the slots' treatments, in order; "" for none yet."""
    asked = {"participant_vars": ["treatment"]}
    found = json.loads(server.api(f"/api/get_session/{session.code}", asked))["participants"]
    return [one.get("treatment", "") for one in sorted(found, key=lambda one: one["id_in_session"])]


MINIMIZED = """
assignment = "minimized"
labels = "people.csv"
covariates = ["sex"]
probability = 1
[moves]
pay_by = "moves"
[time]
pay_by = "time"
"""


@pytest.mark.parametrize("slots", ["on_arrival", "fixed"])
def test_treatments_are_minimized_on_arrival(server, slots):
    folder = server.folder / "treatments"
    (folder / "minimized.toml").write_text(MINIMIZED)
    sexes = {f"p{number}": "fm"[number % 3 == 0] for number in range(12)}
    (folder / "people.csv").write_text(
        "label,sex,language\n" + "".join(f"{one},{sex},it\n" for one, sex in sexes.items())
    )
    session = server.create_session(
        "ttt_static_422", 13, treatments="minimized.toml", slots=slots, check=False
    )
    for label in [*sexes, "stranger"]:
        page = page_of(server, session, label)
        assert ('lang="it"' in page) == (label in sexes)
    had = treatments_of(server, session)
    for sex in "fm":
        names = [had[label] for label in sexes if sexes[label] == sex]
        assert names.count("moves") == names.count("time") == len(names) / 2
    comment = server.api(f"/api/sessions/{session.code}").decode()
    assert "people.csv does not contain the label 'stranger'" in comment
    assert "as if all its covariates were empty" in comment
