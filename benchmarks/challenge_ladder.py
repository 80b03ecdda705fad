"""Measures how strong the computer of Challenge is: depths against each other and against a pool of others.

    .venv/bin/python benchmarks/challenge_ladder.py --size 8 --games 100

Games are played in pairs with the same deal, each side leading once. A draw counts half. Intervals are
Wilson's of 95 %, over games. The bars: each depth wins half against the next lower one, within the interval;
depth 4 wins 60 % against each player of the pool and 99 % against the greedy one; depth 8
wins 80 % against depth 4. ``--keeps`` counts instead how often won positions of small packs stay won.
``--elo`` lets all players meet each other and prints Elo ratings, 0 for depth 4, with bootstrap intervals.
``--results FILE`` keeps the points of each game, so that an interrupted run can be resumed. Delete the file
after changing the computer player.

The pool is unlike the computer and knows nothing of its evaluation:

``random``, ``greedy``  ``cardlab.games.challenge.opponents``
``hoarder``     keeps trumps and high cards: picks up rather than play a trump while it has many cards
``runner``      gets rid of low cards, and plays runs that the other player cannot beat
``linear``      alpha-beta of depth 4 with a linear evaluation; knows unbeatable runs, avoids repetition
``monte carlo`` takes the move after which greedy play with errors wins most often
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from math import log10
from pathlib import Path
from statistics import quantiles

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.challenge_levels import interval
from cardlab.games.challenge import rules
from cardlab.games.challenge.deal import SIDES
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.packs import Bits, bits, height, size_of
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.tablebase import exact_scores
from cardlab.games.compiled import Integers, compiled, count_bits, integers, lowest_bit

Player = Callable[[State, random.Random], str]
FORMS = {
    "pass": {},
    "lead": {"after_better": "lead"},
    "cambridge": {"after_better": "lead", "after_pickup": "picker"},
}
WIN, FAR = 1_000_000, 10_000
ROLLOUTS, ROLLOUT_ACTIONS = 32, 60
FACTOR, MASK = 1_103_515_245, (1 << 31) - 1  # of the random numbers of roll-outs
SAMPLES, STEPS = 200, 200  # resamples of the games for an interval; steps of the fit
LOWEST_BARS = {"greedy": 0.99}  # for depth 4; 0.6 for the others


def play_depth(depth: int, state: State, chance: random.Random) -> str:
    """Returns the computer's move at a depth."""
    return best_move(state.position, depth=depth, seed=chance.random(), earlier=state.positions[:-1]).move


def play_hoarder(state: State, _chance: random.Random) -> str:
    """Returns the lowest side card that may be played; trumps only with few cards, else a pick-up."""
    position = state.position
    trump = position.trumps[position.mover]
    cards = [move for move in legal_moves(position) if move != PICK_UP]
    plain = [card for card in cards if card[-1] != trump]
    few = len(position.hands[position.mover]) <= len(position.cards) // 4
    chosen = plain or (cards if few or position.to_lead else [])
    return min(chosen, key=height) if chosen else PICK_UP


def play_runner(state: State, _chance: random.Random) -> str:
    """Returns the lowest card that cannot be beaten, if the other has no trumps; else the lowest card."""
    position = state.position
    other = position.hands[1 - position.mover]
    rival_trump = position.trumps[1 - position.mover]
    cards = [move for move in legal_moves(position) if move != PICK_UP]
    if not any(card[-1] == rival_trump for card in other):
        safe = [
            card
            for card in cards
            if not any(held[-1] == card[-1] and height(held) > height(card) for held in other)
        ]
        if safe:
            return min(safe, key=height)
    own = position.trumps[position.mover]
    return min(cards, key=lambda card: (card[-1] == own, height(card))) if cards else PICK_UP


def play_monte_carlo(state: State, chance: random.Random) -> str:
    """Returns the move that wins most often when both go on greedily, with one random move in five."""
    position = state.position
    pack, count, better, own = tables_of(position)
    form = [int(position.form.after_pickup == "picker"), int(position.form.after_better == "lead")]
    constants = integers([pack.size, count, pack.mask(position.cards), *own, *form])
    points = dict.fromkeys(legal_moves(position), 0)
    for move in points:
        after = apply(position, move)
        if after.winner is not None:
            return move
        me, other = (pack.mask(after.hands[each]) for each in (after.mover, 1 - after.mover))
        top = count if after.to_lead else pack.number[after.table[-1]]
        total = sum(
            int(roll_out(me, other, top, after.mover, chance.getrandbits(31), better, constants))
            for _game in range(ROLLOUTS)
        )
        points[move] = total if after.mover == position.mover else 1000 * ROLLOUTS - total
    best = max(points.values())
    return chance.choice([move for move, won in points.items() if won == best])


