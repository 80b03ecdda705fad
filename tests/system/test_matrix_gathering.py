"""Tests the matching of groups in the matrix card game: waiting, robots and left-over participants."""

import itertools
from contextlib import closing

import pytest
from exported_hands import hands_by_id, unexpected_log_lines
from matrix_table import MatrixTable, arrive, create_session, groups, session_rows
from server_fixture import wait_for
from tabs import Socket, Visitor, advance

from cardlab.games import seating

# Values of gather_seconds: for one who waits alone; where tests end the waiting time themselves; and for one
# who is repeatedly left over.
SOON = 0.3
UNLIMITED_PATIENCE = 100_000
LATER = 1.5


def numbers(session, visitors):
    """Returns the participants' numbers in the session."""
    return frozenset(1 + session.participants.index(visitor.code) for visitor in visitors)


def expire_waiting_time(server, session):
    """Ends the waiting time of everybody who is waiting."""
    with closing(server.sqlite()) as database, database:
        database.execute(
            "UPDATE matrix_game_app_player SET waiting_since_ms = waiting_since_ms - 2e7 "
            "WHERE session_id = (SELECT id FROM otree_session WHERE code = ?)",
            [session.code],
        )


def age_last_request(server, visitor):
    """Sets the time of the participant's last request 15 minutes back."""
    with closing(server.sqlite()) as database, database:
        database.execute(
            "UPDATE otree_participant SET _last_request_timestamp = _last_request_timestamp - 900 "
            "WHERE code = ?",
            [visitor.code],
        )


def planned_pairs(seed=1, game=1):
    """Returns the planned pairs if all four arrive."""
    return sorted(
        sorted(pair) for pair in seating.plan_groups(f"{seed}, groups of game {game}", range(1, 5), 2)
    )


# A seed that changes the pairs in the second game.
CROSSING = next(seed for seed in range(1, 99) if planned_pairs(seed) != planned_pairs(seed, 2))


def test_complete_group_begins_at_once(server):
    (one, two), (three, four) = planned_pairs()
    session = create_session(server, 4)
    code = dict(enumerate(session.participants, 1))
    (first,) = arrive(server, [code[one]])
    with first.wait_page() as waiting:
        (other,) = arrive(server, [code[three]])
        assert (first.name, other.name) == ("Gather", "Gather")
        assert "when everybody" in first.page.text
        assert first.ready == other.ready == [1, 2]
        with other.wait_page() as waits_on:
            (partner,) = arrive(server, [code[two]])
            assert partner.name == "Hand"
            assert waiting.receive() == {"status": "ready"}
            assert not waits_on.receives_within(0.3)  # nothing has changed for this one
    first.open_start_link()
    assert first.name == "Hand"
    other.open_start_link()
    assert other.name == "Gather"
    assert groups(server, session) == {frozenset({one, two})}
    arrive(server, [code[four]])
    assert groups(server, session) == {frozenset({one, two}), frozenset({three, four})}


def test_board_requires_a_group(server):
    session = create_session(server)
    (visitor,) = arrive(server, session.participants[:1])
    for _load in range(3):
        visitor.open_start_link()
        assert visitor.name == "Gather"
    assert groups(server, session) == set()
    assert hands_by_id(server, session.code) == {}


def test_unmatched_participant_gets_the_fee(server):
    session = create_session(server, gather_seconds=SOON, payoff_base=300, participation_fee=7)
    (visitor,) = arrive(server, session.participants[:1])
    visitor.wait_for_group()
    assert visitor.name == "Results"
    assert "No partner was available" in visitor.page.text
    assert 'class="hands"' not in visitor.page.text
    assert groups(server, session) == set()
    (row, never) = session_rows(server, session, "custom_export_participants")
    assert (row["payoff"], row["hands_over"], row["first_hand_shown_utc"]) == ("0.0", "0", "")
    assert "7" in row["earnings_total"]
    assert row["results_shown_utc"]
    assert never["came_utc"] == ""
    for function in ("custom_export", "custom_export_hands", "custom_export_turns"):
        assert session_rows(server, session, function) == []


def test_pages_promise_no_fee_without_one(server):
    fields = {"participation_fee": 0, "leave_button": "paid", "partner_away_seconds": 5}
    session = create_session(server, **fields)
    for visitor in arrive(server, session.participants):
        visitor.open_start_link()
        assert visitor.name == "Hand"
        assert "You are paid what you have earned so far.<" in visitor.page.text
        assert "You are paid for what you have played." in visitor.page.text
        assert "for taking part" not in visitor.page.text.partition('<dialog id="absent"')[2]
    session = create_session(server, gather_seconds=SOON, **fields)
    (visitor,) = arrive(server, session.participants[:1])
    visitor.wait_for_group()
    assert "No partner was available. Thank you!" in visitor.page.text


