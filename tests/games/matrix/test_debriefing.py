"""Compares the debriefing of played games with the rules and with plain counting."""

import json
import re
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.hand import History
from cardlab.games.matrix import debriefing, rules
from cardlab.games.matrix.board import matrix
from cardlab.games.matrix.debriefing import (
    ReviewedHand,
    advice,
    better_for_both,
    name,
    page,
    points,
    review_turns,
    table,
    turn_details,
)
from cardlab.games.matrix.measures import measure_turns
from cardlab.games.matrix.packs import column, value
from cardlab.games.matrix.two_by_two import (
    FIVE_AND_EIGHT,
    TWO_SUSPECTS,
    Game,
    equilibria,
    order_names,
    own_payoffs,
    symmetric,
)
from cardlab.games.record import Opening

CELLS = list(product((0, 1), repeat=2))
STRICT = [(ranks[:2], ranks[2:]) for ranks in product((1, 2, 3, 4), repeat=4) if len({*ranks}) == 4]

square = st.lists(st.integers(-3, 3), min_size=4, max_size=4).map(
    lambda four: (tuple(four[:2]), tuple(four[2:]))
)
games = st.builds(Game, square, square)

CHICKEN = symmetric(((3, 2), (4, 1)))
STAG_HUNT = symmetric(((4, 1), (3, 2)))
MATCHING_PENNIES = Game(((1, -1), (-1, 1)), ((-1, 1), (1, -1)))


def played(seed, turns=99, **options):
    """Returns a hand played at random, broken off after so many turns."""
    chance = Random(seed)
    state = rules.start(rules.deal(f"debriefing {seed}", options), options)
    while not rules.is_over(state) and len(state.turns) < turns:
        seat = chance.choice(rules.waiting_for(state))
        state = rules.apply(state, seat, chance.choice(rules.legal_actions(state, seat)))
    return state


def reviewed_hands(seat, *states):
    """Returns the hands as a seat's debriefing shows them, numbered from 1."""
    return [ReviewedHand(state, seat, number) for number, state in enumerate(states, 1)]


def met_by(seat, state):
    (hand,) = reviewed_hands(seat, state)
    return review_turns(hand)


def signed(number):
    return f"{number:+d}".replace("-", "−") if number else "0"


def served(state, seat, numbers):
    """Returns the hand as if the server had chosen the seat's card in these turns."""
    turns = [
        turn._replace(chosen_for=(seat,)) if turn.number in numbers and seat in turn.pair else turn
        for turn in state.turns
    ]
    return replace(state, turns=tuple(turns))


hands = st.builds(
    played,
    st.integers(0, 10_000),
    st.integers(0, 22),
    players=st.sampled_from([2, 4]),
    pack=st.sampled_from(["standard", "special"]),
    court=st.sampled_from(["10", "ladder"]),
)


# The turns, from the seat's side


@given(hands)
def test_turn_is_shown_from_the_seats_side(state):
    for seat in state.seats:
        own = [turn for turn in state.turns if seat in turn.pair]
        assert [turn.number for turn in met_by(seat, state)] == [turn.number for turn in own]
        for turn, turn_shown in zip(own, met_by(seat, state)):
            place = turn.pair.index(seat)
            cells = matrix(turn.crosses, turn.pair, state.options)
            for i, j in CELLS:
                cell = cells[j][i] if place else cells[i][j]
                assert (turn_shown.game.row[i][j], turn_shown.game.column[i][j]) == (
                    cell[place],
                    cell[1 - place],
                )
            assert turn_shown.cards == (turn.cards[place], turn.cards[1 - place])
            assert turn_shown.cell == tuple(
                ["left", "right"].index(column(card)) for card in turn_shown.cards
            )
            assert turn_shown.collected[0] == value(turn.collected[place], state.options)
            assert turn_shown.collected == (
                turn_shown.game.row[turn_shown.cell[0]][turn_shown.cell[1]],
                turn_shown.game.column[turn_shown.cell[0]][turn_shown.cell[1]],
            )
            assert turn_shown.free == turn.free[place]


