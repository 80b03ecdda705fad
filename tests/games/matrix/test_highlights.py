"""Compares the highlights of the debriefing with plain counting."""

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.matrix import highlights, rules
from cardlab.games.matrix.debriefing import ReviewedHand, page, review_turns
from cardlab.games.matrix.packs import value


def played(seed, turns=99, **options):
    """Returns a random hand, broken off after so many turns; the server chose some of its cards."""
    chance = Random(seed)
    state = rules.start(rules.deal(f"highlights {seed}", options), options)
    while not rules.is_over(state) and len(state.turns) < turns:
        seat = chance.choice(rules.waiting_for(state))
        state = rules.apply(state, seat, chance.choice(rules.legal_actions(state, seat)))
        state = rules.mark_played_by_server(state, seat) if seed % 3 == 0 and chance.random() < 0.1 else state
    return state


def reviewed_hands(*states, seat="S"):
    return [ReviewedHand(state, seat, number) for number, state in enumerate(states, 1)]


def sentences(*states, seat="S"):
    return [
        (light.worth, light.title, light.sentence)
        for light in highlights.find_highlights(reviewed_hands(*states, seat=seat))
    ]


hands = st.builds(
    played,
    st.integers(0, 10_000),
    st.integers(0, 22),
    players=st.sampled_from([2, 4]),
    pack=st.sampled_from(["standard", "special"]),
    court=st.sampled_from(["10", "ladder"]),
)


def test_robots_are_called_as_on_the_board():
    """Plays two hands with a robot, two with a person, and one with each."""
    alone = [played(seed, 4, robots={"W": "random"}) for seed in (1, 2)]
    for states, is_robot in ((alone, True), ([played(1, 4), played(2, 4)], False)):
        text = " ".join(sentence for _points, _title, sentence in sentences(*states))
        assert ("robot" in text, "other player" in text) == (is_robot, not is_robot)
    text = " ".join(sentence for _points, _title, sentence in sentences(alone[0], played(2, 4)))
    assert "Best responses to the other player" in text
    game = page(reviewed_hands(*alone))
    assert "other player" not in str(game["games"]).lower()


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (
            [played(1)],
            [
                ("+10", "Your best turn", "You collected +10, the other player −10 (turn 13)."),
                (
                    "−20",
                    "Your most costly choice",
                    "You collected −10 (turn 15). A card of the other column would have brought you +10.",
                ),
                (
                    "+104",
                    "Best responses",
                    "Best responses to the other player: 11 of 20. "
                    "Points missed with the other choices: 104.",
                ),
            ],
        ),
        (
            [played(3), played(2, turns=1)],
            [
                ("+10", "Your best turn", "You collected +10, the other player −8 (turn 3 of game 1)."),
                (
                    "−20",
                    "Your most costly choice",
                    "You collected −10 (turn 6 of game 1). A card of the other column would have brought "
                    "you +10.",
                ),
                (
                    "+18",
                    "Chosen for you",
                    "Turns in which a card was chosen for you: 2 of 23. They brought you +18.",
                ),
            ],
        ),
        (
            [played(1, turns=1)],
            [
                (
                    "−6",
                    "Your most costly choice",
                    "You collected −10 (turn 1). A card of the other column would have brought you −4.",
                ),
                ("−10", "Your worst turn", "You collected −10, the other player −4 (turn 1)."),
            ],
        ),
        ([played(1, turns=0)], []),
        ([], []),
    ],
)
def test_known_hands_have_the_expected_highlights(states, expected):
    assert sentences(*states) == expected


def test_only_best_responses_miss_no_points():
    lights = {light.title: light for light in highlights.find_highlights(reviewed_hands(played(5, turns=2)))}
    light = lights["Best responses"]
    assert (light.kind, light.word, light.worth) == ("even", "No points missed", "0")
    assert light.sentence == "Your choice was always a best response to the other player. Choices: 2."


def points(text):
    return int(text.replace("−", "-"))


@given(st.lists(hands, max_size=2))
def test_highlights_are_true_and_maximal(states):
    seat = "W"
    turns = [turn for hand in reviewed_hands(*states, seat=seat) for turn in review_turns(hand)]
    lights = {light.title: light for light in highlights.find_highlights(reviewed_hands(*states, seat=seat))}
    assert len(lights) <= highlights.MAX_HIGHLIGHTS
    assert bool(lights) or all(turn.collected[0] == 0 for turn in turns)
    own = [turn for turn in turns if turn.free and seat and not turn.chosen_for[0]]
    gains = [turn.collected[0] for turn in turns if turn.collected[0] > 0]
    missed = [max(turn.game.row[i][turn.cell[1]] for i in (0, 1)) - turn.collected[0] for turn in own]
    served = [turn.collected[0] for turn in turns if turn.chosen_for[0]]
    assert ("Your best turn" in lights) == bool(gains)
    if gains:
        assert points(lights["Your best turn"].worth) == max(gains)
    assert ("Your most costly choice" in lights) == any(missed)
    if any(missed):
        assert points(lights["Your most costly choice"].worth) == -max(missed)
    assert ("Chosen for you" in lights) == bool(served)
    if served:
        assert points(lights["Chosen for you"].worth) == sum(served)
    if light := lights.get("Best responses"):
        assert points(light.worth) == sum(missed)
        assert (light.kind, light.word) == (
            ("possible", "More was possible") if any(missed) else ("even", "No points missed")
        )
    for light in lights.values():
        sign = {"+": "gain", "−": "loss", "0": "even"}[light.worth[0]]
        assert light.kind in (sign, "possible")


@given(hands)
def test_turned_cross_highlight_agrees_with_undoing_the_rotation(state):
    """Undoes the rotation by hand and compares the payoff with the sentence."""
    for seat in ("S", "W"):
        light = highlights._turned_cross(reviewed_hands(state, seat=seat))
        if light is None:
            continue
        turned, own, instead, later = re.search(
            r"\(turn (\d+)\)\. Later it brought you (\S+) instead of (\S+) \(turn (\d+)\)\.", light.sentence
        ).groups()
        by_number = {turn.number: turn for turn in state.turns}
        then = by_number[int(later)]
        assert by_number[int(turned)].rotator == seat
        assert by_number[int(turned)].rotation == f"rotate {then.cell}"
        place = then.pair.index(seat)
        values = [value(card, state.options) for card in then.collected]
        assert (points(own), points(instead)) == (values[place], values[1 - place])
        between = [turn for turn in state.turns if int(turned) < turn.number < int(later)]
        assert not [turn for turn in between if turn.cell == then.cell]
        assert not [turn for turn in between if turn.rotation == f"rotate {then.cell}"]


def test_server_played_best_turn_is_labelled():
    state = played(1)
    every = tuple(turn._replace(chosen_for=("S",)) for turn in state.turns)
    best = sentences(replace(state, turns=every))[0]
    assert best[1] == "Your best turn"
    assert best[2].endswith("A card was chosen for you.")