def test_unmatched_participant_plays_a_robot(server):
    session = create_session(server, gather_seconds=SOON, no_shows="robot", robot="greedy", games=2)
    (visitor,) = arrive(server, session.participants[:1])
    for _game in range(2):
        table = MatrixTable(server, session, [visitor])
        (mine,) = table.players
        table.play_to_the_end()
        (other,) = {"S", "W"} - {mine}
        assert table.game().settings["robots"] == {other: "greedy"}
        assert {row["participant_code"] for row in table.game().accepted_rows if row["seat"] == other} == {""}
        assert table.game().notes("absent") == []
        visitor.send()
    assert visitor.name == "Debriefing"


def test_nobody_waits_for_an_early_dropout(server):
    """Nobody waits for a participant without a connection for ``gone_after_seconds``."""
    session = create_session(
        server, gather_seconds=UNLIMITED_PATIENCE, gone_after_seconds=1, no_shows="robot"
    )
    partner = Visitor(server, session.participants[1])
    assert partner.name == "Instructions"
    with Socket(server, f"/here/{partner.code}") as page:
        page.receive()
        age_last_request(server, partner)
        (visitor,) = arrive(server, session.participants[:1])
        expire_waiting_time(server, session)
        for _look in range(3):
            visitor.open_start_link()
            assert visitor.name == "Gather"
    visitor.wait_for_group()
    table = MatrixTable(server, session, [visitor])
    assert len(table.players) == 1
    table.play_to_the_end()
    assert len(table.game().settings["robots"]) == 1


def test_a_participant_who_returns_is_waited_for_again(server):
    session = create_session(server, gather_seconds=UNLIMITED_PATIENCE, gone_after_seconds=1)
    partner = Visitor(server, session.participants[1])
    (visitor,) = arrive(server, session.participants[:1])
    age_last_request(server, partner)
    with Socket(server, f"/here/{partner.code}") as page:
        page.receive()
        expire_waiting_time(server, session)
        for _look in range(3):
            visitor.open_start_link()
            assert visitor.name == "Gather"
    partner.walk_to("Gather", "Hand")
    visitor.open_start_link()
    assert (visitor.name, partner.name) == ("Hand", "Hand")
    assert groups(server, session) == {frozenset({1, 2})}


def test_partners_of_dropouts_are_matched_early(server):
    pairs = planned_pairs()
    session = create_session(server, 4, gather_seconds=UNLIMITED_PATIENCE, gone_after_seconds=1)
    code = dict(enumerate(session.participants, 1))
    for _here, gone in pairs:
        Visitor(server, code[gone])
    here = arrive(server, [code[one] for one, _gone in pairs])
    for visitor in here:
        visitor.open_start_link()
        visitor.walk_to("Hand")
    assert groups(server, session) == {numbers(session, here)}


def test_timely_arrival_is_waited_for(server):
    session = create_session(server, gather_seconds=30)
    (first,) = arrive(server, session.participants[:1])
    first.open_start_link()
    assert first.name == "Gather"
    arrive(server, session.participants[1:])
    first.open_start_link()
    assert first.name == "Hand"


def test_leftovers_of_two_groups_play_together(server):
    (one, _absent), (three, _absent_too) = planned_pairs()
    session = create_session(server, 4, gather_seconds=UNLIMITED_PATIENCE)
    first, second = arrive(server, [session.participants[number - 1] for number in (one, three)])
    assert (first.name, second.name) == ("Gather", "Gather")
    expire_waiting_time(server, session)
    first.wait_for_group()
    second.wait_for_group()
    assert groups(server, session) == {frozenset({one, three})}
    MatrixTable(server, session, [first, second]).play_to_the_end()


def test_one_poll_starts_all_possible_groups(server):
    pairs = seating.plan_groups("1, groups of game 1", range(1, 9), 2)
    session = create_session(server, 8, gather_seconds=UNLIMITED_PATIENCE)
    visitors = arrive(server, [session.participants[one - 1] for one, _absent in pairs])
    assert {visitor.name for visitor in visitors} == {"Gather"}
    expire_waiting_time(server, session)
    visitors[0].wait_for_group()
    made = groups(server, session)
    assert len(made) == 2
    assert frozenset.union(*made) == numbers(session, visitors)


def test_closed_waiting_page_does_not_count(server):
    (one, two), _others = planned_pairs()
    session = create_session(server, 4)
    (gone,) = arrive(server, [session.participants[one - 1]])
    with gone.wait_page():
        pass

    def let_go():
        found = "SELECT _waitpage_is_connected FROM otree_participant WHERE code = ?"
        return server.query(found, gone.code) == [(0,)]

    wait_for(let_go, "the server to see that the page is closed")
    with closing(server.sqlite()) as database, database:  # reloading a page takes less time
        database.execute("UPDATE matrix_game_app_player SET seen_waiting_ms = seen_waiting_ms - 10000")
    (partner,) = arrive(server, [session.participants[two - 1]])
    assert partner.name == "Gather"
    gone.open_start_link()  # the returning player joins the partner
    partner.open_start_link()
    assert (gone.name, partner.name) == ("Hand", "Hand")