@given(hands)
def test_turns_of_a_pair_agree_from_both_sides(state):
    for first, second in (("S", "W"), ("N", "E"))[: len(state.seats) // 2]:
        for one, other in zip(met_by(first, state), met_by(second, state)):
            assert own_payoffs(one.game, "column") == other.game.row
            assert one.cell == other.cell[::-1]
            assert one.collected == other.collected[::-1]


@given(games, st.sampled_from([None, *CELLS]))
def test_matrix_marks_best_responses_equilibria_and_choice(game, chosen):
    shown = table(game, chosen)
    assert shown["columns"] == [row["choice"] for row in shown["rows"]] == ["left", "right"]
    for i, j in CELLS:
        cell = shown["rows"][i]["cells"][j]
        assert cell["own"] == signed(game.row[i][j])
        assert cell["other"] == signed(game.column[i][j])
        assert cell["own_best"] == (game.row[i][j] >= game.row[1 - i][j])
        assert cell["other_best"] == (game.column[i][j] >= game.column[i][1 - j])
        assert cell["equilibrium"] == ((i, j) in equilibria(game).pure)
        assert cell["chosen"] == ((i, j) == chosen)


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (10, "+10"), (-3, "−3"), (-0.5, "−½"), (1.5, "+1½"), (-20, "−20")]
)
def test_points_have_a_sign(number, text):
    assert points(number) == text


@pytest.mark.parametrize(
    ("free", "cell", "sentence"),
    [
        (True, (1, 0), "Your choice was a best response."),
        (True, (0, 0), "The best response was different. Right: +8 for you instead of +5."),
        (True, (0, 1), "The best response was different. Right: −3 for you instead of −5."),
        (False, (0, 0), "You had no choice. All your cards selected one column: left."),
    ],
)
def test_choice_is_judged_by_the_others_choice(free, cell, sentence):
    turn = debriefing.ReviewedTurn(1, FIVE_AND_EIGHT, cell, ("AS", "AC"), (1, 1), free)
    assert turn_details(turn)["judged"] == [sentence]


def test_equal_choices_are_not_criticised():
    turn = debriefing.ReviewedTurn(1, symmetric(((2, 1), (2, 3))), (0, 0), ("L-3", "R+4"), (2, 2), True)
    shown = turn_details(turn)
    assert shown["judged"] == ["Both choices would have given you the same."]
    assert shown["cards"] == ["L−3", "R+4"]


# Names


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (TWO_SUSPECTS, "prisoner’s dilemma"),
        (CHICKEN, "chicken"),
        (Game(((3, 2), (4, 1)), ((4, 3), (1, 2))), "you: chicken; the other: stag hunt"),
        (Game(((4, 1), (3, 2)), ((3, 4), (2, 1))), "you: stag hunt; the other: chicken"),
        (symmetric(((3, 1), (4, 1))), "between prisoner’s dilemma and chicken"),
        (
            Game(((3, 1), (4, 1)), ((4, 3), (1, 2))),
            "you: between prisoner’s dilemma and chicken; the other: stag hunt",
        ),
        (symmetric(((1, 1), (1, 1))), "a game with ties"),
    ],
)
def test_game_has_a_name_in_words(game, words):
    assert name(game) == words


@given(games)
def test_name_of_tied_game_combines_strict_neighbours(game):
    names = {word.replace("'", "’") for word in order_names().values()}
    said = name(game)
    assert said == "a game with ties" or any(word in said for word in names)
    assert ("between" in said or said == "a game with ties") == any(
        len({*own[0], *own[1]}) < 4 for own in (game.row, game.column)
    )


# Advice


