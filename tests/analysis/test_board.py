"""Tests the analysis board: the files it opens, positions and branches, values, and access to its server."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harnesses import GAMES
from synthetic_actions import actions_csv

from cardlab.analysis import commands
from cardlab.analysis.board import api, page, server, values
from cardlab.analysis.board.api import Board, RequestError
from cardlab.analysis.board.starts import Start, read_starts
from cardlab.analysis.board.tree import Tree
from cardlab.analysis.board.values import Answer, Evaluator, Question, compute
from cardlab.analysis.games.solitario import board as solitario_board
from cardlab.analysis.source_hand import PlayedAction, RecordedHand
from cardlab.games.challenge import position as challenge_position
from cardlab.games.challenge import rules as challenge
from cardlab.games.challenge.deal import parse_deal
from cardlab.games.challenge.tablebase import exact_scores
from cardlab.games.contract import BadFile
from cardlab.games.matrix import rules as matrix
from cardlab.games.registry import games_by_name
from cardlab.games.solitario import rules as solitario
from cardlab.games.solitario.solver import solve
from cardlab.games.triangle import rules as triangle
from cardlab.games.ttt import board as ttt_board

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
HANDS = {name: game.harness.replayed() for name, game in GAMES.items()}
CHALLENGE_DEAL = "KS AH | AS KH | participant"


class StoppedEvaluator(Evaluator):
    """An evaluator that knows no values and starts no process."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, _key: object, question: Question) -> None:
        self.asked.append(question)

    def answer(self, _key: object) -> Answer | None:
        return Answer(values.DONE) if self.asked else None


def open_board(*starts: Start) -> Board:
    return Board(starts, StoppedEvaluator())


@pytest.fixture
def table(tmp_path):
    """Writes the hand of a game as a table; returns its path."""

    def write(game: str) -> str:
        path = tmp_path / f"{game}.csv"
        path.write_text(actions_csv(HANDS[game]), "utf-8")
        return str(path)

    return write


def read_one(name: str, **given: Any) -> list[Start]:
    warnings: list[str] = []
    return read_starts([name], given.get("game"), given.get("settings", {}), warnings.append)


def moves_by_action(question: Question) -> dict[str, values.MoveValue]:
    found = [value for _seat, value in compute(question)]
    return {value.action: value for value in found if isinstance(value, values.MoveValue)}


# ---------------------------------------------------------------- what can be opened


@pytest.mark.parametrize("game", HANDS)
def test_main_line_has_the_recorded_positions(game, table):
    (start,) = read_one(table(game))
    board, rules = open_board(start), GAMES[game].rules
    hand = board.answer("hand", {"hand": 0}, changes=False)
    state = rules.start(start.record.deal, start.record.options)
    expected = [state]
    for row in HANDS[game][1:]:
        if row["accepted"] == "1" and row["seat"]:
            after = rules.apply(state, row["seat"], row["action"])
            expected += [after] if after is not state else []
            state = after
    assert hand["notice"] == ""
    assert len(hand["nodes"]) == len(expected)
    for number, state in enumerate(expected):
        node = board.answer("node", {"hand": 0, "node": number}, changes=False)
        assert node["views"] == {seat: rules.view(state, seat) for seat in rules.seats(state)}
        assert node["waiting"] == list(rules.waiting_for(state))
        json.dumps(node)


@pytest.mark.parametrize("folder", ["challenge", "matrix", "solitario", "triangle", "ttt"])
def test_shipped_deals_open_on_the_board(folder):
    for path in sorted((ROOT / "deals" / folder).glob("*.txt")):
        starts = read_one(str(path))
        assert {start.game for start in starts} == {folder}
        Tree(starts[0])


@pytest.mark.parametrize("game", games_by_name())
def test_typed_deal_opens_on_the_board(game):
    deal = games_by_name()[game].rules.deal("a seed", {})
    (start,) = read_one(deal)
    assert (start.game, start.record.deal) == (game, deal)


