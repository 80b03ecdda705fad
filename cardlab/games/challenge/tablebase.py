"""Looks up positions of small packs of Challenge in tablebases: who wins with best play, and how soon.

Between two pick-ups the table only grows, so the search there is short. Only positions with an empty table
are stored: 2 to the power of the number of cards, one per division of the pack. Round by round, each open
position is searched to the next pick-ups. It is won if the mover can force the end or a position known to be
won, and lost likewise. Positions still open when a round finds nothing new are drawn. The round is the number
of pick-ups (the end counts as one) that the winner needs against the longest defence.

``python -m cardlab.games.challenge.tablebase`` writes the data files: packs of sizes 4 and 5. Compiled, size
5 takes 15 seconds in the default form. In the Cambridge form it takes 16 minutes and 0.9 GB of memory, in the
third form longer. Without numba, both sizes take too long. ``--check`` compares the files with new
computations.
"""

from __future__ import annotations

import lzma
import sys
from array import array
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import bits, pack
from cardlab.games.challenge.position import CAMBRIDGE, DEFAULT_FORM, Form, Position, apply, legal_moves

if TYPE_CHECKING:
    from cardlab.games.compiled import Integers

MAX_SOLVED_SIZE = 3  # larger packs take more than a second or so to solve, so they need a file
MAX_SIZE = 5  # of all tablebases
FORMS = (DEFAULT_FORM, CAMBRIDGE, Form("opponent", "lead"))
SHIPPED = tuple((size, form) for size in (4, 5) for form in FORMS)
MAX_ROUNDS = 1000  # a win in r rounds scores 1000 − r, a loss r − 1000, a draw 0


@cache
def tablebase(size: int, form: Form = DEFAULT_FORM) -> Integers:
    """Returns the rounds of a pack's positions with an empty table, by the cards of player 0, who leads.

    They are negative for a loss and 0 for a draw. Reads the shipped file, or solves a small pack.
    """
    from cardlab.games.compiled import integers

    file = data_file(size, form)
    if file.exists():
        return integers(array("b", lzma.decompress(file.read_bytes())))
    return solve(size, form)


def data_file(size: int, form: Form) -> Path:
    """Returns the path of a shipped tablebase: one signed byte per position, compressed."""
    return Path(__file__).with_name(f"tablebase_{size}_{form.after_pickup}_{form.after_better}.xz")


def solve(size: int, form: Form) -> Integers:
    """Solves all positions of a pack and returns their rounds."""
    from cardlab.games.challenge import retrograde
    from cardlab.games.compiled import integers

    picker, leads_on = _form_flags(form)
    rounds, better, number = integers(1 << 4 * size), _better(size), 1
    if leads_on:
        powers, picked_up = integers(1 << 4 * size), integers(1 << 4 * size)
        retrograde.fill_powers(powers)
        signs = integers(3 ** (4 * size) // retrograde.SIGNS + 1)
        while retrograde.solve_round_of_leads(number, size, picker, better, picked_up, powers, signs, rounds):
            number += 1
    else:
        found = integers(1 << 4 * size)
        while retrograde.solve_round(number, found, size, picker, leads_on, better, rounds):
            number += 1
    return rounds


def _form_flags(form: Form) -> tuple[int, int]:
    return int(form.after_pickup == "picker"), int(form.after_better == "lead")


@cache
def _better(size: int) -> Integers:
    from cardlab.games.compiled import integers

    cards = bits(size, TRUMPS)
    return integers([*cards.better[0], cards.all, *cards.better[1], cards.all])


def reaches(position: Position) -> bool:
    """Returns whether a tablebase has the position: its pack is complete, and small or shipped."""
    size = len(position.cards) // 4
    is_small = 1 <= size <= MAX_SOLVED_SIZE
    has_table = is_small or (size <= MAX_SIZE and data_file(size, position.form).exists())
    return has_table and position.cards == set(pack(size))


def score(position: Position) -> int:
    """Returns the score for the mover: 1000 − rounds for a win, rounds − 1000 for a loss, 0 for a draw.

    Raises ValueError if no tablebase has the position.
    """
    if position.winner is not None:
        return MAX_ROUNDS if position.winner == position.mover else -MAX_ROUNDS
    if not reaches(position):
        raise ValueError("No tablebase has this position. They have whole packs of small sizes.")
    from cardlab.games.challenge import retrograde

    size, mover = len(position.cards) // 4, position.mover
    cards, rounds = bits(size, position.trumps), tablebase(size, position.form)
    me, other = cards.mask(position.hands[mover]), cards.mask(position.hands[1 - mover])
    if position.to_lead and not position.table and me not in (0, cards.all):
        return int(retrograde.known_score(me, mover, size, 1, rounds))
    top = cards.count if position.to_lead else cards.number[position.table[-1]]
    arguments = (me, other, top, mover, -MAX_ROUNDS, MAX_ROUNDS, size, *_form_flags(position.form))
    return int(retrograde.exact_score(*arguments, _better(size), rounds))


def exact_scores(position: Position) -> dict[str, int] | None:
    """Returns the score for the mover after each legal move; None if no tablebase has the position."""
    if not reaches(position):
        return None
    scores = {}
    for move in legal_moves(position):
        next_position = apply(position, move)
        scores[move] = (
            score(next_position) if next_position.mover == position.mover else -score(next_position)
        )
    return scores


def best_moves(position: Position) -> tuple[str, ...]:
    """Returns the moves that win soonest or lose latest. Raises ValueError like :func:`score`."""
    scores = exact_scores(position)
    if scores is None:
        raise ValueError("No tablebase has this position. They have whole packs of small sizes.")
    best_score = max(scores.values())
    return tuple(move for move, score in scores.items() if score == best_score)


def main(arguments: list[str]) -> int:
    """Writes the shipped files, or with ``--check`` reports those that differ from a new computation."""
    stale = 0
    for size, form in SHIPPED:
        computed = array("b", map(int, solve(size, form))).tobytes()
        file = data_file(size, form)
        if "--check" not in arguments:
            file.write_bytes(lzma.compress(computed, preset=9 | lzma.PRESET_EXTREME))
        elif lzma.decompress(file.read_bytes()) != computed:
            print(f"{file.name} differs.")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
