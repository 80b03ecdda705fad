"""How the evaluation of Challenge is fitted; its output goes into cardlab/games/challenge/weights_*.txt.

    .venv/bin/python benchmarks/challenge_fit.py exact            # size 4, on solved positions: minutes
    .venv/bin/python benchmarks/challenge_fit.py play --rounds 4  # size 8, on games of its own: hours

``exact``: positions come from games of players of all kinds, and what each is worth from the solver: 10 for
each round that the win comes sooner than the 40th, negative for who loses. Positions drawn by chance would
not do: they are not those that play leads to, and who is told only won or lost makes no headway in a
position that is won. A fit on them held 94 % of such positions right and lost to greedy play.

``play``: larger packs cannot be solved, and what was fitted on small ones makes too little headway. So the
fit of size 4 is stretched and plays against itself, the greedy and the random player; what a position was
worth is 1000 for who won, less with each action that it still took, by a factor e in 80; 0 if nobody won.
The fit to that plays the next round. Rounds differ in strength, so each is held against the one before; keep
the best.

Both are least squares on the columns that ``evaluation.evaluate`` adds up, with a penalty for large worths of
cards and one for bends in the curves by number of cards.

The figures that are there now come from these steps in a faster program that was not kept; its random
numbers were others, it began the second with a fit of solved size 6, and they are its fourth round. So this
script gives figures of the same kind, not the same ones.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import textwrap
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.games.challenge import evaluation
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.evaluation import FITS, KINDS, PHASE_NAMES, Curves
from cardlab.games.challenge.opponents import greedy_move, random_move
from cardlab.games.challenge.packs import bits
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves, start
from cardlab.games.challenge.search import best_move
from cardlab.games.challenge.solver import solved

LAST_ROUND, ROUND = 40, 10  # of the exact worth
WON, FADES = 1000, 80  # of the worth by play
LARGE, BENT = 2, 60  # the penalties
MAX_ACTIONS = 400

Fit = dict[str, Curves]


def columns(size: int) -> dict[tuple[str, str], slice]:
    """Where each curve of a fit stands among the columns."""
    places, at = {}, 0
    for table, curves in FITS[8].items():
        for curve in curves:
            length = size if table == "cards" else 4 * size + 1
            places[table, curve] = slice(at, at + length)
            at += length
    return places


def row(position: Position, places: dict[tuple[str, str], slice], size: int) -> np.ndarray:
    """What ``evaluation.evaluate`` adds up for the position, as how often each figure counts."""
    if legal_moves(position) == (PICK_UP,):
        return -row(apply(position, PICK_UP), places, size)
    pack, mover = bits(size, position.trumps), position.mover
    phase = sum(1 << player for player in (0, 1) if pack.mask(position.hands[player]) & pack.column[player])
    called = PHASE_NAMES[mover][phase]
    counts = [len(position.hands[player]) for player in (mover, 1 - mover)]
    found = np.zeros(max(place.stop for place in places.values()))
    for player, sign in ((mover, 1), (1 - mover, -1)):
        for card in position.hands[player]:
            number = pack.number[card]
            curve = places["cards", KINDS[phase][min(number % 4, 2)]]
            found[curve.start + number // 4] += sign
    if position.to_lead:
        found[places["leading", called].start + counts[0]] += 1
    else:
        found[places["mine", called].start + counts[0]] += 1
        found[places["theirs", called].start + counts[1]] += 1
    return found


def fitted(rows: list[np.ndarray], worths: list[float], size: int) -> Fit:
    """The figures that come nearest to the worths."""
    places = columns(size)
    wide = len(rows[0])
    penalty = np.zeros((wide, wide))
    for (table, _curve), place in places.items():
        length = place.stop - place.start
        bends = np.diff(np.eye(length), 2, axis=0)
        of_cards = table == "cards"
        penalty[place, place] = LARGE * np.eye(length) if of_cards else BENT * bends.T @ bends
    matrix = np.array(rows)
    normal = matrix.T @ matrix + penalty + 0.05 * np.eye(wide)
    figures = np.linalg.solve(normal, matrix.T @ np.array(worths))
    fit: Fit = {}
    for (table, curve), place in places.items():
        fit.setdefault(table, {})[curve] = tuple(int(round(figure)) for figure in figures[place])
    return fit


def use(fit: Fit, size: int) -> None:
    """Let searches have this fit."""
    FITS[size] = fit
    evaluation.weights.cache_clear()


def played(seed: str, size: int, deepest: int) -> list[Position]:
    """A game of the search against itself, greedy or random play, with some moves by chance; the last
    position has a winner or is where the game was ended."""
    chance = random.Random(seed)
    position = start(draw_deal(seed, size, chance.randrange(2)))
    kinds = [str(deepest - chance.randrange(2)), chance.choice(["greedy"] * 3 + ["random"] + ["search"] * 6)]
    if kinds[1] == "search":
        kinds[1] = str(max(0, deepest - chance.randrange(3)))
    chance.shuffle(kinds)
    astray, opening = chance.choice([0.02, 0.06]), chance.choice([0, 0, chance.randrange(3 * size)])
    game = [position]
    while position.winner is None and len(game) <= MAX_ACTIONS:
        kind = kinds[position.mover]
        if len(game) <= opening or kind == "random" or chance.random() < astray:
            move = random_move(position, chance)
        elif kind == "greedy":
            move = greedy_move(position)
        else:
            move = best_move(position, depth=int(kind), seed=chance.random(), earlier=game[:-1]).move
        position = apply(position, move)
        game.append(position)
    return game


def exact(games: int) -> Fit:
    """Size 4, on the solver's worths."""
    table, places, rows, worths = solved(4), columns(4), [], []
    for number in range(games):
        for position in played(f"exact {number}", 4, 4):
            if position.winner is None:
                score = table.score(position)
                rounds = 1000 - abs(score)
                rows.append(row(position, places, 4))
                worths.append(math.copysign(ROUND * max(0, LAST_ROUND - rounds), score))
    return fitted(rows, worths, 4)


