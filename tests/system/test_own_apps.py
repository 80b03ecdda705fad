"""Tests archives and withdrawals in sessions with an app that the researcher wrote."""

import csv
import io
import json
import os
import subprocess
import sys
import zipfile

import pytest
from server_fixture import REST_KEY, LabServer, wait_for
from stages import clean_environment
from tabs import Visitor

from cardlab.analysis.commands import main
from cardlab.operations import project
from tests.validators import bids_errors, frictionless_errors, psych_ds_issues

APP = """
from otree.api import *

doc = "Participants wait for each other and answer."

class C(BaseConstants):
    NAME_IN_URL = "{name}"
    PLAYERS_PER_GROUP = {size}
    NUM_ROUNDS = 1

class Subsession(BaseSubsession):
    pass

class Group(BaseGroup):
    arrived = models.IntegerField(doc="how many arrived together")

class Player(BasePlayer):
    risk = models.IntegerField(label="How much do you risk?", min=0, max=10)
    share = models.FloatField(doc="the share that was risked", initial=0.25)
    reason = models.LongStringField(label="Why?", blank=True)
    agrees = models.BooleanField(doc="whether they agree", blank=True)

class Meet(WaitPage):
    group_by_arrival_time = {by_arrival}

    @staticmethod
    def after_all_players_arrive(group):
        group.arrived = len(group.get_players())

class Answer(Page):
    form_model = "player"
    form_fields = ["risk", "reason"]

def custom_export(players):
    yield ["session", "code", "risk"]
    for player in players:
        yield [player.session.code, player.participant.code, player.field_maybe_none("risk")]

page_sequence = [Meet, Answer]
"""
PAGE = "{{ block content }}{{ formfields }}{{ next_button }}{{ endblock }}"
SETTINGS = """
SESSION_CONFIGS += [
    sequence("all_meet", "all wait", "", consent(), "all_app"),
    sequence("pairs_meet", "pairs wait", "", consent(), "pairs_app"),
    sequence("arrivals_meet", "the first two play", "", consent(), "arrivals_app"),
]
"""
APPS = {"all_app": ("None", "False"), "pairs_app": ("2", "False"), "arrivals_app": ("2", "True")}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    lab = LabServer(tmp_path_factory.mktemp("server") / "card_lab", environment={"OTREE_REST_KEY": REST_KEY})
    for app, (size, by_arrival) in APPS.items():
        folder = lab.folder / app
        folder.mkdir()
        text = APP.replace("{name}", app).replace("{size}", size).replace("{by_arrival}", by_arrival)
        (folder / "__init__.py").write_text(text, "utf-8")
        (folder / "Answer.html").write_text(PAGE, "utf-8")
    with open(lab.folder / "settings.py", "a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    with lab as running:
        yield running


def arrive(server, code):
    """Consents and goes to the custom app's page where participants wait."""
    visitor = Visitor(server, code)
    visitor.send(agreed="yes")
    assert visitor.name == "Meet"
    return visitor


def waits(visitor):
    visitor.open_start_link()
    return visitor.name == "Meet"


def withdraw(server, code):
    return json.loads(server.api("/api/withdraw", {"participant": code, "paid": True}))


def answers(server, session, app):
    return list(csv.DictReader(io.StringIO(server.export(session.code, app, "custom_export"))))


def make_archive(server, session, file, standard):
    """Makes an archive in the server's folder, which contains the app."""
    if not (server.folder / ".venv").exists():
        (server.folder / ".venv").symlink_to(project.FOLDER / ".venv")
    command = [sys.executable, "lab.py", "archive", session, "--as", standard, "--out", str(file)]
    environment = {**os.environ, **clean_environment(), "OTREE_REST_KEY": REST_KEY}
    done = subprocess.run(
        [*command, "--url", server.url],
        cwd=server.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_others_go_on_if_waiting_participant_withdraws(server):
    session = server.create_session("all_meet", 3)
    first, second, third = session.participants
    waiting = [arrive(server, code) for code in (first, second)]
    withdraw(server, first)
    assert waits(waiting[1])
    last = Visitor(server, third)
    last.send(agreed="yes")
    for visitor in (last, waiting[1]):
        wait_for(lambda who=visitor: not waits(who), "the others to go on")
        visitor.send(risk="3")
    assert [row["code"] for row in answers(server, session, "all_app")] == [second, third]


def test_waiting_participants_go_on_after_withdrawal(server):
    session = server.create_session("all_meet", 2)
    first, second = session.participants
    waiting = arrive(server, first)
    Visitor(server, second)
    withdraw(server, second)
    wait_for(lambda: not waits(waiting), "the waiting participant to go on")
    assert [row["code"] for row in answers(server, session, "all_app")] == [first]


def test_group_goes_on_without_withdrawn_member(server):
    session = server.create_session("pairs_meet", 4)
    codes = session.participants
    waiting = arrive(server, codes[0])
    arrive(server, codes[2])
    withdraw(server, codes[2])  # was waiting
    withdraw(server, codes[1])  # the first waits for this one
    wait_for(lambda: not waits(waiting), "the partner to go on")
    last = Visitor(server, codes[3])
    last.send(agreed="yes")
    wait_for(lambda: not waits(last), "the other partner to go on")
    assert {row["code"] for row in answers(server, session, "pairs_app")} == {codes[0], codes[3]}


def test_groups_by_arrival_leave_out_withdrawn(server):
    session = server.create_session("arrivals_meet", 4)
    first, second, third, _fourth = session.participants
    arrive(server, first)
    withdraw(server, first)
    waiting = arrive(server, second)
    assert waits(waiting)
    last = Visitor(server, third)
    last.send(agreed="yes")
    for visitor in (last, waiting):
        wait_for(lambda who=visitor: not waits(who), "the pair to begin")
    groups = server.query("SELECT arrived FROM arrivals_app_group WHERE arrived IS NOT NULL")
    assert groups == [(2,)]


@pytest.mark.long("archives without own apps follow it, too", only="psych-ds")
@pytest.mark.parametrize("standard", ["psych-ds", "bids"])
def test_archive_with_own_app_is_valid(server, tmp_path, standard):
    session = server.create_session("all_meet", 2)
    visitors = [Visitor(server, code, f"Label {code}") for code in session.participants]
    for visitor in visitors:
        visitor.send(agreed="yes")
    for visitor, reason in zip(visitors, ("a reason, with a comma", "")):
        wait_for(lambda who=visitor: not waits(who), "the page with questions")
        visitor.send(risk="3", reason=reason)
    make_archive(server, session.code, tmp_path / "own.zip", standard)
    with zipfile.ZipFile(tmp_path / "own.zip") as written:
        written.extractall(tmp_path)
    folder = tmp_path / f"card-lab-{session.code}"
    root = folder / "sourcedata" if standard == "bids" else folder
    (codebook,) = root.glob("codebook.csv")
    meanings = {row["column"]: row["meaning"] for row in csv.DictReader(codebook.open(encoding="utf-8"))}
    assert meanings["player.risk"] == "How much do you risk?"
    assert meanings["group.arrived"] == "how many arrived together"
    text = "".join(file.read_text("utf-8") for file in root.glob("data/*.csv"))
    assert "a reason" not in text
    key = server.folder / "secrets" / "seal_key"
    assert main(["verify", str(folder), "--key", str(key)]) == 0
    assert main(["reproduce", str(folder)]) == 0
    assert "Warnings" not in (root / "README.md").read_text("utf-8")
    assert frictionless_errors(root) == []
    if standard == "bids":
        assert bids_errors(folder) == []
    else:
        assert psych_ds_issues(folder) == []
