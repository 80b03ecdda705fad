"""Makes the show files of this folder: ``python -m deals.ttt.generate`` writes them, ``--check`` compares.

The same seed gives the same files on any machine; README.md says what each file is for.
"""

import sys
from pathlib import Path
from random import Random

from cardlab.games.ttt.board import TARGET, Layout, format_deal, parse_deal
from cardlab.games.ttt.routes import route_moves
from cardlab.games.ttt.show_file import read, write
from cardlab.games.ttt.solver import LAYOUTS, least_moves
from deals.generated import write_or_check

FOLDER = Path(__file__).parent
SEED = "Card Lab, Target the Two Solo"
GOAL, FIRST = "2H", "ck"
OTHER_ROUTE = {"422": "442", "442": "422"}

SOURCE_STATIC = """\
3H 2C 2H 4C 4H 3C 2H ck
3C 2C 4H 4C 2H 3H 2H ck
3H 3C 2H 2C 4C 4H 2H ck
3H 2H 2C 4C 4H 3C 2H ck
2H 4C 4H 2C 3H 3C 2H ck
4C 2H 4H 2C 3H 3C 2H ck
2C 4H 4C 3C 3H 2H 2H ck
3H 2H 2C 4C 4H 3C 2H ck
"""
SOURCE_DYNAMIC = """\
3C 4H 2H 3H 2C 4C 2H ck
3H 2H 4H 3C 2C 4C 2H nk
4H 4C 2H 3H 3C 2C 2H ck
3C 2H 2C 3H 4H 4C 4H nk
3C 3H 2H 4H 4C 2C 4H ck
3C 3H 4H 4C 2H 2C 4H nk
3C 3H 4C 2C 4H 2H 3C ck
4H 3C 2C 3H 2H 4C 3C nk
4H 4C 2C 3C 3H 2H 3C nk
2H 4H 2C 3C 3H 4C 2H nk
"""
SAMPLE_GAME = "2H 3C 3H 4C 2C 4H | 2H | ck"  # C=2H, T=4C, Nk=4H as in the source's sample; it plays CTT
DESIGNS = {
    f"{name}.txt": {"learning_hands": 16, "familiar_route": name[-3:]}
    for name in ("transfer422", "transfer442", "familiar442")
}
PRACTICE = ((2, "2C"), (3, "3H"), (3, "4H"), (4, "2C"))  # (least moves, card in Target) of each hand


def files() -> dict[str, str]:
    """The text of every file, by name."""
    static, dynamic = _source(SOURCE_STATIC, "LINEAR"), _source(SOURCE_DYNAMIC, "CIRCULAR")
    demo = [SAMPLE_GAME, static[0], dynamic[8]]
    game422 = static + _game("422", 40 - len(static), without=static)
    game442 = _game("442", 40, without=[])
    transfer422, transfer442 = _transfer("422"), _transfer("442")
    familiar442 = _familiar("442", transfer422[16:])
    practice = _practice(without=[*demo, *dynamic, *game422, *game442, *transfer422, *transfer442])
    from_source = ["The ten hands of the source's dynamic example."]
    linear = {
        "DynamicExample.txt": (dynamic, from_source),
        "game422.txt": (game422, ["Hands 1-8: the source's static example.", "9-40: route 422 is shorter."]),
        "game442.txt": (game442, ["Route 442 is shorter in every hand."]),
        "transfer422.txt": (transfer422, _transfer_comments("422")),
        "transfer442.txt": (transfer442, _transfer_comments("442")),
        "familiar442.txt": (familiar442, _familiar_comments("442", "transfer422.txt")),
        "mixed.txt": (transfer422[16:], ["Hands 17-32 of transfer422.txt: each route is optimal in eight."]),
        "practice.txt": (practice, ["Least moves 2, 3, 3, 4; 4C never begins in Target."]),
        "demo.txt": (demo, ["The source's sample game, then a static and a dynamic hand of the source."]),
    }
    return {
        "DynamicExampleCircular.txt": write(dynamic, "CIRCULAR", comments=from_source),
        **{
            name: write(hands, "LINEAR", comments=comments, design=DESIGNS.get(name))
            for name, (hands, comments) in linear.items()
        },
    }


def _source(rows: str, order: str) -> list[str]:
    return list(read(rows, "source", order=order, goal=GOAL, first=FIRST, at_most=60).hands)


def _game(route: str, count: int, *, without: list[str]) -> list[str]:
    """Different hands in which ``route`` is the shorter."""
    hands = [hand for hand in _where_shorter(route) if hand not in without]
    Random(f"{SEED}: game{route}").shuffle(hands)
    return hands[:count]


def _transfer(route: str) -> list[str]:
    """32 different hands: 16 where ``route`` is optimal, then 8 for each route, mixed."""
    chance = Random(f"{SEED}: transfer{route}")
    own, others = _where_shorter(route), _where_shorter(OTHER_ROUTE[route])
    chance.shuffle(own)
    chance.shuffle(others)
    test = own[16:24] + others[:8]
    chance.shuffle(test)
    return own[:16] + test


def _transfer_comments(route: str) -> list[str]:
    return [
        f"In hands 1-16 route {route} is optimal.",
        "In hands 17-32 each route is optimal in eight hands.",
    ]


def _familiar(route: str, test: list[str]) -> list[str]:
    """16 hands where ``route`` is optimal, then those of a test that others are put to as well."""
    own = [hand for hand in _where_shorter(route) if hand not in test]
    Random(f"{SEED}: familiar{route}").shuffle(own)
    return own[:16] + test


def _familiar_comments(route: str, test: str) -> list[str]:
    return [f"In hands 1-16 route {route} is optimal.", f"Hands 17-32 are those of {test}."]


def _practice(*, without: list[str]) -> list[str]:
    """One hand for each entry of PRACTICE, whose layout no other file has."""
    seen = {parse_deal(hand)[0] for hand in without}
    layouts = [layout for layout in LAYOUTS if layout not in seen]
    Random(f"{SEED}: practice").shuffle(layouts)
    chosen: list[Layout] = []
    for least, target in PRACTICE:
        chosen.append(
            next(
                layout
                for layout in layouts
                if layout not in chosen
                and layout[TARGET] == target
                and least_moves(layout, GOAL, FIRST) == least
            )
        )
    return [format_deal(layout, GOAL, FIRST) for layout in chosen]


def _where_shorter(route: str) -> list[str]:
    """All hands with 4C in Target (goal 2H, ck first) that ``route`` solves in fewer moves."""
    return [
        format_deal(layout, GOAL, FIRST)
        for layout in LAYOUTS
        if layout[TARGET] == "4C" and _shorter_route(layout) == route
    ]


def _shorter_route(layout: Layout) -> str:
    moves = route_moves(layout, GOAL, FIRST)
    return min(moves, key=moves.__getitem__)


def main(arguments: list[str] | None = None) -> int:
    return write_or_check(FOLDER, files(), __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