def test_settings_and_game_may_be_named():
    deal = games_by_name()["solitario"].rules.deal("a seed", {"pack": "tarocco"})
    (start,) = read_one(deal, game="solitario", settings={"pack": "tarocco", "draw": "3"})
    assert start.record.options["draw"] == 3
    assert len(read_one("tarocco.txt", game="solitario")) > 1
    with pytest.raises(BadFile, match="A deal has 3 sections"):
        read_one(deal, game="challenge")


def test_challenge_log_opens_on_the_board():
    starts = read_one(str(DATA / "challenge" / "challenge.log"))
    assert [len(start.record.actions) for start in starts] == [3, 5, 2]
    tree = Tree(starts[0])
    assert tree.notice == ""
    assert tree.nodes[-1].state.winner == "N"


def test_ttt_log_opens_on_the_board():
    starts = read_one(str(DATA / "ttt" / "seed_log_nk.txt"))
    for start in starts:
        assert Tree(start).notice == ""


def test_unknown_file_is_refused_in_a_sentence(tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Something else\nin two lines.\n", "utf-8")
    with pytest.raises(BadFile, match="neither a table of actions, nor a log, nor a deal"):
        read_one(str(other))
    with pytest.raises(BadFile, match="There is no such file"):
        read_one(str(tmp_path / "missing.csv"))


def test_record_that_breaks_the_rules_ends_there():
    record = RecordedHand(
        CHALLENGE_DEAL, {"size": 2}, (PlayedAction("S", "play KH"), PlayedAction("N", "play KH"))
    )
    tree = Tree(Start("a game", "challenge", record))
    assert len(tree.nodes) == 2
    assert tree.notice.startswith("Action 2 of the record, play KH, is not allowed: ")


# ---------------------------------------------------------------- branches


@pytest.mark.parametrize("game", HANDS)
def test_branches_lead_back_to_the_main_line(game, table):
    board = open_board(*read_one(table(game)))
    main = board.answer("hand", {"hand": 0}, changes=False)["nodes"]
    node = board.answer("node", {"hand": 0, "node": 0}, changes=False)
    seat = node["waiting"][0]
    action = next(one for one in node["legal"][seat] if one != main[1]["action"])
    asked = {"hand": 0, "node": 0, "seat": seat, "action": action}
    branch = board.answer("play", asked, changes=True)
    assert branch["nodes"][0] == {
        "parent": 0,
        "seat": seat,
        "action": action,
        "by_server": False,
        "main": False,
    }
    assert board.answer("play", asked, changes=True) == {"node": branch["node"], "nodes": []}
    repeated = {**asked, "seat": main[1]["seat"], "action": main[1]["action"]}
    assert board.answer("play", repeated, changes=True) == {"node": 1, "nodes": []}
    after = board.answer("hand", {"hand": 0}, changes=False)["nodes"]
    assert after[: len(main)] == main


def test_first_move_played_starts_the_main_line():
    tree = Tree(Start("", "challenge", RecordedHand(CHALLENGE_DEAL, {"size": 2}, ())))
    first = tree.play(0, "S", "play KH")
    assert (first.is_main, tree.play(0, "S", "play AS").is_main) == (True, False)
    assert tree.play(first.number, "N", "pick up").is_main


def test_forced_actions_follow_at_once():
    deal = triangle.deal("forced 2", {})
    tree, number = Tree(Start("", "triangle", RecordedHand(deal, {}, ()))), 0
    while not triangle.is_over(tree.nodes[number].state):
        state = tree.nodes[number].state
        assert triangle.forced_action(state) is None
        number = tree.play(number, triangle.SEAT, triangle.legal_actions(state, triangle.SEAT)[0]).number
    discards = [node.act for node in tree.nodes if node.act and node.act.action == triangle.DISCARD]
    assert discards  # otherwise this deal tests nothing


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"seat": "S", "action": "play 99X"}, "Unknown move"),
        ({"seat": "S", "action": "play KS"}, "You do not have this card"),
        ({"seat": "N", "action": "play KS"}, "It is the other player"),
        ({"seat": "S"}, "The request has no valid action"),
        ({"seat": 1, "action": "play KH"}, "The request has no valid seat"),
        ({"seat": "S", "action": "play KH", "node": 7}, "There is no node 7"),
        ({"seat": "S", "action": "play KH", "node": "first"}, "The request has no valid node"),
        ({"seat": "S", "action": "play KH", "hand": -1}, "There is no hand -1"),
    ],
)
def test_wrong_request_is_refused_and_changes_nothing(asked, sentence):
    board = open_board(Start("", "challenge", RecordedHand(CHALLENGE_DEAL, {"size": 2}, ())))
    with pytest.raises(RequestError, match=re.escape(sentence)):
        board.answer("play", {"hand": 0, "node": 0, **asked}, changes=True)
    assert len(board.answer("hand", {"hand": 0}, changes=False)["nodes"]) == 1