def tables_of(position: Position) -> tuple[Bits, int, Integers, list[int]]:
    """Returns the position's pack, its number of cards, the cards that beat each, and the players' trumps."""
    pack = bits(size_of(position.cards), position.trumps)
    everything = (1 << pack.count) - 1
    better = integers([*pack.better[0], everything, *pack.better[1], everything])
    return pack, pack.count, better, [pack.column[player] for player in (0, 1)]


@compiled
def roll_out(
    me: int, other: int, top: int, mover: int, seed: int, better: Integers, constants: Integers
) -> int:  # fmt: skip
    """Returns the mover's points in thousandths: 0 or 1000, or by card counts if the game is unfinished."""
    size, count, player = constants[0], constants[1], mover
    for _action in range(ROLLOUT_ACTIONS):
        cards, pick_up, chosen = me & better[mover * (count + 1) + top], 1 if top != count else 0, -1
        seed = seed * FACTOR + 12345 & MASK
        if (seed >> 16) % 5 == 0:
            seed = seed * FACTOR + 12345 & MASK
            skipped = (seed >> 16) % (count_bits(cards) + pick_up)
            while cards and skipped:
                cards, skipped = cards & cards - 1, skipped - 1
            chosen = lowest_bit(cards) if cards else -1
        else:
            side = cards & ~constants[3 + mover]
            cards = side if side else cards
            while cards:
                card = lowest_bit(cards)
                chosen = card if chosen < 0 or card % size < chosen % size else chosen
                cards &= cards - 1
        if chosen < 0:
            me, top = constants[2] & ~other, count
            stays = constants[5]
        else:
            me ^= 1 << chosen
            if me == 0:
                return 1000 if mover == player else 0
            stays = constants[6] * pick_up
            top = count if stays else chosen
        if not stays:
            me, other, mover = other, me, 1 - mover
    mine, theirs = count_bits(me), count_bits(other)
    lead = 400 * (theirs - mine) // (mine + theirs)
    return 500 + lead if mover == player else 500 - lead


@compiled
def linear_value(me: int, other: int, mover: int, weights: Integers, count: int) -> int:
    """Returns the weights of the mover's cards minus those of the other's."""
    value, player, cards = 0, mover, me
    for sign in (1, -1):
        while cards:
            value += sign * weights[player * count + lowest_bit(cards)]
            cards &= cards - 1
        player, cards = 1 - mover, other
    return value


@compiled
def linear_search(
    me: int, other: int, top: int, mover: int, left: int, alpha: int, beta: int,
    count: int, everything: int, leads_on: int, better: Integers, weights: Integers, trumps: Integers,
) -> int:  # fmt: skip
    """Returns the value for the mover, by plain alpha-beta; ``top`` is ``count`` for a leader."""
    if top == count and not other & trumps[1 - mover]:
        rest, losers = me, 0  # a run: all but the last card cannot be beaten
        while rest:
            card = lowest_bit(rest)
            rest &= rest - 1
            losers += 1 if better[(1 - mover) * (count + 1) + card] & other else 0
        if losers <= 1:
            return WIN + left * FAR
    if left == 0:
        return linear_value(me, other, mover, weights, count)
    best, cards = -2 * WIN, me & better[mover * (count + 1) + top]
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        rest = me ^ 1 << card
        if rest == 0:
            return WIN + left * FAR
        if leads_on and top != count:
            value = linear_search(
                rest, other, count, mover, left - 1, max(alpha, best), beta,
                count, everything, leads_on, better, weights, trumps,
            )  # fmt: skip
        else:
            value = -linear_search(
                other, rest, card, 1 - mover, left - 1, -beta, -max(alpha, best),
                count, everything, leads_on, better, weights, trumps,
            )  # fmt: skip
        best = max(best, value)
        if best >= beta:
            return best
    if top != count:
        value = -linear_search(
            other, everything & ~other, count, 1 - mover, left - 1, -beta, -max(alpha, best),
            count, everything, leads_on, better, weights, trumps,
        )  # fmt: skip
        best = max(best, value)
    return best


