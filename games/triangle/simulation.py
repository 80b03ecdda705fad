"""How a session of Triangle Solitaire that is simulated is dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.simulation import SEED, Dealt, ReadFile, chosen, drawn, first, refused
from games.triangle import deal_file, rules
from games.triangle.dealing import ALLOWED_OPTIONS, complete, parse_deal

FIRST_ROUND = 1
DRAWN_HANDS = 3


def hands(
    given: Mapping[str, str], deals: str | None, count: int | None, seed: str, file: ReadFile
) -> list[Dealt]:
    """The hands of a session; ``games.simulation`` says more. Without ``deals`` they are drawn.

    Which variation a deal of a file has, the file decides by itself.
    """
    try:
        options = complete(chosen(given, ALLOWED_OPTIONS))
    except ValueError as error:  # too many Singles in both variations together
        raise refused(str(error)) from None
    name = sha256 = ""
    if deals in (None, SEED):
        dealt: Sequence[str] = drawn(rules.deal, seed, options, DRAWN_HANDS if count is None else count)
    else:
        source = file(deals)
        name, sha256 = source.name, source.sha256
        dealt = first(deal_file.read(source.text, name), count, name)
    parsed = ((deal, parse_deal(deal)) for deal in dealt)
    return [
        Dealt(deal, {**options, "doubled": has.doubled, "mixed_in": has.mixed_in}, name, sha256)
        for deal, has in parsed
    ]