def test_position_can_be_set_up_and_files_loaded():
    board = open_board(Start("", "challenge", RecordedHand(CHALLENGE_DEAL, {"size": 2}, ())))
    deal = board.answer("node", {"hand": 0, "node": 0}, changes=False)["deal"]
    assert parse_deal(deal) == parse_deal(CHALLENGE_DEAL)
    opened = board.answer("set-up", {"hand": 0, "deal": "KS | AS KH | computer"}, changes=True)
    assert board.answer("node", {"hand": opened["hand"], "node": 0}, changes=False)["waiting"] == ["N"]
    with pytest.raises(RequestError, match="3 sections"):
        board.answer("set-up", {"hand": 0, "deal": "KS | AS"}, changes=True)
    log = (DATA / "challenge" / "challenge.log").read_text("utf-8")
    loaded = board.answer("load", {"name": "../challenge.log", "text": log}, changes=True)
    assert loaded == {"hand": 2, "warnings": []}
    assert len(board.answer("hands", {}, changes=False)["hands"]) == 5
    with pytest.raises(RequestError, match=r"^x.csv: This is neither"):
        board.answer("load", {"name": "x.csv", "text": "one,two\nthree\n"}, changes=True)


def test_hidden_cards_show_only_in_open_views(table):
    board = open_board(*read_one(table("ttt")))
    node = board.answer("node", {"hand": 0, "node": 0}, changes=False)
    assert node["views"]["solo"]["cards"]["C"] is None
    assert None not in node["open_views"]["solo"]["cards"].values()


@pytest.mark.parametrize("game", games_by_name())
def test_all_cards_are_listed_as_text(game):
    deal = games_by_name()[game].rules.deal("a seed", {})
    board = open_board(Start("", game, RecordedHand(deal, {}, ())))
    known = board.answer("node", {"hand": 0, "node": 0}, changes=False)["known"]
    assert all(isinstance(text, str) for text in known.values())
    cards = {card for text in known.values() for card in text.split()}
    hidden = {"solitario": 33, "matrix": 44, "challenge": 32, "triangle": 27, "ttt": 6}[game]
    assert len(cards & set(deal.split())) >= hidden


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_challenge_values_are_the_solvers(seed):
    deal = challenge.deal(seed, {"size": 3})
    found = moves_by_action(Question("challenge", deal, {"size": 3}, (), ("S", "N")))
    position = challenge_position.start(parse_deal(deal))
    scores = exact_scores(position)
    assert {value.action.removeprefix("play "): value.key for value in found.values()} == scores
    assert {value.source for value in found.values()} == {"exact"}
    assert {value.text for value in found.values()} <= {"won", "drawn", "lost"}


def test_challenge_values_above_the_solver_name_their_depth(monkeypatch):
    short = ((2, 20_000), (4, 20_000))
    monkeypatch.setattr("cardlab.analysis.games.challenge.board.SEARCHES", short)
    question = Question("challenge", challenge.deal("x", {"size": 6}), {"size": 6}, (), ("S", "N"))
    sources = list(dict.fromkeys(value.source for _seat, value in compute(question)))
    assert sources[0] == "searched depth 2"
    assert len(sources) > 1
    assert all(re.fullmatch("searched depth [0-9]+|proved|exact", source) for source in sources)


