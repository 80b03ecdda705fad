"""Tests that simulated sessions are reproducible and equal the server's export of the same play."""

import csv
import io
import itertools
import os
import statistics
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import server_tables  # noqa: F401 - first: it keeps oTree off the project's database
from harnesses import GAMES
from hypothesis import given
from hypothesis import strategies as st
from memory_records import MemoryRecords
from record_builder import action_events, append_events, due_events, engine_action_of, fold, opening_record

import matrix_game_app
import triangle_app
import ttt_solo_app
from cardlab.analysis import actions_table
from cardlab.analysis.commands import main
from cardlab.analysis.folding import history
from cardlab.analysis.simulation import plan, sessions
from cardlab.core.protocol import Message
from cardlab.games.contract import OUTCOMES, BadFile
from cardlab.games.events import Event
from cardlab.games.record import Opening, write_opening
from cardlab.games.registry import games_by_name
from cardlab.games.tables import ACTION_COLUMNS
from settings import SESSION_CONFIG_DEFAULTS, SESSION_CONFIGS

ROOT = Path(__file__).parents[2]
APPS = {name: import_module(game.app) for name, game in GAMES.items()}

# Sessions in which every kind of row occurs.
SESSIONS = {
    ", ".join(filter(None, (known.name, name))): (known.folder, arguments)
    for known in GAMES.values()
    for name, arguments in known.harness.SIMULATED.items()
}


def simulated(game, participants=4, **options):
    folder = GAMES[game].folder if game in GAMES else game
    return plan.plan_simulation(folder, participants=participants, **options)


def small(game):
    """Returns settings for short games."""
    return GAMES[game].harness.SIMULATED[""].get("settings", {})


def table(simulation):
    file = io.StringIO(newline="")
    sessions.write_table(simulation, file)
    return file.getvalue()


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def hands_of(text):
    return list(actions_table.read_hands(io.StringIO(text, newline=""), "simulated.csv"))


@cache
def table_of(session):
    """Returns the table of one of SESSIONS, which is simulated once."""
    game, arguments = SESSIONS[session]
    return table(simulated(game, **arguments))


@pytest.fixture(params=SESSIONS)
def simulated_table(request):
    """Provides a game's name and the table of a simulated session of it."""
    return SESSIONS[request.param][0], table_of(request.param)


# ---------------------------------------------------------------- agreement with the server


def export_by_server(game, text):
    """Returns the table that the server would have exported for the same actions."""
    hands = hands_of(text)
    app = import_module(hands[0].cells["app"])
    return exported(app, [player for hand in hands for player in players_of(game, hand)])


def exported(app, players):
    file, kept = io.StringIO(newline=""), MemoryRecords()
    for player in players:
        kept.put(app.Hand.hand_id(player), player.record)
    with kept.on_the_page():
        csv.writer(file).writerows(
            [cell if cell is not None else "" for cell in row] for row in app.custom_export(players)
        )
    return file.getvalue()


def players_of(game, hand):
    """Yields stand-ins for oTree's players of a hand, with the record of :func:`recorded`."""
    _app, code, whose, number = hand.hand_id.rsplit("-", 3)
    rules = games_by_name()[game].rules
    session = SimpleNamespace(code=code, is_demo=False, _created=hand.created_ms / 1000, config={})
    record, seats = recorded(game, hand), rules.seats(rules.start(hand.deal, hand.options))
    group = SimpleNamespace(id_in_subsession=whose)
    for seat in seats:
        if seat in (hand.options.get("robots") or {}):
            continue
        participant_code, label, _is_bot = hand.people[seat]
        yield SimpleNamespace(
            session=session,
            participant=SimpleNamespace(
                code=participant_code,
                label=label,
                _is_bot=True,
                status="",
                id_in_session=hand.cells["id_in_session"],
            ),
            round_number=int(number),
            record=record,
            group=group,
            seat=seat,
            get_folder_name=lambda: hand.cells["app"],
        )


