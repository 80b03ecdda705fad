"""Makes the deal files of this folder.

``python -m deals.challenge.generate`` writes them, ``--check`` compares them with what it would write. The
same seed gives the same files on any machine; README.md says what each file is for.
"""

import sys
from pathlib import Path

from cardlab.games.challenge.deal import SIDES, draw_deal, format_deal
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, Challenge"
STANDARD = 8  # the size of the game's pack


def files() -> dict[str, str]:
    """The text of every file, by name."""
    return {
        "standard.txt": _text(
            "Twelve deals with 32 cards; the participant leads, then the computer, by turns.",
            [_deal(f"standard {number}", number % 2, STANDARD) for number in range(12)],
        ),
        "both_sides.txt": _text(
            "Six deals with 32 cards, each led by the participant and then by the computer.",
            [
                _deal(f"both sides {number}", dealer, STANDARD)
                for number in range(6)
                for dealer in range(len(SIDES))
            ],
        ),
        "learning.txt": _text(
            "Packs of 12, 16, 20 and 24 cards; the participant leads.",
            [_deal(f"learning {size}", 0, size) for size in (3, 4, 5, 6)],
        ),
    }


def _text(what: str, rows: list[str]) -> str:
    return "\n".join([f"// {what} Made by deals/challenge/generate.py.", *rows]) + "\n"


def _deal(name: str, dealer: int, size: int) -> str:
    return format_deal(draw_deal(f"{SEED}: {name}", size, dealer))


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