@pytest.mark.parametrize(
    ("game", "sentences"),
    [
        (
            FIVE_AND_EIGHT,
            [
                "Play this: right. It gives you more than the alternative (left), whatever the other does.",
                "Yet both of you would get more this way. You: left. The other: left. "
                "What is best for each is not best for both.",
            ],
        ),
        (
            symmetric(((4, 3), (1, 2))),  # peace
            ["Play this: left. It gives you more than the alternative (right), whatever the other does."],
        ),
        (
            Game(((3, 1), (3, 2)), ((1, 2), (2, 1))),
            ["Play this: right. It never gives you less than the alternative (left), and sometimes more."],
        ),
        (
            Game(((2, 2), (2, 2)), ((1, 2), (2, 1))),
            ["Both choices give you the same, whatever the other does. Play either."],
        ),
        (
            Game(((1, 4), (3, 2)), ((1, 2), (3, 4))),
            [
                "One choice is better for the other, whatever you do: right. Expect it and play this: left.",
            ],
        ),
        (
            Game(((1, 4), (3, 2)), ((1, 2), (3, 3))),
            ["One choice is never worse for the other: right. Expect it and play this: left."],
        ),
        (
            Game(((1, 4), (3, 2)), ((1, 1), (3, 3))),
            [
                "Both choices give the other the same, so you cannot know which to expect.",
                "Safe choice: right. At worst it gives you +2.",
            ],
        ),
        (
            STAG_HUNT,
            [
                "There are two pure equilibria. Both of you get more in this one, if you trust each other. "
                "You: left. The other: left.",
                "Safe choice: right. At worst it gives you +2.",
            ],
        ),
        (
            CHICKEN,
            [
                "There are two pure equilibria. This one gives you more, the alternative gives the other "
                "more. You: right. The other: left.",
                "Safe choice: left. At worst it gives you +2.",
            ],
        ),
        (
            symmetric(((2, 0), (0, 2))),
            [
                "There are two pure equilibria. What counts is to meet in one of them.",
                "Neither choice is safer. At worst you get 0 with both.",
            ],
        ),
        (
            MATCHING_PENNIES,
            [
                "There is no pure equilibrium. Wherever you end, one of you would rather have chosen "
                "differently. Let chance decide. Probability of left: 1/2, about 50 times in 100.",
                "Neither choice is safer. At worst you get −1 with both.",
            ],
        ),
    ],
)
def test_theory_gives_the_expected_advice(game, sentences):
    assert advice(game) == tuple(sentences)


@given(games)
def test_advice_is_true_of_any_game(game):
    sentences = advice(game)
    assert 1 <= len(sentences) <= 2
    first = sentences[0]
    gains = [game.row[0][j] - game.row[1][j] for j in (0, 1)]
    if first.startswith("Play this: left"):
        assert min(gains) >= 0 < max(gains)
    elif first.startswith("Play this: right"):
        assert max(gains) <= 0 > min(gains)
    elif first.startswith("Both choices give you"):
        assert gains == [0, 0]
    elif first.startswith("One choice"):
        expected, answer = ": right. Expect" in first, first.endswith("this: right.")
        gains_of_other = [game.column[i][expected] - game.column[i][not expected] for i in (0, 1)]
        assert min(gains_of_other) >= 0 < max(gains_of_other)
        assert game.row[answer][expected] > game.row[not answer][expected]
    elif first.startswith("There are two pure"):
        assert len(equilibria(game).pure) == 2
    elif first.startswith("There is no pure"):
        assert equilibria(game).pure == ()
    else:
        assert all(game.column[i][0] == game.column[i][1] for i in (0, 1))
    assert ("Yet both" in sentences[-1]) == (better_for_both(game) is not None)


def test_better_cell_for_both_agrees_with_full_count():
    """Finds single equilibria that both players would leave together, by checking every cell."""
    for row, col in product(STRICT[::5], STRICT):
        game = Game(row, col)
        stable = [(i, j) for i, j in CELLS if row[i][j] > row[1 - i][j] and col[i][j] > col[i][1 - j]]
        better = [
            (i, j)
            for i, j in CELLS
            for m, n in stable
            if row[i][j] > row[m][n] and col[i][j] > col[m][n] and len(stable) == 1
        ]
        assert (better_for_both(game) in better) if better else (better_for_both(game) is None)


# The page


