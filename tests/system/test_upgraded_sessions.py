"""Finishes sessions that an earlier version began, after the upgrade of its database."""

import asyncio
import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import old_databases
import pytest
from server_fixture import LabServer
from stages import clean_environment

from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.pace import Pace
from cardlab.rehearsal.participant import Participant


@pytest.mark.long("0.10 needs everything that 0.11 needs", only="0.11")
@pytest.mark.parametrize("version", ["0.10", "0.11"])
def test_session_in_progress_is_finished_after_upgrade(tmp_path, version):
    server = LabServer(tmp_path / "card_lab")
    old_databases.restore(version, server.folder / "db.sqlite3")
    check = [sys.executable, "-m", "cardlab.server.schema_check", "sqlite:///db.sqlite3"]
    in_memory = {"OTREE_IN_MEMORY": "1", "OTREE_EPHEMERAL": "1", "OTREE_SECRET_KEY": "unused"}
    subprocess.run(check, cwd=server.folder, env={**clean_environment(), **in_memory}, check=True)
    begun = server.query("SELECT hand, number, text FROM card_lab_line ORDER BY hand, number")
    with server:
        playing = server.query("SELECT code FROM otree_participant WHERE status = ''")
        assert len(playing) == 3
        figures, answers = Figures(), Answers()

        async def play():
            people = []
            for number, (code,) in enumerate(playing):
                link, chance = f"{server.url}/InitializeParticipant/{code}", Random(number)
                pace = Pace(False, chance, 0, 0)
                people.append(Participant(number, link, pace, chance, answers, figures).run())
            await asyncio.gather(*people)

        with ThreadPoolExecutor() as pool:  # browser tests leave an event loop running in the main thread
            pool.submit(asyncio.run, play()).result()
        assert figures.errors == []
        assert server.query("SELECT DISTINCT status FROM otree_participant") == [("finished",)]
        lines = server.query("SELECT hand, number, text FROM card_lab_line ORDER BY hand, number")
        assert set(begun) < set(lines)
        for session, name in server.query(
            "SELECT DISTINCT _session_code, substr(hand, 1, instr(hand, '-') - 1) FROM otree_participant "
            "JOIN card_lab_line USING (session_id) WHERE number = 1 AND hand NOT LIKE '%tutorial%'"
        ):
            hands = list(csv.DictReader(server.export(session, name, "custom_export_hands").splitlines()))
            assert hands
            assert "open" not in {row["outcome"] for row in hands}
