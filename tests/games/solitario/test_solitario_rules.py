"""Tests the rules of Solitario (rulings 0, 22 and 23)."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS, complete_options, parse_deal
from cardlab.games.solitario.packs import PACKS, card_name, suit_name
from tests.games.solitario.grammar import FINISHES, PICKS, PLACED, PLAIN, attempt


def lay(*columns, waste="", stock="", home="", **options):
    """Returns a table of only these cards. Columns are ``down / up`` or just the face-up cards; ``home`` has
    the top card of each foundation in order, ``-`` for none."""
    options = complete_options(options)
    pack = PACKS[options["pack"]]
    parts = [column.rpartition("/") for column in columns] + [("", "", "")] * (7 - len(columns))
    tops = [*home.split(), *"----"][:4]
    counts = {top[-1]: pack.rank_of(top) + 1 for top in tops if top != "-"}
    return rules.State(
        tuple(rules.Column(tuple(down.split()), tuple(up.split())) for down, _bar, up in parts),
        tuple(stock.split()),
        options,
        waste=tuple(waste.split()),
        foundations=tuple("" if top == "-" else top[-1] for top in tops),
        home=tuple(counts.get(suit, 0) for suit in pack.suits),
    )


def play(state, *actions):
    for action in actions:
        state = rules.apply(state, rules.SEAT, action)
    return state


def refusal(state, action, seat=rules.SEAT):
    _state, reason = attempt(state, action, seat)
    assert reason, action
    return reason


def may(state):
    return list(rules.legal_moves(state))


def seen(state):
    return rules.view(state, rules.SEAT)


# Ruling 22: packs and deals


@pytest.mark.parametrize(
    ("pack", "cards", "stock"), [("briscola", 40, 12), ("tarocco", 56, 28), ("french", 52, 24)]
)
def test_seven_columns_and_a_stock_are_dealt(pack, cards, stock):
    state = rules.start(rules.deal("a deal", {"pack": pack}), {"pack": pack})
    assert len(set(PACKS[pack].cards)) == cards
    assert [(len(column.down), len(column.up)) for column in state.columns] == [(n, 1) for n in range(7)]
    view = seen(state)
    assert [column["down"] for column in view["columns"]] == list(range(7))
    assert [len(column["up"]) for column in view["columns"]] == [1] * 7
    expected = {"stock": stock, "waste": [], "waste_count": 0, "foundations": [None] * 4, "cards": cards}
    expected |= {"cards_home": 0, "points": 0, "moves": 0, "undone": 0, "may_undo": None, "last": ""}
    assert {key: view[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("pack", "low", "high"),
    [
        ("briscola", "1 2 3 4 5 6 7 V C R", "Rs Cd Vb 7c"),
        ("tarocco", "1 2 3 4 5 6 7 8 9 10 V C D R", "Rb Dc Cs Vd 10s"),
        ("french", "A 2 3 4 5 6 7 8 9 10 J Q K", "KS QH JC 10D"),
    ],
)
def test_packs_have_ranks_and_two_red_suits(pack, low, high):
    known = PACKS[pack]
    assert list(known.ranks) == low.split()
    assert [known.is_red(suit) for suit in known.suits] == [False, False, True, True]
    king, *run = high.split()
    state = lay("", *run[:1], king, *run[1:], pack=pack)
    state = play(state, "move 3 1 1", "move 2 1 1", "move 4 1 1")
    assert seen(state)["columns"][0]["up"] == high.split()[:3]


@pytest.mark.parametrize(
    ("card", "name"),
    [("1s", "ace of swords"), ("Vb", "knave of batons"), ("Cc", "knight of cups"), ("Dd", "queen of coins"),
     ("Rd", "king of coins"), ("10b", "10 of batons"), ("AC", "ace of clubs"), ("JS", "jack of spades"),
     ("QH", "queen of hearts"), ("KD", "king of diamonds"), ("7H", "7 of hearts")],
)  # fmt: skip
def test_a_card_has_a_name(card, name):
    assert str(card_name(card)) == name
    assert name.endswith(str(suit_name(card[-1])))


def test_a_deal_lists_columns_then_stock():
    deal = rules.deal("a deal", {})
    columns, stock = parse_deal(deal, PACKS["briscola"])
    state = rules.start(deal, {})
    assert [column.up for column in state.columns] == [column[-1:] for column in columns]
    assert seen(play(state, "draw"))["waste"] == [stock[0]]
    assert deal.split(" | ")[7].split()[0] == stock[0]
    assert rules.deal("another", {}) != deal == rules.deal("a deal", {"draw": 3, "undo": True})


@pytest.mark.parametrize("draw", [1, 3])
def test_a_draw_takes_the_set_or_remaining_cards(draw):
    state = play(lay(stock="1s 2s 3s 4s 5s", draw=draw), "draw")
    assert state.waste == ("1s", "2s", "3s")[:draw]
    assert seen(state)["waste"] == list(state.waste)
    for _draw in range(1 if draw == 3 else 4):
        state = play(state, "draw")
    assert (state.stock, state.waste) == ((), ("1s", "2s", "3s", "4s", "5s"))
    assert seen(state)["waste"] == ["3s", "4s", "5s"][-draw:]
    assert (seen(state)["waste_count"], seen(state)["stock"]) == (5, 0)


def test_only_the_top_of_three_drawn_is_playable():
    state = lay("4c", "3d", "4d", stock="2s 3b 3s", draw=3, home="1s")
    state = play(state, "draw")
    assert [move for move in may(state) if " w" in move] == ["move w 1", "move w 3"]
    state = play(state, "move w 1", "move w 3")
    assert seen(state)["waste"] == ["2s"]
    assert play(state, "home w").home_of("s") == 2


@pytest.mark.parametrize("draw", [1, 3])
def test_turning_the_stock_over_keeps_its_order(draw):
    cards = "2s 3s 4s 5s 6s"
    state = lay(stock=cards, draw=draw)
    for turns in range(1, 6):
        for _draw in range(5 if draw == 1 else 2):
            assert may(state) == ["draw"]
            state = play(state, "draw")
        assert may(state) == ["turn"]
        state = play(state, "turn")
        assert (" ".join(state.stock), state.waste) == (cards, ())
        assert state.counts.turn_overs == turns


def test_an_empty_stock_and_waste_cannot_be_turned():
    state = play(lay("2d", stock="1s", ace_on_two=True), "draw", "move w 1")
    assert not {"draw", "turn"} & set(may(state))


# Ruling 23: columns


@pytest.mark.parametrize(
    ("card", "on", "goes"),
    [("4s", "5d", True), ("4s", "5c", True), ("4b", "5d", True), ("4d", "5b", True), ("4c", "5s", True),
     ("4s", "5b", False), ("4s", "5s", False), ("4c", "5d", False), ("4d", "5d", False), ("5d", "4s", False),
     ("4s", "6d", False), ("4s", "4d", False), ("7s", "Vd", True), ("Vc", "Cb", True), ("Cs", "Rc", True),
     ("Vs", "Rc", False), ("2s", "3c", True), ("Rs", "1c", False)],
)  # fmt: skip
def test_card_needs_a_higher_card_of_other_colour(card, on, goes):
    state = lay(card, on, waste=card)
    assert ("move 1 2 1" in may(state)) is ("move w 2" in may(state)) is goes
    if goes:
        assert play(state, "move 1 2 1").columns[:2] == (((), ()), ((), (on, card)))
        assert play(state, "move w 2").columns[1].up == (on, card)
    else:
        said = f"The {card_name(card)} does not go on the {card_name(on)}. Each card must be one "
        assert refusal(state, "move 1 2 1").startswith(said)


@pytest.mark.parametrize(
    ("options", "goes"),
    [({}, False), ({"ace_on_two": True}, True), ({"pack": "tarocco"}, False), ({"pack": "french"}, True),
     ({"pack": "french", "ace_on_two": False}, False)],
)  # fmt: skip
def test_ace_on_two_follows_option_or_pack(options, goes):
    one, two = ("AS", "2H") if options.get("pack") == "french" else ("1s", "2c")
    state = lay(one, two, waste=one, **options)
    for move in ("move 1 2 1", "move w 2"):
        assert (move in may(state)) is goes
        if not goes:
            assert refusal(state, move) == "An ace goes to a foundation, not to a column."


@pytest.mark.parametrize(
    ("pack", "king", "queen"), [("briscola", "Rd", "Cd"), ("tarocco", "Rd", "Dd"), ("french", "KD", "QD")]
)
def test_only_a_king_goes_to_an_empty_column(pack, king, queen):
    state = lay("2s / " if pack != "french" else "2S / ", f"{king}", queen, "", waste=queen, pack=pack)
    assert [move for move in may(state) if move.startswith("move") and " 4" in move] == ["move 2 4 1"]
    for move in ("move 3 4 1", "move w 4"):
        assert refusal(state, move) == "Only a king may go to an empty column."
    assert refusal(state, "move 2 1 1") == "First turn up the card that is there."


def test_kings_move_to_empty_columns_from_anywhere():
    state = lay("", "2s / Rd Cs Vd", "Rs", waste="Rc")
    assert play(state, "move w 1").columns[0] == ((), ("Rc",))
    assert play(state, "move 2 1 3").columns[:2] == (((), ("Rd", "Cs", "Vd")), (("2s",), ()))
    moved = play(state, "move 3 1 1", "move 1 3 1")
    assert (moved.columns, moved.counts) == (state.columns, state.counts)


def test_any_part_of_a_face_up_run_moves():
    state = lay("3s / 6s 5d 4s", "5c", "6b", "7c")
    assert [move for move in may(state) if move.startswith("move 1")] == [
        "move 1 4 3",
        "move 1 3 2",
        "move 1 2 1",
    ]
    assert play(state, "move 1 3 2").columns[:3] == (
        (("3s",), ("6s",)),
        ((), ("5c",)),
        ((), ("6b", "5d", "4s")),
    )
    assert play(state, "move 1 4 3").columns[0] == (("3s",), ())


def test_an_uncovered_card_turns_up_by_click():
    state = play(lay("2s 3b / 6s", "7c"), "move 1 2 1")
    assert state.columns[0] == (("2s", "3b"), ())
    assert may(state) == ["up 1"]
    up = play(state, "up 1")
    assert up.columns[0] == (("2s",), ("3b",))
    assert (up.counts.turned_up, up.counts.points) == (1, 25)
    assert may(up) == []


@pytest.mark.parametrize("move", ["move 1 2 1", "home 1"])
def test_an_uncovered_card_turns_up_automatically(move):
    state = lay("2s 3b / 6s", "7c", home="5s", turn_up="auto")
    up = play(state, move)
    assert up.columns[0] == (("2s",), ("3b",))
    assert up.counts.turned_up == 1
    assert up.moves == 1


# Ruling 23: foundations


def test_foundations_go_up_in_suit_from_the_ace():
    state = lay("1d", "2d", "2c", "3d", waste="4d")
    assert [move for move in may(state) if move.startswith("home")] == ["home 1"]
    state = play(state, "home 1", "home 2", "home 4", "home w")
    assert seen(state)["foundations"] == ["4d", None, None, None]
    assert (seen(state)["cards_home"], state.counts.sent_home) == (4, 4)
    assert refusal(state, "home 3") == "The 2 of cups cannot go home yet. The ace of cups must go first."


def test_an_ace_opens_the_first_or_chosen_foundation():
    state = lay("1d", "1c", "1s", waste="1b")
    state = play(state, "home 1 3", "home 2", "home w 4", "home 3")
    assert state.foundations == ("c", "s", "d", "b")
    assert seen(state)["foundations"] == ["1c", "1s", "1d", "1b"]


def test_which_foundation_an_ace_lies_on_changes_nothing():
    one, other = (play(lay("1d", "2d"), f"home 1{place}", "home 2") for place in (" 4", ""))
    assert one.foundations != other.foundations
    assert (one.home, one.counts, one.columns) == (other.home, other.counts, other.columns)


def test_an_ace_alone_may_go_to_another_foundation():
    state = play(lay("2d", home="1d 1s"), "home d 4")
    assert state.foundations == ("", "s", "", "d")
    assert (state.home, state.counts.points, state.moves) == ((1, 0, 0, 1), 0, 1)
    assert play(state, "home 1").foundations == state.foundations


def test_only_the_top_foundation_card_returns():
    state = lay("5s", "4b", home="4d 3c")
    assert [move for move in may(state) if move.startswith("back")] == ["back d 1", "back c 2"]
    state = play(state, "back d 1", "back c 2")
    assert [column.up for column in state.columns[:2]] == [("5s", "4d"), ("4b", "3c")]
    assert seen(state)["foundations"] == ["3d", "2c", None, None]
    assert state.counts.brought_back == 2


def test_a_returning_ace_frees_its_foundation():
    state = play(lay("2s", home="1d 1c", ace_on_two=True), "back d 1")
    assert state.foundations == ("", "c", "", "")
    assert play(state, "home 1 4").foundations == ("", "c", "", "d")


def test_a_king_comes_back_to_an_empty_column():
    assert play(lay(home="Rd"), "back d 3").columns[2].up == ("Rd",)


# The end


def test_a_hand_with_all_cards_home_is_solved():
    state = lay("Rd", home="Rs Rb Rc Cd")
    assert not rules.is_over(state)
    state = play(state, "home 1")
    assert (rules.is_over(state), rules.waiting_for(state), rules.legal_actions(state, rules.SEAT)) == (
        True,
        (),
        [],
    )
    assert rules.result(state, rules.SEAT, 1).outcome == "solved"
    for action in ("draw", "back d 1", "give up", "undo", "pick d", "anything"):
        assert refusal(state, action) == "This hand is over."


def test_a_hand_can_always_be_given_up():
    state = rules.start(rules.deal("a deal", {}), {})
    assert rules.waiting_for(state) == rules.seats(state) == ("solo",)
    assert rules.legal_actions(state, rules.SEAT)[-1] == "give up"
    over = play(state, "give up")
    assert (rules.is_over(over), rules.waiting_for(over), rules.legal_actions(over, rules.SEAT)) == (
        True,
        (),
        [],
    )
    assert rules.result(over, rules.SEAT, 0).outcome == "gave_up"
    assert (seen(over)["last"], seen(over)["moves"]) == ("give up", 0), "giving up is no move"
    assert rules.result(state, rules.SEAT, 0).outcome == "open"
    assert refusal(over, "draw") == "This hand is over."


def test_only_the_participant_acts_in_a_hand():
    state = rules.start(rules.deal("a deal", {}), {})
    assert rules.forced_action(state) is None
    assert rules.mark_played_by_server(state, rules.SEAT) is state
    for act in (
        lambda: rules.absent_action(state, "solo", "s"),
        lambda: rules.robot_action(state, "solo", "r", "s"),
    ):
        with pytest.raises(ValueError, match="in this game"):
            act()


# Undone moves


def test_a_move_is_taken_back_with_its_points():
    state = lay("2s / 6s", "7c", undo=True, turn_up="auto")
    assert seen(state)["may_undo"] is False
    moved = play(state, "move 1 2 1")
    assert (moved.counts.points, seen(moved)["may_undo"]) == (25, True)
    back = play(moved, "undo")
    assert (back.columns, back.counts) == (state.columns, state.counts)
    assert {key: seen(back)[key] for key in ("moves", "undone", "may_undo", "last")} == {
        "moves": 2, "undone": 1, "may_undo": False, "last": "undo",
    }  # fmt: skip
    assert rules.legal_actions(moved, rules.SEAT)[-2:] == ["undo", "give up"]


def test_a_pick_up_changes_nothing():
    state = lay("2s / 6s", "7c", undo=True)
    for pick in PICKS:
        assert play(state, pick) is state
        assert pick not in rules.legal_actions(state, rules.SEAT)


# Refusals


TABLE = {"home": "2d 1s - 1c", "waste": "5b", "stock": "Rb"}
COLUMNS = ("2s / 6s 5d", "3b / ", "", "Vd", "1b", "3c", "7c")
ENDLESS = "You have used all the moves of this hand. You can only give up."
REFUSED = {
    "finish 1": (TABLE, "The last cards cannot go home one by one yet."),
    "turn": (TABLE, "You can turn over the stock only when it is empty."),
    "draw": ({"waste": "5b"}, "Turn over the stock first."),
    "draw ": (TABLE, "Unknown move. Drag a card or draw from the stock."),
    "up 1": (TABLE, "You can turn up a card only when no card lies on it."),
    "up 3": (TABLE, "There is no card to turn up."),
    "home 1": (TABLE, "The 5 of coins cannot go home yet. The 3 of coins must go first."),
    "home 2": (TABLE, "Turn up the card first."),
    "home 3": (TABLE, "You can move only cards that are face up."),
    "home 5 1": (TABLE, "That foundation has another suit. Choose an empty foundation."),
    "home w": ({}, "The waste is empty. Draw a card first."),
    "home b 3": (TABLE, "There is no card to move."),
    "home d 3": (TABLE, "Only an ace with no card on it may go to another foundation."),
    "home s 1": (TABLE, "That foundation has another suit. Choose an empty foundation."),
    "home s 2": (TABLE, "The card is already there."),
    "move 1 1 1": (TABLE, "The card is already there."),
    "move 1 4 1": (
        TABLE,
        "The 5 of coins does not go on the knave of coins. Each card must be one lower and of the other "
        "colour.",
    ),
    "move 1 2 1": (TABLE, "First turn up the card that is there."),
    "move 1 3 1": (TABLE, "Only a king may go to an empty column."),
    "move 1 7 3": (TABLE, "You can move only cards that are face up."),
    "move 2 4 1": (TABLE, "Turn up the card first."),
    "move w 3": (TABLE, "Only a king may go to an empty column."),
    "move w 7": ({}, "The waste is empty. Draw a card first."),
    "back d 3": (TABLE, "Only a king may go to an empty column."),
    "back b 3": (TABLE, "There is no card to bring back."),
    "back H 3": (TABLE, "There is no card to bring back."),
    "undo": (TABLE, "You cannot undo moves in this hand."),
}
MORE = [
    ((), {}, "draw", "The stock is empty."),
    ((), {}, "turn", "There are no cards left to turn over."),
    ((), {"undo": True}, "undo", "There is no move to undo."),
    (("1s", "2d"), {}, "move 1 2 1", "An ace goes to a foundation, not to a column."),
    (
        ("3d",), {"home": "1s 2d"}, "home 1 1",
        "There is already a foundation for coins. Put the card there.",
    ),
    (("3d",), {"home": "1s 2d"}, "home 1 3", "There is already a foundation for coins. Put the card there."),
]  # fmt: skip
CASES = [
    *((COLUMNS, table, action, refusal_text) for action, (table, refusal_text) in REFUSED.items()),
    *MORE,
]


@pytest.mark.parametrize(("columns", "table", "action", "refusal_text"), CASES)
def test_illegal_actions_are_rejected_with_the_reason(columns, table, action, refusal_text):
    assert refusal(lay(*columns, **table), action) == refusal_text


@pytest.mark.parametrize(("pack", "ten", "knave"), [("tarocco", "10b", "Vd"), ("french", "10S", "JD")])
def test_ten_may_come_back(pack, ten, knave):
    """Its code has one character more than those of other cards."""
    state = lay(knave, home=ten, pack=pack)
    assert f"back {ten[-1]} 1" in may(state)
    assert seen(play(state, f"back {ten[-1]} 1"))["columns"][0]["up"] == [knave, ten]


def test_number_of_actions_is_limited():
    state = replace(lay(**TABLE), moves=rules.MAX_MOVES)
    assert rules.legal_actions(state, rules.SEAT) == [rules.GIVE_UP]
    assert refusal(state, "draw") == ENDLESS
    assert rules.is_over(rules.apply(state, rules.SEAT, rules.GIVE_UP))


def test_another_seat_does_not_play():
    assert refusal(lay(**TABLE), "draw", "S") == "This seat does not play in this hand."


def test_every_refusal_of_the_rules_is_tested():
    """Finds the sentences that are passed to IllegalAction in the source of ``rules.py``."""
    refusals = {refusal_text for *_case, refusal_text in CASES}
    refusals |= {"This hand is over.", "This seat does not play in this hand.", ENDLESS}
    text = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    calls = [
        node for node in ast.walk(text) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_"
    ]
    assert len(calls) > 20
    for call in calls:
        pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(call.args[0].value))
        assert any(re.fullmatch(pattern, sentence) for sentence in refusals), call.args[0].value


def test_grammar_of_actions_is_complete_in_the_tests():
    """Every action has its form, and no other text is one; a text is not longer than a record takes."""
    known = {*PLAIN, *PLACED, *FINISHES, *PICKS, rules.UNDO, rules.GIVE_UP}
    assert set(rules.EXAMPLES) <= known
    assert max(map(len, known)) <= 40
    assert set(PICKS) == rules.PICKS


# Options


@pytest.mark.parametrize("name", ALLOWED_OPTIONS)
@pytest.mark.parametrize("value", ["", "x", 2, None])
def test_an_invalid_option_is_rejected(name, value):
    allowed = " or ".join(map(str, ALLOWED_OPTIONS[name]))
    for refused in (lambda: rules.deal("seed", {name: value}), lambda: rules.start("", {name: value})):
        with pytest.raises(ValueError, match="^The option") as caught:
            refused()
        assert str(caught.value) == f"The option {name} must be {allowed}, not '{value}'."


def test_options_are_complete_after_start():
    state = rules.start(rules.deal("a deal", {"pack": "french"}), {"pack": "french"})
    assert state.options == {
        "pack": "french",
        "draw": 1,
        "ace_on_two": True,
        "turn_up": "click",
        "undo": False,
        "clock": "shown",
    }