def recorded(game, hand):
    """Replays the participants' actions through the server's own functions and returns the record."""
    rules = games_by_name()[game].rules
    opening = Opening(
        hand.deal,
        hand.options,
        number=hand.number,
        of=hand.whole("hands"),
        hands=hand.whole("hands"),
        source=hand.cells["show_file"],
        sha256=hand.cells["show_file_sha256"],
        notice=hand.cells["notice"],
    )
    record = opening_record(opening, hand.shown_ms)
    if len(rules.seats(fold(rules, record).state)) == 1:  # otherwise the arrival comes first
        record = append_events(rules, record, due_events(fold(rules, record), hand.shown_ms))
    for event in hand.events:
        if event.search is not None:
            continue  # the server records it with the robot's move
        if event.accepted is None:
            events = [Event(None, event.seat, event.action, None, event.server_ms, None)]
        elif event.seat and event.client_ms is not None:
            before = fold(rules, record)
            message = Message(
                hand.number, before.seats[event.seat].next_number, event.action, event.client_ms
            )
            events, refused = action_events(before, event.seat, message, event.server_ms)
            assert refused == ""
        else:
            continue
        record = append_events(rules, record, events)
        by_server = due_events(fold(rules, record), event.server_ms, answer_engine=engine_action_of)
        record = append_events(rules, record, by_server)
    return record


def test_simulated_table_equals_the_servers_export(simulated_table):
    game, text = simulated_table
    assert export_by_server(game, text) == text


def test_simulated_outcome_and_score_equal_the_servers(simulated_table):
    game, text = simulated_table
    rules = games_by_name()[game].rules
    for hand in hands_of(text):
        record = fold(rules, recorded(game, hand))
        state = history(hand, rules).hand.state
        assert rules.is_over(state)
        for seat in rules.seats(state):
            result = rules.result(state, seat, record.seconds(seat))
            assert result == record.result(seat)
        first = rules.result(state, rules.seats(state)[0], 0)
        assert hand.end.action == f"end {first.outcome}"


@given(data=st.data(), seed=st.integers(0, 10**9))
def test_every_strategys_table_equals_the_servers_export(data, seed):
    game = data.draw(st.sampled_from(sorted(APPS)))
    strategies = list(games_by_name()[GAMES[game].folder].load_module("strategies").STRATEGIES)
    strategy = data.draw(st.sampled_from(strategies))
    options = {"strategy": strategy, "deals": "seed", "hands": 1, "seed": seed, "settings": small(game)}
    text = table(simulated(game, 2, **options))
    assert export_by_server(GAMES[game].folder, text) == text


def config(name, **fields):
    return {
        **SESSION_CONFIG_DEFAULTS,
        **next(one for one in SESSION_CONFIGS if one["name"] == name),
        "deal_file": "seed",
        **fields,
    }


def test_ttt_hands_equal_a_sessions_without_practice():
    hands = ttt_solo_app.deal(config("ttt_static_422", practice_hands=0), 4).hands
    assert_same_deals(simulated("ttt").deal(1).hands_by_group[0], hands)


def test_matrix_hands_equal_a_sessions_with_the_seed():
    fields = {"seed": 77, "players": 4, "group_size": 4, "games": 3, "gather_seconds": 0}
    games = matrix_game_app.deal(config("matrix_two", **fields), 4).hands
    dealt = simulated("matrix", seed=77, hands=3, settings={"players": "4"}).deal(1).hands_by_group[0]
    assert all(one.options.pop("robots") == {} for one in dealt)  # the server adds it with the seats
    assert_same_deals(dealt, games)


def test_triangle_hands_equal_a_sessions_with_the_seed():
    fields = {"seed": 5, "doubled": 3, "mixed_in": 2}
    hands = triangle_app.deal(config("triangle_standard", **fields), 4).hands
    chosen = {"doubled": "3", "mixed_in": "2", "highlight": "TRUE"}
    assert_same_deals(simulated("triangle", seed=5, settings=chosen).deal(1).hands_by_group[0], hands)


def assert_same_deals(dealt, hands):
    assert list(map(write_opening, dealt)) == [write_opening(opening) for (opening,) in hands]


# ---------------------------------------------------------------- treatments

TREATMENTS = """
[plain]
hands = 2
feedback = false
[doubled]
share = 2
doubled = 3
deal_file = "seed"
"""


@pytest.fixture
def treatments(tmp_path):
    """Returns a function that writes a treatment file and returns its name."""

    def write(text):
        (tmp_path / "own.toml").write_text(text, "utf-8")
        return str(tmp_path / "own.toml")

    return write


