"""Compares the bitboard search with a plain search by the readable rules, and both modes with each other."""

import random
import sys
from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace

import pytest
from compiled_modes import import_mode
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.games.challenge.deal import draw_deal, parse_deal
from cardlab.games.challenge.evaluation import FITS, stretch
from cardlab.games.challenge.kernel import FAR, LARGEST
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.packs import bits, height, size_of
from cardlab.games.challenge.position import (
    CAMBRIDGE,
    DEFAULT_FORM,
    PICK_UP,
    Form,
    Position,
    after_moves,
    apply,
    is_better,
    legal_moves,
    start,
)
from cardlab.games.challenge.search import DRAWN, WON, Search, best_move, forced_win, scores
from cardlab.games.challenge.variants import FEATURES, FULL, VARIANTS, Variant

FORMS = [DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead")]


PHASES = {(False, False): "neither", (True, False): "mine", (False, True): "theirs", (True, True): "both"}


def place(position: Position):
    """Returns what the search distinguishes: no top card where any card may be played."""
    return position.hands, () if position.to_lead else position.table[-1:], position.mover


def has_trump(cards, position, player):
    return any(card[-1] == position.trumps[player] for card in cards)


def has_left_a_run(position, earlier):
    """Returns whether a position of a run occurred twice; the search then no longer relies on such runs."""
    leads = [one for one in [*earlier, position] if one.to_lead and not one.table]
    places = [place(one) for one in leads]
    return any(
        is_run(one.hands[one.mover], one, one.mover)
        for one in leads
        if places.count(place(one)) > 1 and place(one) != place(position)
    )


def is_run(cards, position, leader):
    """Returns whether the leader can play all cards, because the other player can beat none but the last."""
    others = position.cards - cards
    if position.form.after_pickup == "picker" or has_trump(others, position, 1 - leader):
        return False
    low = [card for card in cards if any(is_better(one, card, "-") for one in others)]
    return len(low) <= 1


def lead_value(cards, position, leader, left, dropped):
    """Returns the value for a leader who has these cards, as defined in the docstring of ``evaluation``."""
    if is_run(cards, position, leader):
        return WON + FAR + left + 1 - 2 * len(cards)
    size = size_of(position.cards)
    fit = FITS[position.form.after_better]
    phase = PHASES[
        has_trump(cards, position, leader), has_trump(position.cards - cards, position, 1 - leader)
    ]
    worths = dict.fromkeys(FEATURES, 0)
    worths["number of cards"] = stretch(fit[f"{phase}, cards"], 4 * size + 1)[len(cards)]
    names = dict(zip([position.trumps[leader], position.trumps[1 - leader]], FEATURES))
    for card in cards:
        kind = "trump" if card[-1] in position.trumps else "side"
        worth = stretch(fit[f"{phase}, {kind}"], size)[height(card) - 14 + size]
        worths[names.get(card[-1], "other cards")] += worth
    return sum(worth for name, worth in worths.items() if name not in dropped)


def evaluate(position, left=0, dropped=()):
    """Returns the better value of picking up and of playing the lowest card that beats, recursively."""
    mover, other = position.mover, 1 - position.mover
    hand = position.hands[mover]
    if position.to_lead and not position.table:
        return lead_value(hand, position, mover, left, dropped)
    if position.to_lead:
        number = bits(size_of(position.cards), position.trumps).number
        card = min(hand, key=lambda card: (card[-1] == position.trumps[mover], number[card]))
        if len(hand) == 1:
            return WON + FAR + left - 1
        return max(-LARGEST, -evaluate(apply(position, card), left - 1, dropped))
    if position.form.after_pickup == "picker":
        value = lead_value(hand | set(position.table), position, mover, left - 1, dropped)
    else:
        value = -lead_value(position.hands[other], position, other, left - 1, dropped)
    beats = [card for card in legal_moves(position) if card != PICK_UP]
    if not beats:
        return value
    card = min(beats, key=lambda card: (card[-1] != position.table[-1][-1], height(card)))
    if len(hand) == 1:
        return WON + FAR + left - 1
    if len(beats) > 1:
        value = max(value, -LARGEST)
    after = evaluate(apply(position, card), left - 1, dropped)
    return max(value, after if position.form.after_better == "lead" else -after)


def minimax(position: Position, left: int, seen: set, twice: set, variant: Variant) -> int:
    """Returns the value for the mover, by the readable rules alone."""
    if left == 0:
        return evaluate(position, 0, variant.dropped)
    if position.to_lead and is_run(position.hands[position.mover], position, position.mover):
        return WON + FAR + left + 1 - 2 * len(position.hands[position.mover])
    if left > 1 and place(position) in twice:
        return DRAWN

    def value_of(after, look):
        if after.winner is not None:
            return WON + FAR + left - 1
        if not after.table and after.key in seen:
            return DRAWN
        return look(after) if after.mover == position.mover else -look(after)

    every = [apply(position, move) for move in legal_moves(position)]
    if left > 1 and variant.threshold:
        values = [value_of(after, lambda one: evaluate(one, left - 1, variant.dropped)) for after in every]
        least = max(values) - variant.threshold
        every = [after for after, value in zip(every, values) if value >= least]
    return max(value_of(after, lambda one: minimax(one, left - 1, seen, twice, variant)) for after in every)


def reached(seed, size, form, actions, trumps=("S", "H")):
    """Returns the positions of a random game up to one that is not over."""
    chance = random.Random(seed)
    game = [start(draw_deal(str(seed), size, seed % 2, trumps), trumps, form)]
    for _action in range(actions):
        after = apply(game[-1], random_move(game[-1], chance))
        if after.winner is not None:
            break
        game.append(after)
    return game


def seen_in(game):
    return {position.key for position in game if not position.table}


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.integers(1, 5),
    st.sampled_from(FORMS),
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([("S", "H"), ("D", "S")]),
    st.just(FULL) | st.sampled_from(VARIANTS),
)
def test_the_search_has_the_values_of_plain_minimax(seed, size, form, actions, depth, trumps, variant):
    *earlier, position = reached(seed, size, form, actions, trumps)
    if has_left_a_run(position, earlier):
        return
    seen, places = seen_in([*earlier, position]), [place(one) for one in [*earlier, position]]
    twice = {one for one in places if places.count(one) > 1}
    values = Search(position, earlier, variant).scores(depth, 10**6)
    for move, value in values.items():
        after = apply(position, move)
        if after.winner is not None:
            assert value == WON + FAR + depth
        elif not after.table and after.key in seen:
            assert value == DRAWN
        else:
            sign = 1 if after.mover == position.mover else -1
            assert value == sign * minimax(after, depth, seen, twice, variant)
    if variant != FULL:
        return
    best = best_move(position, depth=depth, nodes=10**6, earlier=earlier)
    if abs(best.value) < WON:
        assert best.value == max(values.values()) == values[best.move]
        assert best.depth == depth
    else:
        assert (max(values.values()) >= WON) == (best.value >= WON)
    after_moves(position, best.line)