def test_solitario_values_follow_a_solution():
    deal = solitario.deal("a seed", {"turn_up": "auto"})
    state = solitario.start(deal, {"turn_up": "auto"})
    line = solve(state.position, state.pack).line
    assert len(line) > 40
    for number in (0, 20, len(line) - 5):
        acts = tuple(PlayedAction(solitario.SEAT, action) for action in line[:number])
        found = moves_by_action(Question("solitario", deal, {"turn_up": "auto"}, acts, (solitario.SEAT,)))
        assert found[line[number]][1:3] == ("can be solved", "proved")


def test_solitario_values_show_a_lost_hand():
    state, deal = None, ""
    for number in range(100):
        deal = solitario.deal(f"deal {number}", {})
        state = solitario.start(deal, {})
        if solve(state.position, state.pack).solvable is False:
            break
    found = moves_by_action(Question("solitario", deal, {}, (), (solitario.SEAT,)))
    assert set(found) == set(solitario.legal_moves(state))
    assert {(value.text, value.source) for value in found.values()} == {("cannot be solved", "proved")}


@pytest.mark.parametrize("options", [{"turn_up": "click"}, {"turn_up": "auto", "draw": 3}])
def test_solitario_best_line_gets_its_points(evaluator, options):
    deal = solitario.deal("a seed", options)
    board = Board([Start("", "solitario", RecordedHand(deal, options, ()))], evaluator)
    while (found := board.answer("values", {"hand": 0, "node": 0}, changes=False))["status"] != values.DONE:
        threading.Event().wait(0.05)
    state, best = solitario.start(deal, options), found["best"][solitario.SEAT]
    for action in best["actions"]:
        state = solitario.apply(state, solitario.SEAT, action)
    assert state.solved
    assert best["text"] == f"Most points without time and bonus: {state.counts.points:,}"


def test_best_line_counts_the_points_so_far():
    deal = solitario.deal("a seed", {})
    state = solitario.start(deal, {})
    whole = solitario_board.best_line(state)
    for action in whole.actions[:40]:
        state = solitario.apply(state, solitario.SEAT, action)
    assert solitario_board.best_line(state).text == whole.text


def test_best_line_is_left_out_without_proof(monkeypatch):
    monkeypatch.setattr(solitario_board, "BEST_NODES", {True: 3, False: 3})
    question = Question("solitario", solitario.deal("a seed", {}), {}, (), (solitario.SEAT,))
    assert all(isinstance(value, values.MoveValue) for _seat, value in compute(question))


def test_target_the_two_values_are_expected_moves():
    deal = "3H 2C 2H 4C 4H 3C | 2H | ck"
    found = moves_by_action(Question("ttt", deal, {"ViewCard": "all"}, (), (ttt_board.SEAT,)))
    assert set(found) >= {"U", "C", "N", "P"}
    best = max(value.key for value in found.values())
    assert -best == min(float(value.text.split()[0]) for value in found.values() if value.text[0].isdigit())
    assert all(re.fullmatch("[1-6] with all cards known", value.detail) for value in found.values())


def test_triangle_values_are_reachable_scores():
    state = triangle.start(triangle.deal("short", {}), {})
    acts = []
    while len(state.deck) > 6:
        action = triangle.legal_actions(state, triangle.SEAT)[0]
        acts.append(PlayedAction(triangle.SEAT, action))
        state = triangle.apply(state, triangle.SEAT, action)
    deal = triangle.deal("short", {})
    found = moves_by_action(Question("triangle", deal, {}, tuple(acts), (triangle.SEAT,)))
    assert set(found) == set(triangle.legal_actions(state, triangle.SEAT))
    assert all(value.source == "proved, deck known" for value in found.values())