def test_each_treatment_has_its_participants_and_hands(treatments):
    simulation = simulated("triangle", 12, treatments=treatments(TREATMENTS), seed=3)
    rows = list(csv.DictReader(io.StringIO(table(simulation), newline="")))
    who = {row["participant_code"]: row["treatment"] for row in rows}
    assert Counter(who.values()) == {"plain": 4, "doubled": 8}
    hands = {(row["treatment"], row["hand"]) for row in rows}
    assert hands == {("plain", "1"), ("plain", "2"), *(("doubled", f"{hand}") for hand in (1, 2, 3))}
    dealt = {row["treatment"]: row for row in rows if row["hand"] == "1" and row["settings"]}
    assert '"doubled":0' in dealt["plain"]["settings"]
    assert '"doubled":3' in dealt["doubled"]["settings"]
    assert simulation.requests["plain"].left_out == ("feedback",)
    session = triangle_app.deal(config("triangle_standard", seed=3, doubled=3), 4).hands
    assert dealt["doubled"]["action"] == f"deal {session[0][0].deal}"


def test_co_players_share_a_treatment(treatments):
    asked = simulated("matrix", 8, treatments=treatments("[a]\n[b]\npack = 'special'\n"), hands=1)
    rows = csv.DictReader(io.StringIO(table(asked), newline=""))
    tables = {(row["hand_id"], row["treatment"]) for row in rows}
    assert len(tables) == len({hand_id for hand_id, _treatment in tables}) == 4


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[a]\nhands = 'all'\n", "own.toml [a], line 2: hands must be a whole number, 1 or more, not 'all'."),
        ("[a]\ndoubled = 10\n", "own.toml [a], line 2: settings: doubled must be "),
        (
            "[a]\ndeal_file = 'none.txt'\n",
            "own.toml [a]: none.txt: There is no such file. Files in deals/triangle/",
        ),
        ("[a\n", "own.toml, line 1, column 3: This is not valid TOML"),
    ],
)
def test_undealable_treatment_is_refused(treatments, text, sentence):
    with pytest.raises(BadFile) as refused:
        simulated("triangle", treatments=treatments(text))
    assert sentence in str(refused.value)


def test_treatments_with_different_table_sizes_are_refused(treatments):
    with pytest.raises(BadFile, match="All treatments must have the same number of participants at a table"):
        simulated("matrix", treatments=treatments("[a]\n[b]\nplayers = 4\n"))


# ---------------------------------------------------------------- reproducibility

IN_A_PROCESS = """
import sys
from cardlab.analysis.simulation import plan, sessions
for game, arguments in {sessions!r}:
    sessions.write_table(plan.plan_simulation(game, participants=4, **arguments), sys.stdout)
"""


def test_hash_order_does_not_change_the_output():
    other_process = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS.format(sessions=list(SESSIONS.values()))],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    ).stdout.decode()
    here = "".join(map(table_of, SESSIONS))
    assert other_process.replace("\r\r\n", "\r\n") == here


def test_another_seed_gives_other_actions():
    for game in APPS:
        options = {"hands": 1, "settings": small(game)}
        one, other = (rows_of(table(simulated(game, seed=seed, **options))) for seed in (1, 2))
        assert [row["action"] for row in one] != [row["action"] for row in other]
        assert [row["client_ms"] for row in one] != [row["client_ms"] for row in other]
        assert not {row["session_code"] for row in one} & {row["session_code"] for row in other}


@pytest.mark.parametrize("game", APPS)
def test_repeated_sessions_have_own_codes_and_draws(game):
    rows = rows_of(table(simulated(game, hands=2, sessions=3, settings=small(game))))
    sessions = [list(of) for _code, of in itertools.groupby(rows, key=lambda row: row["session_code"])]
    assert [session[0]["session_created_utc"] for session in sessions] == [
        f"2026-01-0{day}T09:00:00.000Z" for day in (1, 2, 3)
    ]
    played = [[row["action"] for row in session if row["client_ms"]] for session in sessions]
    assert played[0] != played[1] != played[2] != played[0]
    codes = [{row["participant_code"] for row in session} - {""} for session in sessions]
    assert len(set.union(*codes)) == 12
    assert rows_of(table(simulated(game, hands=2, settings=small(game)))) == sessions[0]


