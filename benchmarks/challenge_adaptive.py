"""Measures what participants win against the adaptive computer of Challenge, and how long their games take.

    .venv/bin/python benchmarks/challenge_adaptive.py --sessions 40 --size 8

Simulated participants of different strength play sessions. They look ahead, and replace a share of their
moves by any other legal move, or by picking up where that is legal. A game's duration is the number of the
participant's moves times ``--seconds``. docs/explanation/performance.md has the results.
"""

from __future__ import annotations

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cardlab.games.challenge import rules
from cardlab.games.challenge.deal import SIDES
from cardlab.games.challenge.levels import FIRST_ADAPTIVE, LEVELS, Level, adapted_level, draw_error
from cardlab.games.challenge.opponents import greedy_move
from cardlab.games.challenge.position import PICK_UP, legal_moves
from cardlab.games.challenge.rules import State
from cardlab.games.challenge.search import best_move

PICKS_UP = "60 % pick-ups"
PARTICIPANTS: dict[str, Level | None] = {  # None: the lowest card that beats, else a pick-up
    PICKS_UP: Level(0, 60),
    "errs in 80 %": Level(0, 80),
    "errs in 60 %": Level(0, 60),
    "lowest card": None,
    "depth 2, errs in 30 %": Level(2, 30),
    "depth 6, errs in 8 %": Level(6, 8),
    "depth 6": Level(6, 0),
}


class Game(NamedTuple):
    """The level of the computer, the outcome for the participant, and the participant's moves."""

    level: int
    outcome: str
    moves: int


def search(state: State, depth: int, seed: str) -> str:
    """Returns the best move found."""
    return best_move(state.position, depth=depth, seed=seed, earlier=state.positions[:-1]).move


def play(name: str, level: int, size: int, seed: str, dealer: str, most: int) -> Game:
    """Plays a game of the participant, in seat S, against the computer at a level."""
    options = {"size": size, "dealer": dealer}
    state = rules.start(rules.deal(seed, options), {"size": size, "max_actions": most})
    chance, participant, moves = random.Random(seed + name), PARTICIPANTS[name], 0
    while not rules.is_over(state):
        legal, each = legal_moves(state.position), f"{seed} {len(state.moves)}"
        if state.mover == "N":
            best = search(state, LEVELS[level].depth, each)
            move = draw_error(best, legal, LEVELS[level].errors, each) or best
        elif participant is None:
            move = greedy_move(state.position)
        else:
            best = search(state, participant.depth, each)
            errs = chance.randrange(100) < participant.errors and len(legal) > 1
            move = chance.choice([move for move in legal if move != best]) if errs else best
            move = PICK_UP if errs and name == PICKS_UP and PICK_UP in legal else move
        moves += state.mover == "S"
        state = rules.apply(state, state.mover, rules.action_of(move))
    return Game(level, rules.result(state, "S", 0).outcome, moves)


def play_session(name: str, number: int, size: int, games: int, first: int, most: int) -> list[Game]:
    """Plays the games of a participant, adapting the computer's level to each result."""
    played: list[Game] = []
    for game in range(games):
        level = adapted_level(played[-1].level, played[-1].outcome, game) if played else first
        played.append(play(name, level, size, f"adaptive {number} {game}", SIDES[game % 2], most))
    return played


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=40, help="sessions of each participant (40)")
    parser.add_argument("--games", type=int, default=4, help="games of a session (4)")
    parser.add_argument("--size", type=int, default=8, help="cards of each suit (8)")
    parser.add_argument("--first", type=int, default=FIRST_ADAPTIVE, help="the first level")
    parser.add_argument("--most", type=int, default=240, help="actions before a draw (240)")
    parser.add_argument("--seconds", type=float, default=3.8, help="seconds of a participant's move (3.8)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    given = parser.parse_args()
    print("| Participant | Won, % | Drawn, % | Minutes, median | 10th–90th percentile | Last level |")
    with ProcessPoolExecutor(given.jobs) as pool:
        sessions = {
            name: [
                pool.submit(play_session, name, number, given.size, given.games, given.first, given.most)
                for number in range(given.sessions)
            ]
            for name in PARTICIPANTS
        }
        for name, waiting in sessions.items():
            played = [each.result() for each in waiting]
            games = [game for each in played for game in each]
            won, drawn = (
                100 * sum(game.outcome == outcome for game in games) / len(games)
                for outcome in ("won", "drawn")
            )
            minutes = sorted(game.moves * given.seconds / 60 for game in games)
            low, high = (minutes[len(minutes) * tenth // 10] for tenth in (1, 9))
            last = sum(each[-1].level for each in played) / len(played)
            cells = [name, f"{won:.0f}", f"{drawn:.0f}", f"{median(minutes):.1f}", f"{low:.1f}–{high:.1f}"]
            print("|", " | ".join([*cells, f"{last:.1f}"]), "|", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
