"""Makes a database with an old version: run in a checkout of it, ``python make.py FILE.sql.gz [PORT]``.

Without a port, that version's oTree bots play (0.3, 0.5). With a port, its simulated participants play on its
server, and some stop in the middle of a hand (since 0.10).
"""

import asyncio
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from random import Random

sys.path.insert(0, os.getcwd())
os.environ |= {"OTREE_SECRET_KEY": "key", "OTREE_REST_KEY": "key", "CARD_LAB_VENV": "no"}
DATABASE = Path("db.sqlite3")


def play_with_bots():
    """Plays three sessions with oTree's bots in a database file; oTree's command would use memory."""
    from otree.bots.runner import run_all_bots_for_session_config
    from otree.main import setup

    setup()
    for config, participants in (("ttt_demo", 1), ("matrix_two", 2), ("triangle_learning", 1)):
        run_all_bots_for_session_config(config, participants, None)
    subprocess.run([sys.executable, "-m", "experiment.database_check", "sqlite:///db.sqlite3"], check=True)


def play_on_server(port):
    """Plays three sessions, of which two stay in progress."""
    url = f"http://127.0.0.1:{port}"
    lab = subprocess.Popen([sys.executable, "lab.py", "run", "--port", port, "--backup-minutes", "0"])
    while True:
        time.sleep(0.5)
        try:
            urllib.request.urlopen(f"{url}/demo").close()
            break
        except OSError:
            assert lab.poll() is None
    try:
        asyncio.run(play_sessions(url))
        times = urllib.request.Request(f"{url}/api/export_page_times", headers={"otree-rest-key": "key"})
        urllib.request.urlopen(times).close()  # oTree buffers them in memory
    finally:
        lab.send_signal(signal.SIGINT)
        lab.wait()


async def play_sessions(url):
    from rehearsal.server import Server

    server = Server(url, "key")
    fields = {}  # 0.11 would otherwise refuse another browser for half a minute
    if "one_browser_per_seat" in server.config("ttt_demo"):
        fields = {"one_browser_per_seat": False}
    finished = server.create("ttt_demo", 2, fields)
    sequence = server.create("two_games", 2, fields)
    pair = server.create("ttt_pair_demo", 2, fields)
    await play(finished.links)
    await play(sequence.links[:1])
    await play(sequence.links[1:], hand=3, actions=2)
    await play(pair.links, hand=2)


async def play(links, hand=0, actions=0):
    """Plays to the end, or to the hand of this number, and so many actions of it."""
    from rehearsal.figures import Figures
    from rehearsal.forms import Answers
    from rehearsal.pace import Pace
    from rehearsal.participant import Participant, game_of, is_hand
    from rehearsal.participant import hand as boards

    figures, answers = Figures(), Answers()

    async def participate(number, link):
        chance, seen = Random(number), set()
        pace = Pace(False, chance, 0, 0)
        one = Participant(number, link, pace=pace, chance=chance, answers=answers, figures=figures)
        close = one._browser.close
        one._browser.close = lambda: asyncio.sleep(0)

        def stops(page):
            if is_hand(page):
                seen.add(page.path)
            return len(seen) == hand

        await one.walk(stops if hand else lambda page: False)
        if actions:
            page = await one._open(one._start)
            told = json.loads(page.found(r"(?s)var js_vars = (\{.*?\});</script>").replace("\\/", "/"))
            async with boards.Board(one._browser, told, "1", figures) as board:
                for _ in range(actions):
                    await board.act(one._player(game_of(page))(board.said["view"]))
        await close()

    await asyncio.gather(*(participate(number, link) for number, link in enumerate(links, 1)))
    assert not figures.errors, figures.errors


def dump(file):
    """Writes the database as compressed SQL."""
    with closing(sqlite3.connect(DATABASE)) as database:
        mark = database.execute("PRAGMA user_version").fetchone()[0]
        lines = [*database.iterdump(), f"PRAGMA user_version = {mark};"]
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    DATABASE.unlink(missing_ok=True)
    play_on_server(sys.argv[2]) if sys.argv[2:] else play_with_bots()
    dump(sys.argv[1])