def play_linear(state: State, chance: random.Random) -> str:
    """Returns the best move of a linear alpha-beta of depth 4, as if picking up always lost the lead."""
    position = state.position
    pack, count, better, own = tables_of(position)
    size = pack.size
    weights = integers(
        3 * (number % size) + 2 * size * (own[player] >> number & 1) - 2 * size
        for player in (0, 1)
        for number in range(count)
    )
    seen = {one.key for one in state.positions}
    values = dict[str, int]()
    moves = list(legal_moves(position))
    chance.shuffle(moves)
    for move in moves:
        after = apply(position, move)
        if after.winner is not None:
            return move
        me, other = (pack.mask(after.hands[each]) for each in (after.mover, 1 - after.mover))
        top = count if after.to_lead else pack.number[after.table[-1]]
        value = int(
            linear_search(
                me, other, top, after.mover, 3, -2 * WIN, 2 * WIN,
                count, pack.mask(position.cards), int(position.form.after_better == "lead"),
                better, weights, integers(own),
            )
        )  # fmt: skip
        value = value if after.mover == position.mover else -value
        values[move] = value - (2 * size if after.key in seen else 0)
    return max(values, key=values.__getitem__)


POOL: dict[str, Player] = {
    "random": lambda state, chance: random_move(state.position, chance),
    "greedy": lambda state, _chance: greedy_move(state.position),
    "hoarder": play_hoarder,
    "runner": play_runner,
    "linear": play_linear,
    "monte carlo": play_monte_carlo,
}


def player_of(name: str) -> Player:
    """Returns a player of the pool, or the computer at a depth: ``depth 4``."""
    return POOL[name] if name in POOL else partial(play_depth, int(name.split()[1]))


def play(first: str, second: str, size: int, form: str, number: int) -> float:
    """Returns the points of the first player in the numbered game: 1, ½ or 0."""
    deal = rules.deal(f"ladder {size} {number // 2}", {"size": size, "dealer": SIDES[0]})
    state = rules.start(deal, {"size": size, **FORMS[form]})
    seats = ("N", "S") if number % 2 else ("S", "N")
    players = dict(zip(seats, map(player_of, (first, second)), strict=True))
    chance = random.Random(f"{first}, {second}, {size}, {form}, {number}")
    while not rules.is_over(state):
        move = players[state.mover](state, chance)
        state = rules.apply(state, state.mover, rules.action_of(move))
    return 0.5 if not state.winner else float(state.winner == seats[0])


def play_all(
    pool: ProcessPoolExecutor, pairings: Iterable[tuple[str, str]], arguments: argparse.Namespace
) -> Iterator[list[float]]:
    """Yields for each pairing the points of its games, known ones from the file of results."""
    file, setting = arguments.results, (arguments.size, arguments.form)
    lines = file.read_text("utf-8").splitlines() if file and file.exists() else []
    known = {key: float(points) for key, _colon, points in (line.partition(": ") for line in lines)}
    games = [[(*pairing, *setting, number) for number in range(arguments.games)] for pairing in pairings]
    waiting = {game: pool.submit(play, *game) for each in games for game in each if str(game) not in known}
    for each in games:
        for game in each:
            if game in waiting:
                known[str(game)] = waiting[game].result()
                if file:
                    with file.open("a", encoding="utf-8") as results:
                        results.write(f"{game}: {known[str(game)]}\n")
        yield [known[str(game)] for game in each]


def keep_win(depth: int, size: int, number: int) -> tuple[int, int]:
    """Plays random moves; returns the number of won positions, and of those that the computer keeps won."""
    state = rules.start(rules.deal(f"keeps {size} {number}", {"size": size}), {"size": size})
    chance, met, kept = random.Random(f"keeps {size} {number}"), 0, 0
    while not rules.is_over(state):
        scores = exact_scores(state.position) or {}
        if len(scores) > 1 and max(scores.values()) > 0:
            met += 1
            kept += scores[play_depth(depth, state, chance)] > 0
        state = rules.apply(state, state.mover, rules.action_of(random_move(state.position, chance)))
    return met, kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=8, help="cards of each suit (8)")
    parser.add_argument("--form", choices=FORMS, default="pass", help="the rules about who leads (pass)")
    parser.add_argument("--games", type=int, default=100, help="games of a pairing (100)")
    parser.add_argument("--depths", type=int, nargs="*", default=[0, 2, 4, 6, 8])
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--keeps", action="store_true", help="count won positions that stay won")
    parser.add_argument("--results", type=Path, help="file that keeps the points of each game")
    parser.add_argument("--elo", action="store_true", help="rate the depths and the pool")
    arguments = parser.parse_args()
    if arguments.elo and 4 not in arguments.depths:
        parser.error("--elo needs depth 4 among --depths, because it has the rating 0")
    with ProcessPoolExecutor(arguments.jobs) as pool:
        if arguments.elo:
            print_ratings(pool, arguments)
            return 0
        if arguments.keeps:
            return 0 if all([*measure_keeps(pool, arguments)]) else 1
        return 0 if all([*measure_pairings(pool, arguments)]) else 1