MODULES = (
    *("cardlab.games", "cardlab.games.compiled", "cardlab.games.challenge"),
    *(
        f"cardlab.games.challenge.{name}"
        for name in ("search", "position", "kernel", "evaluation", "tablebase", "retrograde", "packs", "deal")
    ),
)


@cache
def modules_of(compiled):
    return dict(zip(MODULES, import_mode(compiled, *MODULES), strict=True))


@contextmanager
def mode(compiled):
    """Provides the modules of a mode, also to imports inside functions."""
    found = modules_of(compiled)
    loaded = {name: sys.modules[name] for name in found if name in sys.modules}
    sys.modules.update(found)
    try:
        yield SimpleNamespace(**{name.rpartition(".")[2]: module for name, module in found.items()})
    finally:
        for name in found:
            del sys.modules[name]
        sys.modules.update(loaded)


@settings(max_examples=15)
@given(
    st.integers(0, 2**32),
    st.sampled_from([2, 5, 6, 8, 13]),
    st.sampled_from(FORMS),
    st.integers(0, 60),
    st.integers(0, 6),
    st.sampled_from([30, 2000]),
    st.just(FULL) | st.sampled_from(VARIANTS),
)
def test_compiled_and_plain_search_agree(seed, size, form, actions, depth, nodes, variant):
    game = reached(seed, size, form, actions)
    found = []
    for compiled in (True, False):
        with mode(compiled) as these:
            own_form = these.position.Form(form.after_pickup, form.after_better)
            own = [
                these.position.Position(one.hands, one.table, one.mover, one.to_lead, form=own_form)
                for one in game
            ]
            search = these.search.Search(own[-1], own[:-1], variant)
            assert hasattr(search._kernel.search, "signatures") is compiled
            best = search.run(depth, nodes, seed, exact=False)
            found.append((tuple(best), search.scores(min(depth, 3), nodes), search.nodes))
            found[-1] += (these.tablebase.exact_scores(own[-1]),)
    assert found[0] == found[1]