@given(st.lists(hands, max_size=3), st.frozensets(st.integers(1, 22)))
def test_page_counts_agree_with_the_turns_table(states, played_for):
    states = [served(state, state.seats[-1], played_for) for state in states]
    shown = page([ReviewedHand(state, state.seats[-1], number) for number, state in enumerate(states, 1)])
    everything = [turn for game in shown["games"] for turn in game["turns"]]
    facts = [value for value, _meaning in shown["summary"]["facts"]]
    assert facts[0] == str(len(everything))
    cells = [[cell for row in turn["table"]["rows"] for cell in row["cells"]] for turn in everything]
    pure = [sum(cell["equilibrium"] for cell in four) for four in cells]
    assert facts[4] == f"{pure.count(1)} · {pure.count(2)} · {pure.count(0)}"
    ties = sum(any(len({cell[who] for cell in four}) < 4 for who in ("own", "other")) for four in cells)
    assert facts[3] == str(ties)
    assert int(facts[1]) + int(facts[2]) + ties == len(everything)
    free = [turn for turn in everything if not re.search("no choice|chosen for you", turn["judged"][0])]
    assert [turn for turn in everything if "chosen for you" in turn["judged"][0]] == [
        turn for turn in everything if turn["number"] in played_for
    ]
    best = [turn for turn in free if "was different" not in turn["judged"][0]]
    assert facts[5] == f"{len(best)} of {len(free)}"
    assert sum(kind["own"] for kind in shown["kinds"]) == len(everything) - ties
    for four, turn in zip(cells, everything):
        (chosen,) = [cell for cell in four if cell["chosen"]]
        assert [chosen["own"], chosen["other"]] == turn["collected"]
    for game, state in zip(shown["games"], states):
        assert game["score"] == points(state.score(state.seats[-1]))
        assert len(game["others"]) == len(state.seats) - 1


def test_every_payoff_order_is_in_one_named_group():
    orders = [order for group in debriefing._daily_life() for order in group]
    assert sorted(orders) == sorted(order_names())


def test_page_shows_last_games_in_full_counting_all():
    state = played(3, turns=2)
    shown = page(reviewed_hands("S", *[state] * 8))
    assert [game["number"] for game in shown["games"]] == [3, 4, 5, 6, 7, 8]
    assert shown["summary"]["is_complete"] is False
    assert shown["summary"]["facts"][0][0] == "16"
    assert page(reviewed_hands("S", state))["games"][0]["open"] is True


def free_and_best(state, seat):
    """Returns a turn in which the seat had a choice and made the best of it."""
    return next(turn for turn in met_by(seat, state) if turn.free and turn.cell[0] in turn.best)


def test_server_choice_is_labelled_and_not_judged():
    state = played(3)
    number = free_and_best(state, "S").number
    own, helped = page(reviewed_hands("S", state)), page(reviewed_hands("S", served(state, "S", [number])))
    turns = [page_["games"][0]["turns"][number - 1] for page_ in (own, helped)]
    assert turns[1]["judged"] == ["Time ran out: a card was chosen for you."]
    assert turns[0] == {**turns[1], "judged": turns[0]["judged"]}  # the game is still described
    best, free = map(int, own["summary"]["facts"][-1][0].split(" of "))
    assert helped["summary"]["facts"][-1][0] == f"{best - 1} of {free - 1}"
    assert own["summary"]["facts"][0] == ("22", "your turns")
    assert helped["summary"]["facts"][0] == (
        "22",
        "your turns (card chosen for you: 1)",
    )
    assert helped["summary"]["facts"][1:-1] == own["summary"]["facts"][1:-1]
    assert helped["kinds"] == own["kinds"]


def test_card_played_without_choice_is_reported():
    turn = debriefing.ReviewedTurn(1, FIVE_AND_EIGHT, (0, 0), ("AS", "AC"), (1, 1), False, (True, False))
    assert turn_details(turn)["judged"] == ["Time ran out: a card was chosen for you."]


