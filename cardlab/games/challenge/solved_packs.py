"""All positions of the packs up to size 4, in the Cambridge form up to size 3, ready at once.

The solver takes a second for size 3, but many for size 4, longer than a participant waits. So its rounds for
size 4 are in ``solved_4.bin``: a signed byte for each division of the pack, form after form, compressed.

    python -m cardlab.games.challenge.solved_packs

writes that file again.
"""

from __future__ import annotations

import zlib
from array import array
from functools import cache
from pathlib import Path

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import bits, pack
from cardlab.games.challenge.position import DEFAULT_FORM, Form, Position
from cardlab.games.challenge.solver import LARGEST, Solved, solved

FORMS = (DEFAULT_FORM, Form(after_better="lead"))  # of the file; Cambridge's takes too long to solve
FILE = Path(__file__).with_name(f"solved_{LARGEST}.bin")


class _Stored(Solved):
    """A pack whose rounds are read, not computed."""

    def __init__(self, size: int, form: Form, rounds: list[int]) -> None:
        self.size, self.form, self.rounds = size, form, rounds
        self.bits = bits(size, TRUMPS)
        masks = range(self.bits.all + 1)
        self._as_leader = list(masks), list(map(self.bits.mirror, masks))


@cache
def solved_pack(size: int, form: Form) -> Solved:
    """Returns all positions of a pack up to size 4, once read or solved."""
    if size < LARGEST:
        return solved(size, form)
    rounds, number = array("b", zlib.decompress(FILE.read_bytes())), FORMS.index(form)
    length = len(rounds) // len(FORMS)
    return _Stored(size, form, rounds[number * length : (number + 1) * length].tolist())


def exact_scores(position: Position) -> dict[str, int] | None:
    """Returns the solver's scores of the moves; None if the position is not of a solved pack."""
    size, form = len(position.cards) // 4, position.form
    is_known = 1 <= size < LARGEST or (size == LARGEST and form in FORMS)
    if not is_known or position.cards != set(pack(size)):
        return None
    return solved_pack(size, form).scores(position)


def write() -> None:
    """Solves the pack in all forms and writes the file."""
    rounds = array("b")
    for form in FORMS:
        rounds.extend(Solved(LARGEST, form).rounds)
    FILE.write_bytes(zlib.compress(rounds.tobytes(), 9))


if __name__ == "__main__":
    write()
