"""Compares the tables of hands and moves with a hand-computed game and a second count of random ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening
from cardlab.games.solitario import measures, rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS, Deal, format_deal
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.scoring import POINTS

SHOWN = 1_000_000
OPTIONS = {"undo": True}


def dealt(columns, stock):
    """Returns a deal of Briscola with these cards at the ends of the columns and on top of the stock."""
    ends, top = [column.split() for column in columns], stock.split()
    named = {card for cards in (*ends, top) for card in cards}
    rest = [card for card in PACKS["briscola"].cards if card not in named]
    full = [[rest.pop() for _card in range(n - len(end))] + end for n, end in enumerate(ends, 1)]
    return format_deal(Deal(tuple(map(tuple, full)), (*top, *rest)))


DEAL = dealt(["1s", "Rd 2s", "3d", "Vc", "Rc", "Cb", "1d"], "1b 7d")


def record(*rows):
    """Makes a record of rows ``(seconds since shown, action)``: ! marks notes, ? marks refusals."""
    events, number = [], 0
    for seconds, action in rows:
        ms = round(1000 * seconds)
        if action.startswith("!"):
            events.append(Event(None, "solo", action[1:], None, SHOWN + ms, None))
        elif action.startswith("?"):
            events.append(Event(number + 1, "solo", action[1:], ms, SHOWN + ms + 40, False, "No."))
        else:
            number += 1
            events.append(Event(number, "solo", action, ms, SHOWN + ms + 40))
    return events


ROWS = (
    (1.5, "pick 1 1"),
    (2, "home 1"),  # the ace of swords
    (3, "draw"),  # while the two of swords and the ace of coins could go home
    (4, "undo"),
    (4.5, "!reconnect"),
    (6, "draw"),
    (7, "home w"),
    (7.2, "?home w"),
    (8, "home 2"),  # the two of swords
    (9, "up 2"),  # the king of coins
    (10, "move 2 1 1"),  # the king moves to another empty column
    (11, "back s 3"),
    (12, "move 6 5 1"),
    (12.5, "home 7"),
    (13, "home d 4"),  # the ace of coins goes to another foundation
    (15.25, "give up"),
)
ENDED = [*record(*ROWS), Event(99, "", "end gave_up", None, SHOWN + 15_290)]
TAKEN_BACK = {"undo", "give up"}


def history(events=ENDED, options=OPTIONS, deal=DEAL):
    return History.replay(rules, Opening(deal, options, shown_ms=SHOWN), events)


def hand(*arguments):
    row = measures.measure_hand(history(*arguments), "solo")
    del row["line"]
    return row


def moves(*arguments):
    return list(measures.move_rows(history(*arguments)))


def column(rows, name):
    return [row[name] for row in rows]


# A hand-computed game


def test_known_hand_has_the_expected_measures():
    assert hand() == {
        "sequence": "home 1; draw; undo; draw; home w; home 2; up 2; move 2 1 1; back s 3; move 6 5 1; "
        "home 7; home d 4; give up",
        **{"pack": "briscola", "draw": 1, "ace_on_two": 0, "turn_up": "click", "undo": 1},
        **{"moves": 11, "from_stock": 0, "turned_up": 1, "sent_home": 4, "brought_back": 1, "turn_overs": 0},
        **{"points_of_events": 25 + 4 * 60 - 75, "time_points": -15, "bonus": 0, "cards_home": 3},
        **{"first_home_ms": 2000, "home_left": 7, "led_nowhere": 3, "undone": 1, "pick_ups": 1},
    }


def test_known_hand_has_the_expected_action_rows():
    rows = moves()
    assert column(rows, "move_number") == [*range(1, 14)]
    assert [(row["kind"], row["source"], row["cards"]) for row in rows] == [
        *(("home", "1", "1s"), ("draw", "stock", "1b"), ("undo", "", ""), ("draw", "stock", "1b")),
        *(("home", "w", "1b"), ("home", "2", "2s"), ("up", "2", "Rd"), ("move", "2", "Rd")),
        *(("back", "s", "2s"), ("move", "6", "Cb"), ("home", "7", "1d"), ("shift", "d", "1d")),
        ("give_up", "", ""),
    ]
    assert column(rows, "could_home") == [2, 2, 3, 2, 3, 2, 1, 1, 1, 2, 2, 1, 1]
    assert column(rows, "seen_before") == [0, 0, "", 1, 0, 0, 0, 1, 0, 0, 0, 1, ""]
    assert column(rows, "points_after") == [60, 60, 60, 60, 120, 180, 205, 205, 130, 130, 190, 190, 190]
    assert column(rows, "cards_home_after") == [1, 1, 1, 1, 2, 3, 3, 3, 2, 2, 3, 3, 3]
    assert column(rows, "decision_ms")[:5] == [2000, 1000, 1000, 2000, 1000]
    assert sum(column(rows, "decision_ms")) == 15_250
    assert column(rows, "server_ms")[-1] == SHOWN + 15_290


def test_hand_without_actions_has_empty_measures():
    row = hand([])
    assert (row["sequence"], row["moves"], row["first_home_ms"], row["time_points"]) == ("-", 0, "", 0)
    assert moves([]) == []


def test_repeating_the_stock_counts_as_leading_nowhere():
    stock = len(PACKS["briscola"].cards) - 28
    once = ["draw"] * stock
    rows = moves(record(*enumerate([*once, "turn", *once])), {})
    assert column(rows, "seen_before") == [0] * stock + [1] * (stock + 1)


def test_turning_up_automatically_is_not_a_move():
    rows = [row for row in ROWS if row[1] not in ("up 2", "move 2 1 1")]
    turned = hand(record(*rows), {"turn_up": "auto", "undo": True})
    assert (turned["turned_up"], turned["moves"]) == (3, 9)  # the cards under 2s, Cb and 1d


# Random play


@st.composite
def plays(draw):
    """Draws deal, options and events of a hand with undos and pick-ups, broken off anywhere."""
    options = {name: draw(st.sampled_from(values)) for name, values in ALLOWED_OPTIONS.items()}
    chance = draw(st.randoms(use_true_random=True))
    deal = rules.deal(str(chance.random()), options)
    state, events, ms = rules.start(deal, options), [], 0
    for number in range(1, draw(st.integers(0, 60)) + 1):
        actions = rules.legal_actions(state, "solo")
        homes = [action for action in actions if action.startswith("home")]
        action = chance.choice(homes if homes and chance.random() < 0.5 else actions[:-1] or actions)
        if chance.random() < 0.1:
            action = "pick w"
        ms += chance.randrange(3000)
        events.append(Event(number, "solo", action, ms, SHOWN + ms))
        state = rules.apply(state, "solo", action)
        if rules.is_over(state):
            break
    return deal, options, events


def looks(state):
    """Returns a position without regard to order."""
    columns = sorted(f"{' '.join(down)} / {' '.join(up)}" for down, up in state.columns)
    return (
        columns,
        sorted(f"{state.home_of(suit)}{suit}" for suit in state.pack.suits),
        state.waste,
        state.stock,
    )


@given(plays())
def test_measures_agree_with_a_second_count(play):
    deal, options, events = play
    row, rows = hand(events, options, deal), moves(events, options, deal)
    assert set(row) == {*measures.COLUMNS, "sequence"}
    assert all(set(each) == set(measures.MOVE_COLUMNS) for each in rows)
    played = [event.action for event in events if not event.action.startswith("pick")]
    assert row["sequence"] == ("; ".join(played) or "-")
    assert column(rows, "action") == played
    assert row["pick_ups"] == len(events) - len(played)
    state = rules.start(deal, options)
    before, left, nowhere, counted = [looks(state)], 0, 0, 0
    for action, each in zip(played, rows, strict=True):
        could = sum(move.startswith("home") for move in rules.legal_actions(state, "solo"))
        assert each["could_home"] == could
        after = rules.apply(state, "solo", action)
        if action not in TAKEN_BACK:
            counted += 1
            left += could > 0 and not action.startswith("home")
            nowhere += looks(after) in before
        before.append(looks(after))
        state = after
        assert (each["points_after"], each["cards_home_after"]) == (state.counts.points, sum(state.home))
    assert (row["moves"], row["home_left"], row["led_nowhere"]) == (counted, left, nowhere)
    assert row["undone"] == played.count("undo")
    assert row["points_of_events"] == sum(POINTS[name] * row[name] for name in POINTS)
    assert (
        row["points_of_events"] + row["time_points"] + row["bonus"]
        == history(events, options, deal).hand.result("solo").score
    )
    assert row["cards_home"] == row["sent_home"] - row["brought_back"]
    homes = [event.client_ms for event in events if event.action.startswith("home")]
    assert row["first_home_ms"] == (homes[0] if homes else "")


@given(plays())
def test_line_contains_the_actions_not_undone(play):
    deal, options, events = play
    line = measures.measure_hand(history(events, options, deal), "solo")["line"]
    state = rules.start(deal, {**options, "undo": False})
    played = [event.action for event in events if not event.action.startswith("pick")]
    for entry in line:
        state = rules.apply(state, "solo", played[entry.number - 1])
        assert measures.position(state) == measures.position(entry.state)
    assert len(line) == len(played) - 2 * played.count("undo")


@pytest.mark.parametrize("columns", [measures.COLUMNS, measures.MOVE_COLUMNS])
def test_every_column_is_explained(columns):
    assert all(len(meaning) > 9 for meaning in columns.values())