def test_server_card_of_the_other_player_is_reported():
    state = served(played(3), "W", [2])
    judged = [turn["judged"] for turn in page(reviewed_hands("S", state))["games"][0]["turns"]]
    assert [number for number, said in enumerate(judged, 1) if len(said) > 1] == [2]
    assert judged[1][1] == "A card was chosen for the other player."


def test_departed_player_sees_only_played_turns():
    left = played(3, turns=5)
    shown = page(reviewed_hands("S", left))
    assert [turn["number"] for turn in shown["games"][0]["turns"]] == [1, 2, 3, 4, 5]
    assert shown["games"][0]["score"] == points(left.score("S"))
    assert shown["summary"]["facts"][0] == ("5", "your turns")


def test_player_who_left_early_sees_the_score():
    shown = page(reviewed_hands("W", played(3, turns=0)))
    assert (shown["games"][0]["turns"], shown["games"][0]["score"]) == ([], "0")


def test_repeated_page_is_cached(monkeypatch):
    hands = reviewed_hands("S", served(played(11), "S", [2]), played(12, players=4))
    first = page(hands)
    monkeypatch.setattr(debriefing, "gettext", None)
    monkeypatch.setattr(debriefing.two_by_two, "describe", None)
    assert page(hands) == first


def test_cached_turns_depend_on_seat_and_court_rule():
    """The same cards have another value under another court rule, or for the other seat."""
    for options in ({"court": "10"}, {"court": "ladder"}):
        state = played(4, **options)
        for seat in "SW":
            assert sum(turn.collected[0] for turn in met_by(seat, state)) == state.score(seat)
    assert played(4).score("S") != played(4, court="ladder").score("S")


def test_participant_without_a_game_has_a_page():
    shown = page([])
    assert shown["games"] == []
    assert shown["summary"]["facts"][0][0] == "0"


def test_co_players_are_named_as_at_the_table():
    four, two = played(1, players=4), played(1)
    assert [other["name"] for other in page(reviewed_hands("E", four))["games"][0]["others"]] == [
        "Left player",
        "Far player",
        "Right player",
    ]
    assert page(reviewed_hands("S", two))["games"][0]["others"][0]["name"] == "Other player"
    robot = played(1, robots={"W": "greedy"})
    assert page(reviewed_hands("S", robot))["games"][0]["others"][0]["name"] == "Robot"


def test_examples_are_the_sources_prisoners_dilemmas():
    suspects, points_ = page([])["examples"]
    cells = [cell for row in suspects["table"]["rows"] for cell in row["cells"]]
    assert [(cell["own"], cell["other"]) for cell in cells] == [
        ("−½", "−½"),
        ("−20", "0"),
        ("0", "−20"),
        ("−2", "−2"),
    ]
    assert [cell["equilibrium"] for cell in cells] == [False, False, False, True]
    assert suspects["table"]["columns"] == ["silent", "confess"]
    cells = [cell for row in points_["table"]["rows"] for cell in row["cells"]]
    assert [cell["own"] for cell in cells] == ["+5", "−5", "+8", "−3"]


@given(hands)
def test_page_reveals_no_hidden_card(state):
    """A hand may continue after a participant has left, so only disclosed cards may be shown."""
    text = json.dumps(page(reviewed_hands("S", state)), ensure_ascii=False)
    shown = {card for turn in state.turns for card in turn.cards}
    for card in [card for hand in state.hands for card in hand] + list(state.stock):
        assert card in shown or f'"{debriefing._card(card)}"' not in text


def test_page_equilibria_equal_those_of_the_turns():
    state = played(7)
    deal = rules.deal("debriefing 7", {})
    assert list(measure_turns(History.replay(rules, Opening(deal, {}), []))) == []
    for turn in page(reviewed_hands("S", state))["games"][0]["turns"]:
        framed = sum(cell["equilibrium"] for row in turn["table"]["rows"] for cell in row["cells"])
        assert sum(text.startswith("Pure equilibrium: you play ") for text in turn["equilibria"]) == framed
        assert turn["equilibria"]