def test_matrix_values_are_best_replies():
    deal = matrix.deal("a seed", {})
    state = matrix.start(deal, {})
    chosen = matrix.legal_actions(state, "W")[0]
    question = Question("matrix", deal, {}, (PlayedAction("W", chosen),), ("S",))
    found = moves_by_action(question)
    best = max(value.key for value in found.values())
    replies = [action for action, value in found.items() if "best reply" in value.detail]
    assert replies
    assert {found[action].key for action in replies} == {best}


@pytest.fixture
def evaluator() -> Iterator[Evaluator]:
    running = Evaluator()
    yield running
    running.close()


def wait_until_done(evaluator: Evaluator, key: object) -> Answer:
    for _ in range(600):
        answer = evaluator.answer(key)
        if answer and answer.status == values.DONE:
            return answer
        threading.Event().wait(0.05)
    raise AssertionError(f"There is no answer to {key}.")


def test_newest_question_is_answered_first(evaluator):
    slow = Question("triangle", triangle.deal("x", {}), {}, (), (triangle.SEAT,))
    quick = Question("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", {}, (), (ttt_board.SEAT,))
    evaluator.ask("slow", slow)
    evaluator.ask("quick", quick)
    answer = wait_until_done(evaluator, "quick")
    assert answer.values[ttt_board.SEAT]
    assert wait_until_done(evaluator, "slow").values


def test_dead_process_is_reported_and_replaced(evaluator):
    quick = Question("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", {}, (), (ttt_board.SEAT,))
    evaluator.ask(1, Question("challenge", challenge.deal("x", {}), {}, (), ("S", "N")))
    while evaluator._process is None:
        threading.Event().wait(0.01)
    evaluator._process.kill()
    assert wait_until_done(evaluator, 1).problem == values.BROKEN
    evaluator.ask(2, quick)
    assert wait_until_done(evaluator, 2).values


def test_failed_evaluation_is_reported_in_a_sentence(evaluator):
    evaluator.ask(1, Question("challenge", "no deal", {}, (), ("S",)))
    assert wait_until_done(evaluator, 1).problem.startswith("The values cannot be computed (")


# ---------------------------------------------------------------- the server


