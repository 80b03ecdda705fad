"""Makes the deal files of this folder.

``python -m deals.solitario.generate`` writes them, ``--check`` compares them with what it would write. The
same seed gives the same files on any machine; README.md says what each file is for.
"""

import sys
from itertools import count
from pathlib import Path

from cardlab.games.solitario import rules
from cardlab.games.solitario.solver import solve
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, Solitario"
HANDS = 12
NODES = 2000  # a deal for which the solver looks at more positions is passed over
SAID = {True: "can be solved", False: "cannot be solved"}
PACKS = {
    "briscola": "The 40 cards of Briscola",
    "tarocco": "The 56 cards of the Tarocco Piemontese",
    "french": "The 52 French cards, on whose twos an ace may lie",
}


def files() -> dict[str, str]:
    """The text of every file, by name."""
    return {f"{pack}.txt": _text(pack, what) for pack, what in PACKS.items()}


def _text(pack: str, what: str) -> str:
    lines = [f"// {what}. Made by deals/solitario/generate.py."]
    for number in count(1):
        deal = rules.deal(f"{SEED}: {pack} {number}", {"pack": pack})
        found = {draw: _solvable(deal, pack, draw) for draw in (1, 3)}
        if None in found.values():
            continue
        lines += [f"// {SAID[found[1]]}, with three cards a draw: {SAID[found[3]]}", deal]
        if len(lines) == 1 + 2 * HANDS:
            return "\n".join(lines) + "\n"


def _solvable(deal: str, pack: str, draw: int) -> bool | None:
    start = rules.start(deal, {"pack": pack, "draw": draw})
    ace_on_two = start.options["ace_on_two"]
    return solve(start.position, start.pack, draw=draw, ace_on_two=ace_on_two, nodes=NODES).solvable


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