def test_recursive_loops_are_compiled_once():
    """numba's disk cache crashes for a recursive function compiled for several argument types."""
    with mode(True) as these:
        these.search.warm_up()
        these.tablebase.solve(2, these.position.DEFAULT_FORM)
        these.tablebase.solve(2, these.position.CAMBRIDGE)
        recursive = (
            *(these.kernel.search, these.kernel.evaluate),
            *(these.retrograde.exact_score, these.retrograde.update),
        )
        for function in recursive:
            assert sum(function.stats.cache_hits.values()) + sum(function.stats.cache_misses.values()) <= 1


def test_searches_are_reproducible_and_keep_their_budget():
    position = start(draw_deal("golden", 8, 0))
    result = best_move(position, depth=4, seed="one")
    assert result == best_move(position, depth=4, seed="one")
    assert (result.depth, result.whole, result.proved) == (4, True, None)
    for nodes in (0, 1, 50, 1000, 5000):
        small = best_move(position, depth=12, nodes=nodes)
        assert small.move in legal_moves(position)
        assert small.nodes <= nodes + 40  # depth 0, and the last node
        assert not small.whole


@pytest.mark.parametrize("nodes", [50, 300, 2000, 9000])
def test_an_interrupted_search_keeps_its_last_values(nodes):
    for seed in range(5):
        position = start(draw_deal(seed, 4, 0), form=CAMBRIDGE)
        spent = Search(position).run(12, nodes, 0, exact=False)
        whole = Search(position).run(spent.depth, 10**7, 0, exact=False)
        assert (spent.value, spent.move) == (whole.value, whole.move)


def test_the_search_avoids_repetition_while_ahead():
    deal = start(parse_deal("AS KS AC | AH KH KC | participant"))
    game = [deal, *(after_moves(deal, line) for line in (["KC"], ["KC", PICK_UP]))]
    repeated = Search(game[1], [game[0], game[2]]).scores(2, 10**6)
    assert repeated[PICK_UP] == DRAWN
    assert Search(game[1], [game[0]]).scores(2, 10**6)[PICK_UP] != DRAWN


def test_the_computer_plays_a_run_to_its_end():
    earlier = []
    position = Position((frozenset({"AS", "KS", "AC", "KC", "QC"}), frozenset({"QS", "JC", "10C", "9C"})))
    while position.winner is None:
        if position.mover == 0:
            found = best_move(position, depth=4, earlier=earlier)
            assert found.proved is True
        earlier.append(position)
        position = apply(position, found.move if position.mover == 0 else greedy_move(position))
    assert len(earlier) == 9  # five cards, each but the last picked up


def test_a_forced_win_is_proved_within_its_budget():
    won = start(parse_deal("AS AC KD | 7H 8D 9D | computer"))
    assert forced_win(won)
    assert best_move(won, depth=8).proved is True
    lost = start(parse_deal("7H 8D | AS AH | computer"))
    assert not forced_win(lost)
    assert not forced_win(start(draw_deal("golden", 8, 0)), nodes=3000)


def test_the_best_move_has_the_highest_value():
    position = start(draw_deal("golden", 8, 0))
    found = scores(position, depth=4)
    assert set(found) == set(legal_moves(position))
    assert max(found.values()) == best_move(position, depth=4).value
    assert scores(position, nodes=1) == scores(position, depth=0)


def test_greedy_plays_low_cards_before_trumps():
    here = after_moves(start(parse_deal("AS 9S QC 9D 10D | AH JH 10C KD 8D | participant")), ["8D"])
    assert greedy_move(here) == "9D"
    assert greedy_move(apply(here, "9D")) == "KD"
    assert greedy_move(after_moves(here, ["9S"])) == "JH"
    assert greedy_move(after_moves(here, ["AS", "AH"])) == "9S"
    assert greedy_move(after_moves(here, ["9S", "JH", "AS", "AH"])) == PICK_UP


@pytest.mark.parametrize(
    ("curve", "length", "expected"),
    [
        ((0, 10, 20), 5, [0, 5, 10, 15, 20]),
        ((0, 10, 20), 3, [0, 10, 20]),
        ((0, 9), 1, [9]),
        ((5,), 2, [5, 5]),
    ],
)
def test_curve_is_resampled_between_its_ends(curve, length, expected):
    assert stretch(curve, length) == expected


def test_the_search_beats_random_and_greedy_play():
    chance = random.Random(1)
    for size, other in ((5, greedy_move), (8, lambda position: random_move(position, chance))):
        position, earlier = start(draw_deal("play", size, 1)), []
        while position.winner is None and len(earlier) < 400:
            earlier.append(position)
            mine = position.mover == 0
            position = apply(
                position, best_move(position, depth=4, earlier=earlier[:-1]).move if mine else other(position)
            )
        assert position.winner == 0