OTHERWISE = {
    "seed": {"seed": 2},
    "strategy": {"strategy": "optimal"},
    "mix": {"mix": "random:3,optimal:1"},
    "another mix": {"mix": "random:1,optimal:3"},
    "participants": {"participants": 6},
    "setting": {"settings": {"ViewCard": "none"}},
    "deals": {"deals": "transfer442.txt"},
    "drawn deals": {"deals": "seed"},
    "number of hands": {"hands": 3},
}


def codes_of(text):
    rows = rows_of(text)
    return {row[column] for row in rows for column in ("session_code", "participant_code", "hand_id")}


@pytest.mark.parametrize("what", OTHERWISE)
def test_different_sessions_share_no_code(what):
    options = {"deals": "transfer422.txt", "hands": 2}
    one, other = (
        codes_of(table(simulated("ttt", **own))) for own in (options, {**options, **OTHERWISE[what]})
    )
    assert one
    assert not one & other


def test_codes_depend_on_the_deal_files_content(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    codes = []
    for layout in ("3H 2C 2H 4C 4H 3C", "3H 2C 4H 4C 2H 3C"):
        Path("mine.txt").write_text(f"C Ck UP T N Nk\n{layout}\n", "utf-8")
        codes.append(codes_of(table(simulated("ttt", deals="mine.txt"))))
    assert not codes[0] & codes[1]


def test_two_deal_files_give_different_participants(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number in ("422", "442"):
        asked = ["--deals", f"transfer{number}.txt", "--participants", "4", "--hands", "3"]
        assert main(["simulate", "ttt", *asked, "--seed", "7", "-o", f"p{number}.csv"]) == 0
    assert main(["hands", "p422.csv", "p442.csv", "-o", "hands.csv"]) == 0
    assert "merged" not in capsys.readouterr().err
    rows = rows_of(Path("hands.csv").read_text("utf-8"))
    people = {(row["participant_code"], row["show_file"]) for row in rows}
    assert (len(rows), len(people), len({code for code, _file in people})) == (24, 8, 8)


# ---------------------------------------------------------------- contents


def test_rows_are_complete_and_lines_end_like_otrees(simulated_table):
    _game, text = simulated_table
    heading, *rows = csv.reader(io.StringIO(text, newline=""))
    assert heading == list(ACTION_COLUMNS)
    assert {len(row) for row in rows} == {len(ACTION_COLUMNS)}
    assert text.count("\r\n") == text.count("\n") == len(rows) + 1


def test_hands_are_ordered_by_round():
    hands = hands_of(table(simulated("ttt", hands=3)))
    assert [hand.number for hand in hands] == [1] * 4 + [2] * 4 + [3] * 4
    assert [hand.cells["id_in_session"] for hand in hands] == ["1", "2", "3", "4"] * 3


def test_participant_label_is_the_strategy():
    ttt = games_by_name()["ttt"]
    for hand in hands_of(table(simulated("ttt", mix="optimal:1,random:1", hands=3))):
        if hand.cells["participant_label"] == "optimal":
            played = history(hand, ttt.rules)
            moves = sum(event.action in "UCNTP" for event in hand.events)
            assert moves == ttt.measures.measure_hand(played, "solo")["least_moves"]
        assert hand.cells["participant_label"] in ("optimal", "random")
        assert (hand.cells["is_bot"], hand.cells["is_demo"]) == ("1", "0")


def test_dealer_changes_while_partners_stay():
    first, second = (
        [hand for hand in hands_of(table(simulated("matrix", 8))) if hand.number == number]
        for number in (1, 2)
    )
    people = [[dict(hand.people) for hand in hands] for hands in (first, second)]
    assert [{"S": one["W"], "W": one["S"]} for one in people[0]] == people[1]
    assert [hand.hand_id[-3:] for hand in first + second] == [
        f"{group}-{number}" for number in (2, 3) for group in range(1, 5)
    ]
    assert len({who for one in people[0] for who in one.values()}) == 8


def test_times_increase_and_a_participants_hands_never_overlap(simulated_table):
    _game, text = simulated_table
    free_ms = {}
    for hand in hands_of(text):
        assert all(one.server_ms <= other.server_ms for one, other in itertools.pairwise(hand.events))
        assert all(hand.shown_ms <= event.server_ms for event in hand.events)
        for event in hand.events:
            assert event.client_ms in (None, event.server_ms - hand.shown_ms)
        for code in {code for code, *_others in hand.people.values()} - {""}:
            assert hand.created_ms < free_ms.get(code, hand.created_ms + 1) <= hand.shown_ms
            free_ms[code] = hand.end.server_ms


def test_nobody_acts_before_arriving():
    for hand in hands_of(table(simulated("matrix", 8, settings={"players": "4"}))):
        arrived = set()
        for event in hand.events:
            if event.action == "arrive":
                arrived.add(event.seat)
            elif event.seat:
                assert event.seat in arrived
        assert arrived == set("SWNE")


def test_response_times_fall_with_practice():
    first, last = [], []
    for hand in hands_of(table(simulated("ttt", 40, hands=20))):
        if hand.number in (1, 20):
            (first if hand.number == 1 else last).append(hand.events[0].client_ms)
    assert 1400 < statistics.median(first) < 2800
    assert statistics.median(last) == pytest.approx(statistics.median(first) * 20**-0.3, rel=0.35)


def test_first_hand_is_yielded_before_others_are_played():
    rows = next(sessions.simulate_hands(simulated("ttt", sessions=10**12)))
    assert rows[0][list(ACTION_COLUMNS).index("action")].startswith("deal 3H 2C 2H 4C 4H 3C")


# ---------------------------------------------------------------- use by other commands


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(text, *command):
        Path("actions.csv").write_text(text, encoding="utf-8", newline="")
        assert main([command[0], "actions.csv", *command[1:]]) == 0
        said = capsys.readouterr()
        assert said.err == ""

    return run


@pytest.mark.parametrize("session", SESSIONS)
def test_hands_command_reads_the_table(run, session):
    _game, arguments = SESSIONS[session]
    run(table_of(session), "hands", "-o", "hands.csv")
    rows = rows_of(Path("hands.csv").read_text(encoding="utf-8"))
    hands = [row for row in rows if row["participant_code"]]  # the other rows are the computer's
    ends = {name for name, outcome in OUTCOMES.items() if outcome.is_regular}
    assert {row["outcome"] for row in hands} <= {*ends, "gave_up"}
    strategies = [
        name.split(":")[0] for name in arguments.get("mix", arguments.get("strategy", "random")).split(",")
    ]
    assert {row["participant_label"] for row in hands} == set(strategies)
    people = Counter(row["participant_code"] for row in hands)
    assert len(people) == 4 * arguments.get("sessions", 1)
    assert set(people.values()) == {int(rows_of(Path("actions.csv").read_text(encoding="utf-8"))[0]["hands"])}


def test_split_and_transform_read_the_table(run):
    text = table(simulated("ttt", hands=3, mix="informed:1,random:1"))
    run(text, "split", "--out", "logs")
    assert len(list(Path("logs").iterdir())) == 8
    run(text, "transform", "-o", "summary.txt")
    sequences = Path("summary.txt").read_text(encoding="utf-8").splitlines()[1::2]
    moves = [
        "".join(event.action for event in hand.events if event.action in "UCNTP")
        for hand in hands_of(Path("actions.csv").read_text(encoding="utf-8"))
    ]
    assert sorted(sequences) == sorted(moves)  # the summary goes participant by participant


def test_best_command_reads_the_table(run):
    text = table(simulated("triangle", 2, hands=1, mix="random:1,look_ahead:1"))
    run(text, "best", "-o", "best.csv")
    for row in rows_of(Path("best.csv").read_text(encoding="utf-8")):
        assert int(row["best_score"]) >= int(row["score"])


# ---------------------------------------------------------------- participants and strategies


@pytest.mark.parametrize(
    ("mix", "participants", "counts"),
    [
        ("a:0.5,b:0.5", 30, [15, 15]),
        ("a:2,b:1", 30, [20, 10]),
        ("a:1,b:1,c:1", 10, [4, 3, 3]),
        ("a:0.6,b:0.3,c:0.1", 4, [3, 1, 0]),
        ("a:0.5,b:0.35,c:0.15", 4, [2, 1, 1]),
        ("a:0.9,b:0.1", 4, [4, 0]),
        ("a:1/3,b:2/3", 7, [2, 5]),
        ("a:0.1,b:0.1,c:0.1", 3, [1, 1, 1]),
    ],
)
def test_mix_is_divided_by_largest_remainder(mix, participants, counts):
    assert list(plan.allocate_strategies(plan.parse_mix(mix), participants).values()) == counts


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=6), st.integers(0, 500))
def test_everybody_gets_a_strategy_near_its_share(shares, participants):
    by_strategy = {str(number): Fraction(share) for number, share in enumerate(shares)}
    counts = plan.allocate_strategies(by_strategy, participants)
    assert sum(counts.values()) == participants
    for name, share in by_strategy.items():
        assert abs(counts[name] - participants * share / sum(shares)) < 1


