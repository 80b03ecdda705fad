"""Makes the deal files of this folder: ``python -m deals.matrix.generate`` writes them, ``--check`` compares.

The same seed gives the same files on any machine; README.md says what each file is for.
"""

import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

from cardlab.games.matrix import rules
from cardlab.games.matrix.two_by_two import classify, game_from_cells, order_names
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, matrix card game"
HANDS = 8
TWO, SPECIAL, FOUR = {"players": 2}, {"players": 2, "pack": "special"}, {"players": 4}

# The games that open the hands of named_games.txt, by the payoff order of both players.
NAMED = ("TRPS", "TRSP", "RTPS", "TSRP", "TSPR", "RPTS", "RSTP", "TPRS")


def files() -> dict[str, str]:
    """The text of every file, by name."""
    return {
        "two_players.txt": _text("Two players, 52 cards.", _some("two_players", TWO)),
        "two_players_special.txt": _text(
            "Two players, the special pack of 40 cards.", _some("two_players_special", SPECIAL)
        ),
        "four_players.txt": _text("Four players, 52 cards.", _some("four_players", FOUR)),
        "named_games.txt": _text("Two players, 52 cards; each opens with the game above it.", _named()),
    }


def _text(what: str, rows: list[str]) -> str:
    return "\n".join([f"// {what} Made by deals/matrix/generate.py.", *rows]) + "\n"


def _drawn(name: str, options: dict[str, Any]) -> Iterator[str]:
    for number in count(1):
        yield rules.deal(f"{SEED}: {name} {number}", options)


def _some(name: str, options: dict[str, Any]) -> list[str]:
    return list(islice(_drawn(name, options), HANDS))


def _named() -> list[str]:
    """For each game of ``NAMED`` a comment and the first drawn deal that opens with it."""
    waiting = dict.fromkeys(NAMED, "")
    for deal in _drawn("named_games", TWO):
        opening = _opening(deal)
        if waiting.get(opening) == "":
            waiting[opening] = deal
        if all(waiting.values()):
            break
    names = order_names()
    return [line for order, deal in waiting.items() for line in (f"// {names[order]}", deal)]


def _opening(deal: str) -> str | None:
    """The payoff order that both players have in the first turn, whatever courts are worth; or None."""
    found = {
        classify(game_from_cells(rules.payoffs(rules.start(deal, {**TWO, "court": court}))))
        for court in ("10", "ladder")
    }
    (kind,) = found if len(found) == 1 else (None,)
    return kind.row if kind and kind.row == kind.column else None


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