def print_ratings(pool: ProcessPoolExecutor, arguments: argparse.Namespace) -> None:
    """Prints the Elo rating of every player, with its interval, best first."""
    players = [*(f"depth {depth}" for depth in arguments.depths), *POOL]
    pairings = [*combinations(players, 2)]
    points = dict(zip(pairings, play_all(pool, pairings, arguments), strict=True))
    chance = random.Random("ratings")
    drawn = [
        rate(players, {pairing: chance.choices(each, k=len(each)) for pairing, each in points.items()})
        for _sample in range(SAMPLES)
    ]
    ratings = rate(players, points)
    for player in sorted(players, key=ratings.__getitem__, reverse=True):
        low, *_middle, high = quantiles([each[player] for each in drawn], n=40)
        print(f"{player:12} {ratings[player]:6.0f} ({low:.0f} to {high:.0f})")


def rate(players: list[str], points: Mapping[tuple[str, str], list[float]]) -> dict[str, float]:
    """Returns the ratings under which the players' sums of points are most likely; depth 4 has 0.

    Hunter (2004): MM algorithms for generalized Bradley-Terry models. Half a win for each side is added to
    each pairing, because a player who always wins would otherwise have an infinite rating.
    """
    sums, games = dict.fromkeys(players, 0.0), dict[tuple[str, str], float]()
    for (first, second), each in points.items():
        sums[first] += sum(each) + 0.5
        sums[second] += len(each) - sum(each) + 0.5
        games[first, second] = games[second, first] = len(each) + 1
    strengths = dict.fromkeys(players, 1.0)
    for _step in range(STEPS):
        strengths = {
            one: sums[one]
            / sum(
                games[one, other] / (strengths[one] + strengths[other]) for other in players if other != one
            )
            for one in players
        }
    return {one: 400 * log10(strengths[one] / strengths["depth 4"]) for one in players}


def measure_keeps(pool: ProcessPoolExecutor, arguments: argparse.Namespace) -> Iterable[bool]:
    """Prints the share of won positions that each depth keeps, and yields whether its bar is met."""
    for depth in arguments.depths:
        games = [pool.submit(keep_win, depth, arguments.size, number) for number in range(arguments.games)]
        met, kept = (sum(each) for each in zip(*(game.result() for game in games), strict=True))
        bar = 0.995 if depth >= 8 else 0.98 if depth >= 4 else 0
        print(f"depth {depth}: {kept} of {met} won positions kept ({100 * kept / met:.2f} %)", flush=True)
        yield kept / met >= bar


def measure_pairings(pool: ProcessPoolExecutor, arguments: argparse.Namespace) -> Iterable[bool]:
    """Prints the share of points of each pairing and yields whether its bar is met."""
    depths = arguments.depths
    bars = {(f"depth {high}", f"depth {low}"): 0.5 for low, high in zip(depths, depths[1:], strict=False)}
    if {4, 8} <= {*depths}:
        bars["depth 8", "depth 4"] = 0.8
    if 4 in depths:
        bars |= {("depth 4", name): LOWEST_BARS.get(name, 0.6) for name in POOL}
    for ((first, second), bar), games in zip(bars.items(), play_all(pool, bars, arguments), strict=True):
        share = sum(games) / len(games)
        low, high = interval(share, len(games))
        met = high >= bar if bar == 0.5 else share >= bar
        print(
            f"{first} against {second}: {100 * share:.1f} % ({100 * low:.0f}–{100 * high:.0f}), "
            f"bar {100 * bar:.0f}: {'met' if met else 'MISSED'}",
            flush=True,
        )
        yield met


if __name__ == "__main__":
    sys.exit(main())