def test_seed_determines_the_assignment_of_strategies():
    def labels(seed):
        return [
            hand.cells["participant_label"]
            for hand in hands_of(table(simulated("ttt", 20, mix="optimal:3,random:1", hands=1, seed=seed)))
        ]

    assert Counter(labels(1)) == Counter(labels(2)) == {"optimal": 15, "random": 5}
    assert labels(1) != labels(2)


def test_participants_default_to_thirty_or_a_seatable_number():
    sizes = [("ttt", {}), ("matrix", {}), ("matrix", {"players": "4"})]
    assert [plan.plan_simulation(game, settings=settings).participants for game, settings in sizes] == [
        30,
        30,
        32,
    ]


@pytest.mark.parametrize("game", games_by_name().values(), ids=list(games_by_name()))
def test_every_game_has_what_simulation_needs(game):
    strategies = game.load_module("strategies").STRATEGIES
    assert "random" in strategies
    assert all(strategy.description.endswith(".") for strategy in strategies.values())
    assert {
        label
        for row in rows_of(table(simulated(game.name, hands=1, settings=small(game.name))))
        if (label := row["participant_label"])
    } == {"random"}


# ---------------------------------------------------------------- choice of hands


def test_first_hands_of_a_file_can_be_chosen():
    short, whole = (simulated("ttt", hands=hands).deal(1).hands_by_group[0] for hands in (5, None))
    assert (len(short), len(whole)) == (5, 40)
    assert [one.deal for one in whole[:5]] == [one.deal for one in short]
    assert {one.of for one in short} == {5}
    assert {one.source for one in whole} == {one.options["ShowFileName"] for one in whole} == {"game422.txt"}