class Client:
    """Sends requests to the server, by default as its own page does."""

    def __init__(self, running: server.BoardServer) -> None:
        self.running = running
        self.host = f"127.0.0.1:{running.server_port}"

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, token: str = "", **headers: str):
        """Returns status, headers and body. Header names have ``_`` instead of ``-``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.running.server_port, timeout=20)
        given = {"Host": self.host}
        if method == "POST":
            given |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        given = {name: value for name, value in given.items() if value}
        connection.request(method, f"/{token or self.running.token}/{path}", body, given)
        reply = connection.getresponse()
        answer = reply.status, dict(reply.getheaders()), reply.read()
        connection.close()
        return answer

    def sentence(self, *asked: Any, **given: Any) -> tuple[int, str]:
        status, _headers, body = self.ask(*asked, **given)
        return status, json.loads(body).get("error", "")


@pytest.fixture
def client() -> Iterator[Client]:
    board = open_board(Start("a game", "challenge", RecordedHand(CHALLENGE_DEAL, {"size": 2}, ())))
    running = server.BoardServer(board)
    thread = threading.Thread(target=running.serve_forever, args=(0.05,))
    thread.start()
    yield Client(running)
    running.shutdown()
    running.server_close()
    thread.join()


def test_page_and_boards_are_served(client):
    for path in ("", "board.js", "board.css", "table.js", "frame.css", "page.css", "static/cards/2H.svg"):
        status, headers, body = client.ask(path)
        assert (status, bool(body)) == (200, True)
        assert headers["Content-Security-Policy"] == server.POLICY
    for game in games_by_name():
        status, _headers, body = client.ask(f"table?game={game}")
        assert status == 200
        assert b'id="board"' in body


def test_api_answers_the_page(client):
    status, headers, body = client.ask("api/node?hand=0&node=0")
    assert (status, headers["Content-Type"], headers["Cache-Control"]) == (
        200,
        "application/json",
        "no-store",
    )
    assert json.loads(body)["waiting"] == ["S"]
    played = json.dumps({"hand": 0, "node": 0, "seat": "S", "action": "play KH"}).encode()
    status, _headers, body = client.ask("api/play", "POST", played)
    assert (status, json.loads(body)["node"]) == (200, 1)


def test_board_server_answers_only_its_own_page(client):
    play = json.dumps({"hand": 0, "node": 0, "seat": "S", "action": "play KH"}).encode()
    port = client.running.server_port
    by_name = f"Open this page as http://{server.LOOPBACK}, not by another name."
    only_page = "Only the page of the board may ask."
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}"):
        assert client.sentence("api/hands", Host=host) == (403, by_name)
    assert client.sentence("api/hands", token="a" * 22) == (404, server.NOT_FOUND)
    assert client.sentence("api/hands", Origin="http://evil.example") == (403, only_page)
    assert client.sentence("api/hands", Sec_Fetch_Site="cross-site") == (403, only_page)
    for origin in ("http://evil.example", "null", "", f"https://{client.host}"):
        assert client.sentence("api/play", "POST", play, Origin=origin) == (403, only_page)
    assert client.sentence("api/play", "POST", play, Content_Type="text/plain")[0] == 415
    assert len(client.running.board.answer("hand", {"hand": 0}, changes=False)["nodes"]) == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("api/nothing", 400),
        ("api/play", 400),
        ("static/../settings.py", 404),
        ("static/%2e%2e/settings.py", 404),
        ("static//etc/passwd", 404),
        ("server.py", 404),
        ("table?game=ttt/../challenge", 404),
        ("api/hand?hand=99999999999999999999", 400),
    ],
)
def test_missing_addresses_are_answered_in_a_sentence(client, path, status):
    found, sentence = client.sentence(path)
    assert found == status
    assert sentence.endswith(".")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"[" * 100_000, b"\xff"])
def test_malformed_body_is_refused_in_a_sentence(client, body, capfd):
    assert client.sentence("api/play", "POST", body) == (400, "The request must be a JSON object.")
    assert "Traceback" not in capfd.readouterr().err


def test_too_large_or_odd_requests_are_refused(client, capfd):
    too_large = str(server.MAX_BYTES + 1)
    assert client.sentence("api/load", "POST", b"", Content_Length=too_large)[0] == 413
    assert client.sentence("api/play", "POST", b"", Content_Length="many")[0] == 411
    assert client.sentence("api/play", "PUT", b"{}")[0] == 501
    assert "Traceback" not in capfd.readouterr().err


def test_failure_is_a_sentence_without_a_traceback(client, capfd, monkeypatch):
    monkeypatch.setattr(client.running.board, "answer", lambda *_asked, **_more: 1 / 0)
    assert client.sentence("api/hands") == (500, "The board could not answer this request.")
    assert "Traceback" not in capfd.readouterr().err


# ---------------------------------------------------------------- the command


def test_command_prints_an_address_and_ends(tmp_path):
    run = [sys.executable, "-m", "cardlab.analysis", "board", "--no-open", CHALLENGE_DEAL]
    process = subprocess.Popen(
        run, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert process.stdout
    line = process.stdout.readline()
    assert re.fullmatch(r"1 hand: http://127\.0\.0\.1:[0-9]+/[\w-]{22}/\n", line)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out.splitlines()[-1], err) == (0, "Ended.", "")


def test_missing_boards_are_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page, "STATIC", tmp_path)
    assert commands.main(["board", "--no-open", CHALLENGE_DEAL]) == 2
    assert "The boards of the games are not here" in capsys.readouterr().err


def test_number_of_branches_is_limited(monkeypatch):
    monkeypatch.setattr("cardlab.analysis.board.tree.MAX_NODES", 1)
    board = open_board(Start("", "challenge", RecordedHand(CHALLENGE_DEAL, {"size": 2}, ())))
    with pytest.raises(RequestError, match="too many branches"):
        board.answer("play", {"hand": 0, "node": 0, "seat": "S", "action": "play KH"}, changes=True)
    assert api.MAX_HANDS > 1
