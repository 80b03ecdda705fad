"""Makes the deal files of this folder.

``python -m deals.solitario.generate`` writes them, ``--check`` compares them with what it would write. The
same seed gives the same files on any machine; README.md says what each file is for.
"""

import sys
from pathlib import Path

from cardlab.games.solitario import rules
from cardlab.games.solitario.difficulty import count_wins, grade
from cardlab.games.solitario.solver import solve
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, Solitario"
# The numbers of the deals: those that a first version of the solver decided within 2,000 positions.
NUMBERS = {
    "briscola": (2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14),
    "tarocco": (2, 7, 9, 11, 12, 13, 20, 24, 26, 27, 28, 33),
    "french": (2, 4, 5, 9, 10, 11, 12, 15, 16, 17, 18, 19),
}
NODES = 100_000
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
    for number in NUMBERS[pack]:
        deal = rules.deal(f"{SEED}: {pack} {number}", {"pack": pack})
        lines += [f"// {_claim(deal, pack, 1)}, with three cards a draw: {_claim(deal, pack, 3)}", deal]
    return "\n".join(lines) + "\n"


def _claim(deal: str, pack: str, draw: int) -> str:
    options = {"pack": pack, "draw": draw}
    start = rules.start(deal, options)
    ace_on_two = start.options["ace_on_two"]
    found = solve(start.position, start.pack, draw=draw, ace_on_two=ace_on_two, nodes=NODES)
    assert found.solvable is not None
    if not found.solvable:
        return "cannot be solved"
    return f"can be solved (grade {grade(found, count_wins(deal, options))})"


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
