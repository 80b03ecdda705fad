"""Tests simulated sessions of pairs: matching, seats, hands and strategies."""

import csv
import io

import pytest

from cardlab.analysis.simulation import plan, play, sessions
from cardlab.games import seating
from cardlab.games.contract import BadFile

BLOCKS = "transfer422.txt/familiar442.txt:2,mixed.txt:1,mixed.txt:1"


def simulated(participants=8, seed=1, **options):
    settings = {"players": "2", **options.pop("settings", {})}
    return plan.plan_simulation("ttt", participants=participants, seed=seed, settings=settings, **options)


def hands_of(simulation):
    """Returns the strategy in each seat by hand and table, without its settings."""
    file = io.StringIO(newline="")
    sessions.write_table(simulation, file)
    hands = {}
    for row in csv.DictReader(io.StringIO(file.getvalue(), newline="")):
        if row["seat"] and row["participant_code"]:
            _app, _code, table, number = row["hand_id"].split("-")
            who = row["participant_code"], row["participant_label"]
            hands.setdefault((int(number) - 1, int(table)), {})[row["seat"]] = who
    return hands


def test_simulated_pairs_equal_the_servers_plan():
    session = simulated(seed=5).deal(1)
    (tables, *_later) = play.seat_tables(simulated().game, session, range(1, 9))
    plan = seating.plan_groups("5, groups of game 1", range(1, 9), 2)
    assert [tuple(table.seats[seat] for seat in ("ck", "nk")) for table in tables] == sorted(plan, key=min)


@pytest.mark.parametrize("roles", ["kept", "exchanged"])
def test_mixed_pairs_keep_their_members_strategies(roles):
    settings = {"blocks": BLOCKS, "partners": "mixed", "roles": roles}
    simulation = simulated(settings=settings, seats="ck=informed,nk=routinizing=0.5")
    played = hands_of(simulation)
    assert len(played) == 4 * 4
    for hand, game in enumerate(play.seat_tables(simulation.game, simulation.deal(1), range(1, 9)), 1):
        expected = ["mixed.txt"] * 4 if hand > 2 else ["transfer422.txt", "familiar442.txt"] * 2
        assert [table.game.source for table in game] == expected
        assert [table.is_new for table in game] == [hand in (1, 3, 4)] * 4
    trained, partner = {}, {}
    for (hand, table), at in sorted(played.items()):
        assert set(at) == {"ck", "nk"}
        keepers = ("nk", "ck") if roles == "exchanged" and hand == 3 else ("ck", "nk")
        assert [at[keeper][1] for keeper in keepers] == ["informed", "routinizing=0.5"]
        codes = [at[keeper][0] for keeper in keepers]
        if hand < 3:
            trained |= dict.fromkeys(codes, table % 2)
            partner[codes[0]] = {codes[1]}
        else:
            assert trained[codes[0]] != trained[codes[1]]
            assert codes[1] not in partner[codes[0]]
            partner[codes[0]].add(codes[1])


def test_participant_can_play_with_a_robot():
    simulation = simulated(
        3, settings={"group_size": "1", "robot": "always_442", "robot_seat": "ck"}, hands=1
    )
    assert [set(at) for at in hands_of(simulation).values()] == [{"nk"}] * 3
    assert simulation.deal(1).hands_by_group[0][0].options["players"] == 2


def test_seats_assign_strategies_in_other_games():
    simulation = plan.plan_simulation("matrix", participants=4, hands=2, seats="S=greedy,W=random", seed=3)
    first, second = (
        [at for (hand, _table), at in sorted(hands_of(simulation).items()) if hand == n] for n in (1, 2)
    )
    assert [{seat: name for seat, (_code, name) in at.items()} for at in first] == [
        {"S": "greedy", "W": "random"}
    ] * 2
    assert {who for at in first for who in at.values()} == {who for at in second for who in at.values()}
    assert {at["W"][1] for at in second} == {
        "greedy"
    }  # the dealer changes, strategies stay with their participants
    assert simulation.counts == {"greedy": 2, "random": 2}


def test_different_settings_give_different_participants():
    logged = [
        {"hands": 1},
        {"settings": {"roles": "exchanged", "blocks": BLOCKS}},
        {"settings": {"blocks": BLOCKS}},
        {"seats": "ck=random,nk=random", "hands": 1},
        {"settings": {"group_size": "1"}, "hands": 1},
    ]
    codes = [
        {code for at in hands_of(simulated(4, **one)).values() for code, _name in at.values()}
        for one in logged
    ]
    assert len(set.union(*codes)) == sum(map(len, codes))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"settings": {"players": "3"}}, "players must be 1 or 2, not '3'."),
        ({"settings": {"players": "1", "roles": "kept"}}, "roles goes with players 2."),
        ({"settings": {"partners": "mixed"}}, "partners can be mixed only with several blocks"),
        ({"settings": {"robot": "clever"}}, "robot must be informed or always_422"),
        ({"settings": {"blocks": "demo.txt"}, "hands": 2}, "blocks says which show files there are"),
        ({"settings": {"blocks": "none.txt"}}, "none.txt: There is no such file. Files in deals/ttt/: "),
        (
            {"settings": {"blocks": "demo.txt", "ShowFileName": "demo.txt"}},
            "ShowFileName cannot be used with blocks",
        ),
        (
            {"seats": "ck=informed"},
            "--seats: Name a strategy for each seat, such as ck=random,nk=always_422; not 'ck=informed'.",
        ),
        ({"seats": "ck=informed,nk"}, "--seats: Name a strategy for each seat"),
        ({"seats": "ck=informed,ck=random,nk=random"}, "--seats: Name a strategy for each seat"),
        ({"seats": " "}, "--seats: No strategy is named"),
        ({"participants": 5}, "5 participants cannot be seated at tables of 2"),
    ],
)
def test_invalid_options_are_refused(options, sentence):
    with pytest.raises(BadFile) as refused:
        simulated(**options)
    assert sentence in str(refused.value)


def test_pairs_share_a_treatment_and_its_blocks(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        '[a]\nblocks = "transfer422.txt:1, mixed.txt:1"\npartners = "rematched"\nno_shows = "robot"\n'
        '[b]\nttt_pair_app.blocks = "familiar442.txt:1, mixed.txt:1, mixed.txt:1"\nroles = "exchanged"\n',
        "utf-8",
    )
    simulation = simulated(8, treatments=str(file), hands=None)
    assert simulation.requests["a"].left_out == ("no_shows",)
    played, of = hands_of(simulation), {}
    file = io.StringIO(newline="")
    sessions.write_table(simulation, file)
    for row in csv.DictReader(io.StringIO(file.getvalue(), newline="")):
        of[row["participant_code"]] = row["treatment"]
    pairs = {(hand, table): {of[code] for code, _name in at.values()} for (hand, table), at in played.items()}
    assert all(len(treatments) == 1 for treatments in pairs.values())
    assert [[*pairs.values()].count({name}) for name in "ab"] == [2 * 2, 2 * 3]
    once = {frozenset(at.values()) for (hand, _table), at in played.items() if hand == 1}
    again = {frozenset(at.values()) for (hand, _table), at in played.items() if hand == 2}
    assert len(once & again) == 2  # the pairs of treatment b stay together