def test_own_deal_file_is_read(tmp_path):
    file = tmp_path / "mine.txt"
    file.write_bytes(b"// order: LINEAR\r\n3H 2C 2H 4C 4H 3C\r\n2H 3H 4H 2C 3C 4C 4H nk\r\n")
    (one, other) = (
        simulated("ttt", deals=str(file), settings={"Goal": "4H", "FirstMove": "nk"})
        .deal(1)
        .hands_by_group[0]
    )
    assert (one.deal, other.deal) == ("3H 2C 2H 4C 4H 3C | 4H | nk", "2H 3H 4H 2C 3C 4C | 4H | nk")
    assert (one.source, len(one.sha256), one.options["ShowFileName"]) == ("mine.txt", 64, "mine.txt")


def test_bare_file_name_means_the_shipped_file(tmp_path, monkeypatch):
    """A file of the same name in the current folder does not matter."""
    monkeypatch.chdir(tmp_path)
    Path("game422.txt").write_text("2H 3H 4H 2C 3C 4C 4H nk\n")
    assert len(simulated("ttt", deals="game422.txt").deal(1).hands_by_group[0]) == 40
    assert len(simulated("ttt", deals="./game422.txt").deal(1).hands_by_group[0]) == 1


def test_drawn_deals_change_between_sessions_file_deals_stay():
    for game in APPS:
        drawn = simulated(game, deals="seed", hands=2)
        assert [one.deal for one in drawn.deal(1).hands_by_group[0]] != [
            one.deal for one in drawn.deal(2).hands_by_group[0]
        ]
    assert simulated("ttt").deal(1).hands_by_group[0] == simulated("ttt").deal(2).hands_by_group[0]


