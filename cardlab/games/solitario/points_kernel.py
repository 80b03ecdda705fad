"""Compiled inner loops of the search for the most points with which Solitario can be solved.

``points.py`` explains the search. A position has the integers of ``kernel.py``, except that ``WASTE`` has the
places of the waste, and the last integers are:

``LOSS``   the points lost so far, in fives
``NEXT``   the next position of its bucket, 0 if it is the last (positions are counted from 1 there)
``ENTRY``  its index in the table

The table has two integers per position. The first has the places of the stock, the size of the waste and the
least loss with which the position has been reached. The second has ``COUNTS``.
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, highest_bit, lowest_bit
from cardlab.games.solitario.kernel import (
    ACES,
    ALL,
    BASES,
    COLUMNS,
    COUNTS,
    DRAW,
    FITS,
    FREE,
    HAND,
    HIDDEN,
    HOME,
    HOMES,
    KINGS,
    LEVEL,
    MOVE,
    PARENT,
    PLACE_IN_STOCK,
    SOLVED,
    STOCK,
    STOCK_PLACES,
    UNDECIDED,
    UNSOLVABLE,
    USE,
    WASTE,
    add_moves,
    cards_at,
    cards_at_hand,
    draw_places,
    extend_home,
    is_lost,
    places_for,
    send_home,
    settle,
    take_from_column,
    uncover,
    unneeded,
)

LOSS, NEXT, ENTRY = 13, 14, 15
STRAIGHT_HOME, BROUGHT_BACK, TURNED_OVER = 9, 3, 35  # losses in fives: 45, 15 and 175 points
BUCKETS = 1024  # more than any loss of a line worth finding

SIZE, KNOWN_LOSS = 28, 33  # the first bits of the waste's size and of the loss in the table
KEY = (1 << KNOWN_LOSS) - 1
DOMINATED = -1


@compiled
def places_without_turn(stock_places: int, waste: int, draw: int) -> int:
    """Returns the places of the stock that can be reached without turning it over."""
    places = 0
    if stock_places ^ waste:
        places = draw_places(stock_places ^ waste, draw)[1] | 1 << highest_bit(stock_places ^ waste)
    if waste:
        places |= 1 << highest_bit(waste)
    return places


@compiled
def needs_turn(deal: Integers, levels: Integers, at: int) -> bool:
    """Whether the position cannot be solved without turning over the stock, by the proof of ``is_lost``.

    Available cards of the stock are those that can be reached now, and the card before each one taken.
    """
    everything, kings, stock_places = deal[ALL], deal[KINGS], levels[at + STOCK_PLACES]
    home, stock, bases = levels[at + HOME], levels[at + STOCK], levels[at + BASES]
    laid = everything & ~(stock | levels[at + HIDDEN])
    hang = laid & ~(home | bases)
    had = laid | cards_at(deal, places_without_turn(stock_places, levels[at + WASTE], deal[DRAW]))
    empty = deal[COLUMNS] - count_bits(bases) > count_bits(hang & kings)
    able = home  # the cards that can go home
    while True:
        able = extend_home(able, had)
        if able == everything:
            return False
        empty |= able & hang & kings != 0
        leave = able | places_for(deal, laid, hang & ~able, empty)
        off, out = bases & leave, stock & had & leave & ~laid
        if off | out == 0:
            return True
        laid, hang, bases, empties = uncover(deal, off, laid, hang, bases)
        empty |= empties
        laid |= out
        had |= laid | cards_before(deal, stock_places, out)


@compiled
def cards_before(deal: Integers, stock_places: int, cards: int) -> int:
    """Returns the card before each of these cards of the stock."""
    places = 0
    while cards:
        before = stock_places & (deal[PLACE_IN_STOCK + lowest_bit(cards)] - 1)
        cards &= cards - 1
        if before:
            places |= 1 << highest_bit(before)
    return cards_at(deal, places)


@compiled
def least_loss(deal: Integers, levels: Integers, at: int) -> int:
    """Returns a lower bound of the loss to come, in fives; ``BUCKETS`` if there is no solution."""
    if is_lost(deal, levels, at):
        return BUCKETS
    loss = TURNED_OVER if needs_turn(deal, levels, at) else 0
    if not deal[ACES]:
        loss += STRAIGHT_HOME * count_bits(levels[at + STOCK] & 15)
    return loss


@compiled
def list_moves(deal: Integers, levels: Integers, at: int, moves: Integers) -> int:
    """Lists all moves of a position, or a single forced one. Returns the end of the list."""
    home, stock = levels[at + HOME], levels[at + STOCK]
    free, fits, hand = levels[at + FREE], levels[at + FITS], levels[at + HAND]
    goes = (home << 4 | 15) & ~home & deal[ALL]
    from_column = goes & free & ~stock & ~levels[at + HIDDEN]
    forced = from_column & unneeded(deal, home)
    if stock:  # a card of the stock that is lower could be laid on it, which brings points
        forced &= (1 << (lowest_bit(stock) | 3) + 1) - 1
    if forced:
        return add_moves(forced & -forced, 1, moves, 0)
    end = add_moves(fits & home & ~(home >> 4), 0, moves, 0)
    end = add_moves(goes & hand, 1, moves, end)
    end = add_moves(from_column, 1, moves, end)
    return add_moves(fits & (hand | levels[at + BASES]), 0, moves, end)


@compiled
def play(deal: Integers, levels: Integers, at: int, to: int, move: int) -> None:
    """Writes the position after a move, with its loss, to ``levels`` at ``to``."""
    for word in range(USE):
        levels[to + word] = levels[at + word]
    card, loss = 1 << (move >> 1), levels[at + LOSS]
    levels[to + USE] = 1  # nothing is forced for ``settle``
    if card & levels[to + STOCK]:
        stock_places, waste = levels[to + STOCK_PLACES], levels[to + WASTE]
        place = deal[PLACE_IN_STOCK + lowest_bit(card)]
        if not place & places_without_turn(stock_places, waste, deal[DRAW]):
            loss += TURNED_OVER
        loss += STRAIGHT_HOME * (move & 1)
        stock_places ^= place
        waste = stock_places & (place - 1)
        levels[to + STOCK] ^= card
        levels[to + STOCK_PLACES], levels[to + WASTE] = stock_places, waste
        levels[to + HAND] = cards_at_hand(deal, stock_places, waste)
    elif card & levels[to + BASES]:
        take_from_column(deal, levels, to, card)
    elif card & levels[to + HOME]:
        loss += BROUGHT_BACK
        levels[to + HOME] ^= card
        levels[to + COUNTS] -= 1 << HOMES + 4 * (move >> 1 & 3)
    if move & 1:
        send_home(levels, to, card)
    levels[to + LOSS] = loss


@compiled
def remember(levels: Integers, at: int, table: Integers, mask: int) -> int:
    """Enters a position and its loss into the table.

    Returns its index, or ``DOMINATED`` if it has been reached without a greater loss.
    """
    one = levels[at + STOCK_PLACES] | count_bits(levels[at + WASTE]) << SIZE
    two, loss = levels[at + COUNTS], levels[at + LOSS]
    value = one * 0x1B873 + (two & 0x7FFFFFFF) * 0x165667B1 + (two >> 31) * 0x1EB2D3C9
    place = ((value ^ value >> 32) & 0xFFFFFFFF) * 0x45D9F3B
    slot = 2 * ((place ^ place >> 28) & mask)
    while table[slot + 1] and (table[slot + 1] != two + 1 or table[slot] & KEY != one):
        slot = slot + 2 & 2 * mask
    if table[slot + 1] and table[slot] >> KNOWN_LOSS <= loss:
        return DOMINATED
    table[slot], table[slot + 1] = one | loss << KNOWN_LOSS, two + 1
    return slot


@compiled
def add_position(
    deal: Integers, levels: Integers, at: int, heads: Integers, bucket: int, table: Integers, mask: int
) -> bool:
    """Adds a position to its bucket. Returns False if it is dominated or lost."""
    entry = remember(levels, at, table, mask)
    if entry == DOMINATED:
        return False
    levels[at + ENTRY] = entry
    least = levels[at + LOSS] + least_loss(deal, levels, at)
    if least >= BUCKETS:
        return False
    settle(deal, levels, at, heads, -1)
    bucket = max(bucket, least)
    levels[at + NEXT] = heads[bucket]
    heads[bucket] = at // LEVEL + 1
    return True


@compiled
def search(
    deal: Integers, levels: Integers, moves: Integers, heads: Integers, table: Integers, mask: int, most: int
) -> tuple[int, int, int]:
    """Searches the first position of ``levels`` for a solution with the least loss.

    ``heads`` has the first position of each bucket, ``most`` is the maximum number of positions kept. Returns
    the answer, the number of positions kept, and where in ``levels`` a solution ends.
    """
    levels[USE], levels[PARENT], levels[LOSS] = 1, -LEVEL, 0
    levels[HAND] = cards_at_hand(deal, levels[STOCK_PLACES], levels[WASTE])
    kept, bucket = 1, 0
    add_position(deal, levels, 0, heads, 0, table, mask)
    while bucket < BUCKETS:
        if not heads[bucket]:
            bucket += 1
            continue
        at = (heads[bucket] - 1) * LEVEL
        heads[bucket] = levels[at + NEXT]
        if table[levels[at + ENTRY]] >> KNOWN_LOSS < levels[at + LOSS]:
            continue
        if levels[at + HOME] == deal[ALL]:
            return SOLVED, kept, at
        for number in range(list_moves(deal, levels, at, moves)):
            if kept == most:
                return UNDECIDED, kept, 0
            to = kept * LEVEL
            play(deal, levels, at, to, moves[number])
            levels[to + MOVE], levels[to + PARENT] = moves[number], at
            kept += add_position(deal, levels, to, heads, bucket, table, mask)
    return UNSOLVABLE, kept, 0