def test_table_of_four_starts_with_three(server):
    session = create_session(
        server, 4, players=4, group_size=4, gather_seconds=UNLIMITED_PATIENCE, no_shows="robot"
    )
    visitors = arrive(server, session.participants[:3])
    assert [visitor.ready for visitor in visitors] == [[1, 4], [2, 4], [3, 4]]
    expire_waiting_time(server, session)
    for visitor in visitors:
        visitor.wait_for_group()
    table = MatrixTable(server, session, visitors)
    assert len(table.players) == 3
    table.play_to_the_end()
    assert len(table.game().settings["robots"]) == 1


def test_new_groups_pages_open_without_deadlock(server):
    """oTree's worker opens them ten seconds after a group has begun, for several groups at once."""
    session = create_session(server, 6)
    visitors = arrive(server, session.participants)
    with closing(server.sqlite()) as database, database:
        database.execute("UPDATE otree_taskqueuemessage SET epoch_time = 0")

    def done():
        for visitor in visitors:
            visitor.open_start_link()  # raises if the status is not 200
        return server.query("SELECT * FROM otree_taskqueuemessage WHERE epoch_time = 0") == []

    wait_for(done, "the worker to be done")
    assert "Auto-submitting timed out page: /p/" in server.stderr_text()


# ---------------------------------------------------------------- rematching


def play_on(server, session, visitors):
    """Seats everybody and lets the researcher end the games; returns the tables."""
    tables = [MatrixTable(server, session, group) for group in groups_at_board(server, session, visitors)]
    advance(server, session.code)
    for visitor in visitors:
        visitor.open_start_link()
    return tables


def groups_at_board(server, session, visitors):
    for visitor in visitors:
        assert visitor.name == "Hand"
    rows = server.query(
        "SELECT player.group_id, who.code FROM matrix_game_app_player AS player "
        "JOIN otree_participant AS who ON who.id = player.participant_id "
        "WHERE who._session_code = ? AND player.round_number = ? ORDER BY player.group_id",
        session.code,
        1 + visitors[0].js_vars()["hand"],
    )
    by_code = {visitor.code: visitor for visitor in visitors}
    for _group, members in itertools.groupby(rows, lambda row: row[0]):
        present = [by_code[code] for _id, code in members if code in by_code]
        if present:
            yield present


@pytest.mark.parametrize("rotate", [True, False])
def test_kept_partners_stay_together(server, rotate):
    session = create_session(server, 4, games=3, rotate_dealer=rotate)
    visitors = arrive(server, session.participants)
    for visitor in visitors:
        visitor.walk_to("Hand")
    seats = []
    for _game in range(3):
        tables = play_on(server, session, visitors)
        seats.append({each.visitor.code: seat for table in tables for seat, each in table.players.items()})
    assert groups(server, session, 1) == groups(server, session, 2) == groups(server, session, 3)
    for code in session.participants:
        first, second, third = (seats_of_game[code] for seats_of_game in seats)
        assert third == first
        assert (second != first) == rotate
    assert {visitor.name for visitor in visitors} == {"Debriefing"}


def test_four_players_deal_in_turn(server):
    session = create_session(server, 4, players=4, group_size=4, games=4, pack="special")
    visitors = arrive(server, session.participants)
    for visitor in visitors:
        visitor.walk_to("Hand")
    dealers, around = [], []
    for _game in range(4):
        (table,) = play_on(server, session, visitors)
        dealers.append(table.players["S"].visitor.code)
        codes = [table.players[seat].visitor.code for seat in "SWNE"]
        start = codes.index(session.participants[0])
        around.append(codes[start:] + codes[:start])
    assert sorted(dealers) == sorted(session.participants)
    assert around == [around[0]] * 4  # the order around the table stays the same


def test_rematched_partners_are_drawn_anew_by_the_seed(server):
    session = create_session(server, 4, games=3, partners="rematched", seed=CROSSING)
    visitors = arrive(server, session.participants)
    for game in (1, 2, 3):
        for visitor in visitors:
            visitor.walk_to("Hand")
        play_on(server, session, visitors)
        drawn = {frozenset(pair) for pair in planned_pairs(CROSSING, game)}
        assert groups(server, session, game) == drawn
    assert groups(server, session, 1) != groups(server, session, 2)
    assert {visitor.name for visitor in visitors} == {"Debriefing"}
    rows = session_rows(server, session, "custom_export_hands")
    exported = sorted((row["participant_code"], row["hand"]) for row in rows)
    assert exported == sorted(itertools.product(session.participants, "123"))