def test_simulated_hands_follow_their_settings():
    chosen = {
        "MaxRounds": "3",
        "ViewCard": "none",
        "ViewCkNk": "true",
        "pay_by": "time",
        "time_scale_seconds": "7.5",
    }
    hands = hands_of(table(simulated("ttt", settings=chosen, hands=2)))
    for hand in hands:
        assert {name: hand.options[name] for name in chosen} == {
            "MaxRounds": 3,
            "ViewCard": "none",
            "ViewCkNk": True,
            "pay_by": "time",
            "time_scale_seconds": 7.5,
        }
        assert sum(event.action in "UCNTP" for event in hand.events) <= 3


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("game", "arguments", "sentence"),
    [
        ("chess", {}, f"chess: Unknown game. The games are {', '.join(sorted(games_by_name()))}."),
        (
            "matrix",
            {"strategy": "optimal"},
            "optimal: The matrix card game has no such strategy. The strategies are random, greedy",
        ),
        (
            "triangle",
            {"mix": "random:1,best:1"},
            "best: Triangle Solitaire has no such strategy. The strategies are random, ",
        ),
        (
            "ttt",
            {"mix": "random"},
            "mix: A mix must have the form strategy:share,strategy:share, such as random:0.5; not 'random'.",
        ),
        ("ttt", {"mix": "random:0.5,"}, "mix: A mix must have the form "),
        ("ttt", {"mix": "random:-1"}, "mix: A mix must have the form "),
        ("ttt", {"mix": "random:nan"}, "mix: A mix must have the form "),
        ("ttt", {"mix": "random:1/0"}, "mix: A mix must have the form "),
        ("ttt", {"mix": "random:1,random:1"}, "mix: random appears twice."),
        (
            "matrix",
            {"participants": 3},
            "participants: 3 participants cannot be seated at tables of 2. Use a multiple of 2.",
        ),
        ("ttt", {"deals": "none.txt"}, "none.txt: There is no such file. Files in deals/ttt/: CardLab.ini, "),
        ("ttt", {"deals": "/"}, "/: There is no such file. Files in deals/ttt/: "),
        ("matrix", {"deals": "four_players.txt"}, "four_players.txt, line "),
        (
            "triangle",
            {"deals": "learning.txt", "hands": 9},
            "learning.txt: 9 hands were requested, but the file has only 3.",
        ),
        ("ttt", {"hands": 41}, "game422.txt: 41 hands were requested, but the file has only 40."),
        (
            "ttt",
            {"settings": {"maxrounds": "3"}},
            "settings: Unknown setting 'maxrounds'. The settings are Path, ",
        ),
        (
            "ttt",
            {"settings": {"MaxRounds": "0"}},
            "settings: MaxRounds must be a whole number from 1 to 1000, not '0'.",
        ),
        ("ttt", {"settings": {"pay_by": "luck"}}, "settings: pay_by must be moves or time, not 'luck'."),
        (
            "ttt",
            {"settings": {"time_scale_seconds": "nan"}},
            "settings: time_scale_seconds must be a number more",
        ),
        ("ttt", {"settings": {"settings_file": "x.ini"}}, "x.ini: There is no such file. "),
        ("matrix", {"settings": {"players": "3"}}, "settings: players must be 2 or 4, not '3'."),
        (
            "matrix",
            {"settings": {"change_choice": "1"}},
            "settings: change_choice must be FALSE or TRUE, not '1'.",
        ),
        (
            "matrix",
            {"settings": {"MaxRounds": "3"}},
            "settings: Unknown setting 'MaxRounds'. The settings are players, pack, court, change_choice",
        ),
        (
            "triangle",
            {"settings": {"doubled": "5", "mixed_in": "5"}},
            "settings: The options doubled and mixed_in together",
        ),
    ],
)
def test_invalid_arguments_are_refused_with_valid_values(game, arguments, sentence):
    with pytest.raises(BadFile) as refused:
        plan.plan_simulation(game, **arguments)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_settings_are_parsed_from_the_command_line():
    assert plan.parse_settings(["MaxRounds = 7", "Path=a=b", "MaxRounds=8"]) == {
        "MaxRounds": "8",
        "Path": "a=b",
    }
    with pytest.raises(BadFile, match="A setting must have the form name=value, not 'MaxRounds'."):
        plan.parse_settings(["MaxRounds"])


def test_binary_deal_file_is_refused(tmp_path):
    file = tmp_path / "deals.txt"
    file.write_bytes(b"// fine\n\xff\xfe\n")
    with pytest.raises(BadFile, match="line 2: This line is not text in UTF-8"):
        simulated("matrix", deals=str(file))
