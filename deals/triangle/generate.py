"""Makes the deal files of this folder.

``python -m deals.triangle.generate`` writes them, ``--check`` compares them with what it would write. The
same seed gives the same files on any machine; README.md says what each file is for.
"""

import random
import sys
from pathlib import Path

from cardlab.games.triangle import rules
from cardlab.games.triangle.strategies import VIEW_POLICIES
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, Triangle Solitaire"
HANDS = 8
GRADES = range(1, 10)  # how many Singles the variations may put in the way

# learning.txt: of so many shuffled deals those in which the game's own advice earns most, by so many plays.
LEARNING, DRAWN, PLAYS, ADVICE = 3, 100, 5, "most_neighbours"


def files() -> dict[str, str]:
    """The text of every file, by name."""
    return {
        "standard.txt": _text("The game as it is.", _some("standard", HANDS)),
        "learning.txt": _text("The game as it is, three deals that are kind to beginners.", _learning()),
        "doubled.txt": _text(
            "Variation 1: two Singles on 1 place, on 2 … on 9.",
            [_deal(f"doubled {grade}", doubled=grade) for grade in GRADES],
        ),
        "mixed_in.txt": _text(
            "Variation 2: 1 Single in the deck, 2 … 9.",
            [_deal(f"mixed_in {grade}", mixed_in=grade) for grade in GRADES],
        ),
        "both.txt": _text(
            "Both variations: two Singles on 1 place and 8 in the deck, 2 and 7 … 8 and 1.",
            [_deal(f"both {grade}", doubled=grade, mixed_in=9 - grade) for grade in GRADES[:-1]],
        ),
    }


def _text(what: str, rows: list[str]) -> str:
    return "\n".join([f"// {what} Made by deals/triangle/generate.py.", *rows]) + "\n"


def _deal(name: str, **options: int) -> str:
    return rules.deal(f"{SEED}: {name}", options)


def _some(name: str, hands: int) -> list[str]:
    return [_deal(f"{name} {number}") for number in range(1, hands + 1)]


def _learning() -> list[str]:
    return sorted(_some("learning", DRAWN), key=_earned, reverse=True)[:LEARNING]


def _earned(deal: str) -> int:
    """What the advice earns in this deal, all plays together."""
    return sum(_played(deal, random.Random(play)) for play in range(PLAYS))


def _played(deal: str, chance: random.Random) -> int:
    state = rules.start(deal, {})
    while not rules.is_over(state):
        action = VIEW_POLICIES[ADVICE](rules.view(state, rules.SEAT), chance)
        state = rules.apply(state, rules.SEAT, action)
    return state.score.total


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