def planned_pairs_of_six(seed):
    return sorted(sorted(pair) for pair in seating.plan_groups(f"{seed}, groups of game 1", range(1, 7), 2))


def is_separated_in_next_game(seed):
    """Returns whether the first of two started pairs is separated in the second game."""
    (one, two), slow, _late = planned_pairs_of_six(seed)
    again = seating.plan_groups(f"{seed}, groups of game 2", [one, two, *slow], 2)
    return {one, two} not in map(set, again)


def test_waiting_player_does_not_rejoin_last_game(server):
    """A pair finishes its game before others reach the first waiting page."""
    seed = next(filter(is_separated_in_next_game, range(1, 99)))
    session = create_session(server, 6, games=2, partners="rematched", seed=seed, pack="special")
    code = dict(enumerate(session.participants, 1))
    quick, slow, late = planned_pairs_of_six(seed)
    table = MatrixTable(server, session, arrive(server, [code[number] for number in quick]))
    arrive(server, [code[number] for number in slow])
    table.play_to_the_end()
    assert {visitor.name for visitor in table.next_page()} == {"Gather"}
    played = session_rows(server, session, "custom_export_hands")
    assert [row["outcome"] for row in played] == ["completed"] * 2
    arrive(server, [code[late[0]]])
    assert groups(server, session) == {frozenset(quick), frozenset(slow)}
    arrive(server, [code[late[1]]])
    assert groups(server, session) == {frozenset(quick), frozenset(slow), frozenset(late)}
    assert session_rows(server, session, "custom_export_hands")[:2] == played


def test_rematched_players_wait_for_two_late_partners(server):
    """Participants who continue wait for their drawn partners, but only for a limited time."""
    session = create_session(
        server, 4, games=2, partners="rematched", seed=CROSSING, gather_seconds=UNLIMITED_PATIENCE
    )
    visitors = arrive(server, session.participants)
    for visitor in visitors:
        visitor.walk_to("Hand")
    quick, slow = (MatrixTable(server, session, pair) for pair in groups_at_board(server, session, visitors))
    quick.play_to_the_end()
    ahead = quick.next_page()
    assert {visitor.name for visitor in ahead} == {"Gather"}
    expire_waiting_time(server, session)
    for visitor in ahead:
        visitor.wait_for_group()
    assert groups(server, session, 2) == {numbers(session, ahead)}
    again = MatrixTable(server, session, ahead)
    slow.play_to_the_end()
    behind = slow.next_page()
    for visitor in behind:
        if visitor.name == "Gather":
            visitor.wait_for_group()
    assert groups(server, session, 2) == {numbers(session, ahead), numbers(session, behind)}
    again.play_to_the_end()
    MatrixTable(server, session, behind).play_to_the_end()


def test_rematched_trio_leaves_one_out_per_game(server):
    """Three of four arrive: in the first game one waits without success, later the draw leaves one out."""
    session = create_session(server, 4, games=3, partners="rematched", drawn_seconds=LATER)
    visitors = arrive(server, session.participants[:3])
    for game in (1, 2, 3):
        for visitor in visitors:
            visitor.open_start_link()
        gather = min(visitor.index - (visitor.name == "Hand") for visitor in visitors)
        for visitor in visitors:
            if visitor.index == gather:
                visitor.wait_for_group()
        (pair,) = groups(server, session, game)
        assert pair < {1, 2, 3}
        playing = [visitor for visitor in visitors if numbers(session, [visitor]) <= pair]
        MatrixTable(server, session, playing).play_to_the_end()
        for visitor in playing:
            visitor.send()
    for visitor in visitors:
        visitor.open_start_link()
        visitor.walk_to("Results")
    rows = session_rows(server, session, "custom_export_hands")
    assert sorted(row["hand"] for row in rows) == ["1", "1", "2", "2", "3", "3"]
    assert {row["outcome"] for row in rows} == {"completed"}


def test_rematched_late_arrivals_still_play_all_games(server):
    """Two have played their first game before the others arrive."""
    (one, two), (three, four) = planned_pairs(CROSSING)
    session = create_session(server, 4, games=2, partners="rematched", gather_seconds=0, seed=CROSSING)
    code = dict(enumerate(session.participants, 1))
    early = arrive(server, [code[one], code[two]])
    MatrixTable(server, session, early).play_to_the_end()
    for visitor in early:
        visitor.send()
    late = arrive(server, [code[three], code[four]])
    MatrixTable(server, session, late).play_to_the_end()
    for visitor in late:
        visitor.send()
    for visitor in (*early, *late):
        visitor.open_start_link()
        assert visitor.name == "Hand"


def test_no_unexpected_errors_were_logged(server):
    """This test must be last, because it checks what the tests above have logged."""
    assert unexpected_log_lines(server) == []