def play(games: int, rounds: int) -> None:
    """Size 8, on own games; prints the fit of each round."""
    pack = 8
    stretched = {
        table: {
            curve: tuple(evaluation.stretch(figures, pack if table == "cards" else 4 * pack + 1))
            for curve, figures in curves.items()
        }
        for table, curves in FITS[4].items()
    }
    use(stretched, pack)
    places = columns(pack)
    before: tuple[list[np.ndarray], list[float]] = ([], [])
    for turn in range(rounds):
        rows: list[np.ndarray] = []
        worths: list[float] = []
        for number in range(games):
            game = played(f"play {turn} {number}", pack, 2 if turn < 2 else 3)
            end = game[-1]
            for at, position in enumerate(game[:-1]):
                worth = 0.0
                if end.winner is not None:
                    worth = WON * math.exp((at + 1 - len(game)) / FADES)
                    worth = worth if end.winner == position.mover else -worth
                rows.append(row(position, places, pack))
                worths.append(worth)
        old, fit = FITS[pack], fitted(before[0] + rows, before[1] + worths, pack)
        before = (rows, worths)
        print(f"round {turn + 1}: {against(fit, old, pack)} against the one before, in 40 games", flush=True)
        use(fit, pack)
        show(fit)


def against(fit: Fit, old: Fit, size: int) -> str:
    """Games won and lost at depth 4, from twenty deals, both sides."""
    ends = [0, 0]
    for number in range(40):
        position, earlier = start(draw_deal(f"against {number // 2}", size, 0)), list[Position]()
        while position.winner is None and len(earlier) < MAX_ACTIONS:
            use(fit if position.mover == number % 2 else old, size)
            move = best_move(position, earlier=earlier).move
            earlier.append(position)
            position = apply(position, move)
        if position.winner is not None:
            ends[position.winner != number % 2] += 1
    return f"{ends[0]} won and {ends[1]} lost"


def show(fit: Fit) -> None:
    for table, curves in fit.items():
        for curve, figures in curves.items():
            line = f"{table}, {curve}: {' '.join(map(str, figures))}"
            print("\n".join(textwrap.wrap(line, 106, subsequent_indent="    ")), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("which", choices=["exact", "play"])
    parser.add_argument("--games", type=int, default=2000, help="to fit on, in each round (2000)")
    parser.add_argument("--rounds", type=int, default=4, help="of play (4)")
    asked = parser.parse_args()
    if asked.which == "exact":
        show(exact(asked.games))
    else:
        play(asked.games, asked.rounds)


if __name__ == "__main__":
    main()
