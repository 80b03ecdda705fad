"""Compiled inner loops of the solver of Solitario.

``solver.py`` explains the search and why its result is a proof. This module implements it over integers and
flat arrays (``cardlab.games.compiled``); its first import takes half a second if numba is installed.

A card is a bit, 4 × rank + suit, the two black suits first, so that twins are neighbours. ``deal`` has the
constants of a search, at the offsets below. ``levels`` is a stack of settled positions: those of the current
line, each followed by the positions after its moves that are still to be searched. A position has ``LEVEL``
integers:

``HOME``     the cards that are home
``STOCK``    the cards in stock and waste, and ``STOCK_PLACES``: the same as places of the sequence
``WASTE``    how many of them are in the waste, 0 where it does not matter
``HAND``     those of them that can be reached by drawing and turning over
``BASES``    the first face-up card of each column, and ``HIDDEN`` all face-down cards
``COUNTS``   three bits per column: the cards dealt to it that are there; then four bits per suit: cards home
``USE``      the card that has to be used by the next move, 0 for none
``FREE``, ``FITS``  see ``settle``
``MOVE``     the move that led to it, and ``PARENT``: the position before that move, negative for the first
``PLACE``    where its slots in the table of positions begin
``SLOT``     its index in the table of positions, ``WAITING`` until it is searched

A move is 2 × the card's number, + 1 if it goes home.
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, highest_bit, lowest_bit, pointer, prefetch

PLACES = 64  # for each table by card

# Offsets in ``deal``.
ALL, KINGS, EVEN, BLACK, RED, BOTTOMS, COLUMNS, DRAW, ACES = range(9)
BELOW = 16  # the card that a base uncovers, 0 for none
ONE = BELOW + PLACES  # what is taken from ``COUNTS`` when a base leaves
PLACE_IN_STOCK = ONE + PLACES  # the bit of a card in ``STOCK_PLACES``
SEQUENCE = PLACE_IN_STOCK + PLACES  # the card at each place of the stock
CARDS = SEQUENCE + PLACES  # the cards at any seven places in a row, four times
DEAL = CARDS + 4 * 128

HOME, STOCK, STOCK_PLACES, WASTE, HAND, BASES, HIDDEN, COUNTS, USE = range(9)
FREE, FITS, MOVE, PARENT, PLACE, SLOT = range(9, 15)
LEVEL = 16

HOMES = 21  # where the counts of home cards begin in ``COUNTS``

# A position in the table is two integers that describe it completely, so two positions are never confused.
# The first has its places of the stock; above them, for each remainder of the waste's size, the smallest size
# with which it has been searched; then the attempt. The second has ``COUNTS`` and the number of the card that
# has to be used.
LEAST, ATTEMPT = 28, 43
USED = HOMES + 16
NONE_KNOWN = 31 << LEAST | 31 << LEAST + 5 | 31 << LEAST + 10
KEY = ~NONE_KNOWN
A_KING = 1 << 60  # in ``USE``: a king has to go to the column that has been emptied for it
MOST_MOVES = 48  # of one position: 28 of the stock, 7 of columns, 4 back, 8 home
PROBES = 8  # slots that are probed for a position

KNOWN, ALL_OPEN, UNSTORED, WAITING = -1, -2, -3, -4
SOLVED, UNSOLVABLE, UNDECIDED, CUT = 1, 0, -1, -2


@compiled
def draw_places(stock_places: int, draw: int) -> tuple[int, int]:
    """Returns the first places of the draws, and the last ones of the whole draws, of 1 to 3 cards."""
    first = last = 0
    if draw == 1:
        return stock_places, stock_places
    while stock_places:
        first |= stock_places & -stock_places
        stock_places &= stock_places - 1
        if draw == 3:
            stock_places &= stock_places - 1
        last |= stock_places & -stock_places
        stock_places &= stock_places - 1
    return first, last


@compiled
def cards_at(deal: Integers, places: int) -> int:
    """Returns the cards at these places of the stock."""
    low = deal[CARDS + (places & 127)] | deal[CARDS + 128 + (places >> 7 & 127)]
    return low | deal[CARDS + 256 + (places >> 14 & 127)] | deal[CARDS + 384 + (places >> 21 & 127)]


@compiled
def cards_at_hand(deal: Integers, stock_places: int, waste: int) -> int:
    """Returns the reachable cards of the stock: the last of each draw, now or after turning over.

    ``waste`` has the places of the waste, 0 where it does not matter.
    """
    if stock_places == 0:
        return 0
    places = draw_places(stock_places, deal[DRAW])[1] | 1 << highest_bit(stock_places)
    if waste:
        places |= draw_places(stock_places ^ waste, deal[DRAW])[1] | 1 << highest_bit(waste)
    return cards_at(deal, places)


@compiled
def unneeded(deal: Integers, home: int) -> int:
    """Returns the cards that nothing can need in a column.

    Both cards that could be laid on one of them could go home, and its twin is no place for the second.
    """
    everything, even = deal[ALL], deal[EVEN]
    twins = home & everything >> 12
    twins = ((twins & even) << 1 | twins >> 1 & even) << 12 | 0xFFF
    both = home & home >> 1 & even & everything >> 8
    both = (both & deal[RED]) << 6 | (both & deal[BLACK]) << 10
    return (both | both << 1 | 0xFF) & twins


@compiled
def take_from_stock(deal: Integers, levels: Integers, at: int, card: int) -> None:
    """Takes a card from the stock."""
    place = deal[PLACE_IN_STOCK + lowest_bit(card)]
    stock_places = levels[at + STOCK_PLACES] & ~place
    levels[at + STOCK] ^= card
    levels[at + STOCK_PLACES] = stock_places
    draw = deal[DRAW]
    if draw == 1:
        levels[at + HAND] ^= card
        return
    waste = stock_places & (place - 1)
    size = count_bits(waste)
    if size % draw == 0 or stock_places < place:
        waste = size = 0
    levels[at + WASTE] = size
    levels[at + HAND] = cards_at_hand(deal, stock_places, waste)


@compiled
def take_from_column(deal: Integers, levels: Integers, at: int, card: int) -> None:
    """Takes a base from its column: the card below it is the new base, or the column is empty."""
    number = lowest_bit(card)
    below = deal[BELOW + number]
    levels[at + HIDDEN] &= ~below
    levels[at + COUNTS] -= deal[ONE + number]
    if below & deal[KINGS] & deal[BOTTOMS]:
        below = 0
    levels[at + BASES] ^= card | below


@compiled
def send_home(levels: Integers, at: int, card: int) -> None:
    """Adds a card to its foundation."""
    levels[at + HOME] |= card
    levels[at + COUNTS] += 1 << HOMES + 4 * (lowest_bit(card) & 3)


@compiled
def always_available(deal: Integers, levels: Integers, at: int) -> int:
    """Returns the stock cards that are always available: all with ``draw`` 1, else the last, or none."""
    stock = levels[at + STOCK]
    if deal[DRAW] == 1 or stock == 0:
        return stock
    return deal[SEQUENCE + highest_bit(levels[at + STOCK_PLACES])] if levels[at + WASTE] == 0 else 0


@compiled
def settle(deal: Integers, levels: Integers, at: int, trail: Integers, end: int) -> int:
    """Plays the forced moves of a position, unless a card has to be used.

    Sets ``FREE``, the pairs with a free place (both bits of each), and ``FITS``, the cards that could be laid
    on a column. Adds the moves to the trail if its ``end`` is not negative, and returns its next end.
    """
    everything, even, black, red = deal[ALL], deal[EVEN], deal[BLACK], deal[RED]
    while True:
        home, stock = levels[at + HOME], levels[at + STOCK]
        up = everything & ~(home | stock | levels[at + HIDDEN])
        hang = up & ~levels[at + BASES]
        tails = (hang & even) + (hang >> 1 & even)
        free = (up & even) + (up >> 1 & even) - (((tails & black) << 6 | (tails & red) << 2) & everything)
        free = ((free | free >> 1) & even) * 3
        if levels[at + USE]:
            break
        goes = (home << 4 | 15) & ~home & everything
        card = goes & free & hang
        if card:
            card &= -card
        else:
            card = goes & up & free & unneeded(deal, home)
            card &= -card
        if card:
            if card & levels[at + BASES]:
                take_from_column(deal, levels, at, card)
        else:
            card = goes & always_available(deal, levels, at) & (unneeded(deal, home) << 4 | 15)
            if not card:
                break
            card &= -card
            take_from_stock(deal, levels, at, card)
        send_home(levels, at, card)
        if end >= 0:
            trail[end] = 2 * lowest_bit(card) + 1
            end += 1
    fits = (free & black) >> 2 | (free & red) >> 6
    if not deal[ACES]:
        fits &= ~15
    if deal[COLUMNS] - count_bits(levels[at + BASES]) > count_bits(hang & deal[KINGS]):
        fits |= deal[KINGS]
    levels[at + FREE], levels[at + FITS] = free, fits
    return end


@compiled
def add_moves(cards: int, goes_home: int, moves: Integers, end: int) -> int:
    """Adds a move of each card, and returns the end of the moves."""
    while cards:
        moves[end] = 2 * lowest_bit(cards) + goes_home
        end += 1
        cards &= cards - 1
    return end


@compiled
def list_moves(deal: Integers, levels: Integers, at: int, moves: Integers, end: int, chance: int) -> int:
    """Adds the candidate moves of a settled position, with the best last. Returns the end of the moves.

    Their order is random, by ``chance`` (0: not shuffled), but moves to a foundation are last.
    """
    home, stock, hand, use = levels[at + HOME], levels[at + STOCK], levels[at + HAND], levels[at + USE]
    free, fits = levels[at + FREE], levels[at + FITS]
    kings = deal[KINGS]
    goes = (home << 4 | 15) & ~home & deal[ALL]
    back = fits & home & ~(home >> 4) & ~unneeded(deal, home)  # the last cards of foundations
    taken, laid = fits & hand, fits & levels[at + BASES]
    movable = hand | levels[at + BASES] | home
    if not kings & movable:  # no king for an empty column
        laid &= ~deal[BOTTOMS]
    if deal[DRAW] == 1:
        # Only cards that can be used: a card can be laid on them or the twin, or the twin can go home.
        tails = movable if deal[ACES] else movable & ~15
        pairs = (tails & deal[BLACK]) << 6 | (tails & deal[RED]) << 2
        pairs |= goes & ~stock & ~levels[at + HIDDEN]
        pairs = (pairs | pairs >> 1) & deal[EVEN]
        taken &= ~free & pairs * 3
    from_stock, from_column = goes & hand, goes & free & ~stock & ~levels[at + HIDDEN]
    taken &= ~goes
    laid &= ~(goes & free)
    if use == A_KING:
        back, taken, laid, from_stock, from_column = back & kings, taken & kings, laid & kings, 0, 0
    elif use:
        twins = 3 << (lowest_bit(use) & ~1)
        tails = (twins & deal[BLACK]) >> 2 | (twins & deal[RED]) >> 6
        taken, laid = taken & tails, laid & tails
        from_stock, from_column = 0, from_column & twins & ~use
        rank = lowest_bit(use) & ~3
        back &= tails | use >> 4 | ~((1 << rank) - 1)
    first = end
    end = add_moves(back, 0, moves, end)
    end = add_moves(taken, 0, moves, end)
    end = add_moves(laid, 0, moves, end)
    if chance:
        chance = shuffle(moves, first, end, chance)
    middle = end
    end = add_moves(from_stock | from_column, 1, moves, end)
    if chance:
        shuffle(moves, middle, end, chance)
    return end


@compiled
def shuffle(moves: Integers, first: int, end: int, chance: int) -> int:
    """Shuffles the moves from ``first`` on, and returns the next state of ``chance``."""
    while end > first + 1:
        chance = next_chance(chance)
        other = first + (chance >> 8) % (end - first)
        end -= 1
        moves[end], moves[other] = moves[other], moves[end]
    return chance


@compiled
def next_chance(chance: int) -> int:
    """Returns the next state of a linear congruential generator of 31 bits."""
    return (chance * 1103515245 + 12345) & 0x7FFFFFFF


@compiled
def play(deal: Integers, levels: Integers, at: int, to: int, move: int) -> None:
    """Writes the position after a move to ``levels`` at ``to``."""
    for word in range(USE):
        levels[to + word] = levels[at + word]
    card = 1 << (move >> 1)
    levels[to + USE] = 0
    stocked = card & levels[to + STOCK]
    if stocked:
        take_from_stock(deal, levels, to, card)
        if deal[DRAW] == 1 and not move & 1:
            levels[to + USE] = card
    elif card & levels[to + BASES]:
        if not move & 1 and card & deal[BOTTOMS]:
            levels[to + USE] = A_KING
        take_from_column(deal, levels, to, card)
    elif card & levels[to + HOME]:
        levels[to + USE] = card
        levels[to + HOME] ^= card
        levels[to + COUNTS] -= 1 << HOMES + 4 * (move >> 1 & 3)
    if move & 1:
        send_home(levels, to, card)


@compiled
def key(levels: Integers, at: int, attempt: int) -> tuple[int, int]:
    """Returns the two integers of a position in the table, without the sizes of the waste."""
    use, counts = levels[at + USE], levels[at + COUNTS]
    if use:
        counts |= lowest_bit(use) + 1 << USED
    return levels[at + STOCK_PLACES] | attempt << ATTEMPT, counts


@compiled
def find_place(levels: Integers, at: int, table: Integers, mask: int, attempt: int) -> None:
    """Sets ``PLACE`` and loads that part of the table into the cache."""
    one, two = key(levels, at, attempt)
    value = (one & 0x7FFFFFFF) * 0x1B873593 + (two & 0x7FFFFFFF) * 0x165667B1 + (two >> 31) * 0x1EB2D3C9
    place = ((value ^ value >> 32) & 0xFFFFFFFF) * 0x45D9F3B
    place = (place ^ place >> 28) & mask
    prefetch(table, 2 * place)
    levels[at + PLACE] = place


@compiled
def remember(levels: Integers, at: int, draw: int, table: Integers, mask: int, attempt: int) -> int:
    """Enters a position into the table.

    Returns its slot. ``KNOWN`` means that it has been entered in this attempt, or one that differs only in
    having more cards of the stock available. ``ALL_OPEN`` means that there is no slot for it. A full table
    overwrites positions outside of the current line, which costs time but invalidates no proof.
    """
    waste, place = levels[at + WASTE], levels[at + PLACE]
    one, two = key(levels, at, attempt)
    shift = LEAST + 5 * (waste % draw)
    for probe in range(PROBES):
        slot = 2 * (place + probe & mask)
        known = table[slot]
        if known >> ATTEMPT != attempt:
            break
        if table[slot + 1] == two and known & KEY == one:
            least = known >> shift & 31
            if waste == 0 or least <= waste:
                return KNOWN
            table[slot] = known & ~(31 << shift) | waste << shift
            return slot
        slot = ALL_OPEN
    if slot == ALL_OPEN:
        slot = closed_slot(levels, at, mask)
    if slot >= 0:
        least = NONE_KNOWN if waste == 0 else NONE_KNOWN & ~(31 << shift) | waste << shift
        table[slot] = one | least
        table[slot + 1] = two
    return slot


@compiled
def closed_slot(levels: Integers, at: int, mask: int) -> int:
    """Returns the last slot for a position that no position of the current line uses, or ``ALL_OPEN``."""
    place, closed = levels[at + PLACE], (1 << PROBES) - 1
    at = levels[at + PARENT]
    while at >= 0:
        probe = (levels[at + SLOT] >> 1) - place & mask
        if levels[at + SLOT] >= 0 and probe < PROBES:
            closed &= ~(1 << probe)
        at = levels[at + PARENT]
    return 2 * (place + highest_bit(closed) & mask) if closed else ALL_OPEN


@compiled
def reopen_line(levels: Integers, at: int, table: Integers) -> None:
    """Removes the positions of the line that ends at ``at``, which have not been searched completely.

    All others in the table have been. So another search with this table and attempt, in another order,
    continues with the remaining positions.
    """
    while at >= 0:
        if levels[at + SLOT] >= 0:
            table[levels[at + SLOT] + 1] = -1
        at = levels[at + PARENT]


@compiled
def places_to_come(stock_places: int, first: int, taken: int, new: int, draw: int) -> int:
    """Returns the places of the stock that may be reached once any of the ``taken`` ones have left it.

    ``reachable`` needs an upper bound, so the order in which they leave is ignored. A card that is r places
    beyond a whole number of draws ends a draw once r taken cards before it have left; ``first`` has those
    with r = 1. If a taken card was the waste's top, the card before it becomes the top. Of these, only the
    cards before the ``new`` taken ones are returned, and none that can be reached from the beginning.
    """
    places = stock_places & ~((taken & -taken) * 2 - 1)  # beyond the first taken card
    if draw == 3:
        rest = taken & (taken - 1)
        places &= first | (~((rest & -rest) * 2 - 1) if rest else 0)
    while new:
        before = stock_places & ((new & -new) - 1)
        if before:
            places |= 1 << highest_bit(before)
        new &= new - 1
    return places


@compiled
def places_for(deal: Integers, laid: int, held: int, empty: bool) -> int:
    """Returns the cards that fit on a column if all ``laid`` cards are face up there with nothing on them.

    ``held`` are cards that cannot go home. If only one card of the pair above is laid, a held card takes its
    only place, so the held card's twin does not fit. ``empty``: whether there is an empty column.
    """
    even, black, red = deal[EVEN], deal[BLACK], deal[RED]
    one, two = ((laid | laid >> 1) & even) * 3, (laid & laid >> 1 & even) * 3
    twins = (held & even) << 1 | (held >> 1 & even)
    fits = ((one & black) >> 2 | (one & red) >> 6) & ~twins | (two & black) >> 2 | (two & red) >> 6
    if not deal[ACES]:
        fits &= ~15
    if empty:
        fits |= deal[KINGS]
    return fits


@compiled
def extend_home(able: int, had: int) -> int:
    """Returns the cards that can go home, with those of ``had`` that can follow them."""
    more = (able << 4 | 15) & had & ~able
    while more:
        able |= more
        more = more << 4 & had & ~able
    return able


@compiled
def uncover(deal: Integers, off: int, laid: int, hang: int, bases: int) -> tuple[int, int, int, bool]:
    """Takes the bases ``off`` from their columns, with all that lies on them.

    Returns the new sets ``laid``, ``hang`` and ``bases`` of :func:`reachable`, and whether a column is empty.
    """
    empty = False
    bases ^= off
    while off:
        below = deal[BELOW + lowest_bit(off)]
        off &= off - 1
        laid |= below
        hang |= below & deal[KINGS] & deal[BOTTOMS]
        bases |= below & ~hang
        empty |= below == 0
    return laid, hang, bases, empty


@compiled
def reachable(deal: Integers, levels: Integers, at: int, stuck: int) -> tuple[int, int]:
    """Plays an easier game, in which no move takes anything away, without the ``stuck`` bases.

    In that game a card that was once face up, reachable or home stays so for all other cards, and an empty
    column stays empty. Its cards are found by adding cards until nothing changes. Returns those that can go
    home, and those that are face up, reachable or home at some time.
    """
    everything, kings = deal[ALL], deal[KINGS]
    home, stock, bases = levels[at + HOME], levels[at + STOCK], levels[at + BASES] & ~stuck
    laid = everything & ~(stock | levels[at + HIDDEN])
    hang = laid & ~(home | levels[at + BASES])
    had = laid | levels[at + HAND]
    empty = deal[COLUMNS] - count_bits(levels[at + BASES]) > count_bits(hang & kings)
    stock_places = levels[at + STOCK_PLACES]
    taken = first = 0  # places of the stock
    able = home  # the cards that can go home
    while True:
        able = extend_home(able, had & ~stuck)
        if able == everything:
            break
        empty |= able & hang & kings != 0
        leave = able | places_for(deal, laid, hang & ~able, empty)
        off, out = bases & leave, stock & had & leave & ~laid
        if off | out == 0:
            break
        laid, hang, bases, empties = uncover(deal, off, laid, hang, bases)
        empty |= empties
        laid |= out
        had |= laid
        if out and deal[DRAW] > 1:
            new = 0
            while out:
                new |= deal[PLACE_IN_STOCK + lowest_bit(out)]
                out &= out - 1
            if not taken:
                first = draw_places(stock_places, deal[DRAW])[0]
            taken |= new
            had |= cards_at(deal, places_to_come(stock_places, first, taken, new, deal[DRAW]))
    return able, had


@compiled
def is_lost(deal: Integers, levels: Integers, at: int) -> bool:
    """Whether a card cannot go home even in an easier game, in which no move takes anything away."""
    return reachable(deal, levels, at, 0)[0] != deal[ALL]


@compiled
def swap_twins(deal: Integers, cards: int) -> int:
    """Returns the twins of these cards."""
    return (cards & deal[EVEN]) << 1 | cards >> 1 & deal[EVEN]


@compiled
def both_twins(deal: Integers, cards: int) -> int:
    """Returns those of these cards whose twins are among them."""
    return (cards & cards >> 1 & deal[EVEN]) * 3


@compiled
def cards_above(deal: Integers, cards: int) -> int:
    """Returns the cards on which one of these can be laid."""
    if not deal[ACES]:
        cards &= ~15
    cards = ((cards | cards >> 1) & deal[EVEN]) * 3
    return ((cards & deal[BLACK]) << 6 | (cards & deal[RED]) << 2) & deal[ALL]


@compiled
def cards_below(deal: Integers, cards: int) -> int:
    """Returns the cards that can be laid on one of these."""
    cards = ((cards | cards >> 1) & deal[EVEN]) * 3
    return (cards & deal[BLACK]) >> 2 | (cards & deal[RED]) >> 6


@compiled
def needless_at_home(deal: Integers, home: int, had: int) -> int:
    """Returns the home cards that need not come back as long as only ``had`` cards are available.

    No such card can be laid on one of them, unless it is itself a home card that need not come back.
    """
    needless, never = home, home & unneeded(deal, home)
    while True:
        needed = cards_above(deal, had & ~needless)
        rest = extend_home(never, needless & ~needed)
        if rest == needless:
            return needless
        needless = rest


@compiled
def early_among(deal: Integers, levels: Integers, at: int, chosen: int) -> tuple[int, int]:
    """Returns the largest subset of the ``chosen`` bases whose early moves suffice for the search.

    The first result has the cards that go home, the second those that are laid on a column.
    """
    home, bases = levels[at + HOME], levels[at + BASES]
    up = deal[ALL] & ~(home | levels[at + STOCK] | levels[at + HIDDEN])
    can_go = bases & (home << 4 | 15) & levels[at + FREE]
    can_lay = bases & levels[at + FITS] & ~(deal[KINGS] | deal[BOTTOMS])
    go, lay = chosen & can_go, chosen & can_lay & ~can_go
    while go | lay:
        chosen = go | lay
        able, had = reachable(deal, levels, at, chosen)
        stays, needless = up & ~able, needless_at_home(deal, home, had)
        rivals = had & ~(chosen | needless)
        go = ~cards_above(deal, rivals)
        go |= swap_twins(deal, stays) & ~cards_above(deal, both_twins(deal, rivals))
        go &= chosen & can_go & (needless << 4 | 15)
        lay = cards_below(deal, both_twins(deal, stays))
        lay |= cards_below(deal, stays) & ~swap_twins(deal, rivals)
        lay &= chosen & can_lay & ~go
        if go | lay == chosen:
            break
    return go, lay


@compiled
def early_moves(deal: Integers, levels: Integers, at: int) -> tuple[int, int]:
    """Returns the smallest set of bases found whose early moves suffice, like :func:`early_among`."""
    go, lay = early_among(deal, levels, at, deal[ALL])
    rest = go | lay
    if rest & (rest - 1):
        while rest:
            one, other = early_among(deal, levels, at, rest & -rest)
            if one | other:
                return one, other
            rest &= rest - 1
    return go, lay


@compiled
def add_successors(
    deal: Integers,
    levels: Integers,
    at: int,
    moves: Integers,
    table: Integers,
    mask: int,
    attempt: int,
    count: int,
) -> int:
    """Writes the position after each of the ``count`` moves behind that at ``at``. Returns the last one."""
    end = at + count * LEVEL
    for to in range(end, at, -LEVEL):
        count -= 1
        play(deal, levels, at, to, moves[count])
        settle(deal, levels, to, moves, -1)
        find_place(levels, to, table, mask, attempt)
        levels[to + MOVE], levels[to + PARENT], levels[to + SLOT] = moves[count], at, WAITING
    return end


@compiled
def list_needed_moves(
    deal: Integers, levels: Integers, at: int, moves: Integers, chance: int, long: bool
) -> int:
    """Lists the moves of a settled position that have to be searched, the best last. Returns their number."""
    if long and not levels[at + USE]:
        go, lay = early_moves(deal, levels, at)
        if go | lay:
            return add_moves(go, 1, moves, add_moves(lay, 0, moves, 0))
    return list_moves(deal, levels, at, moves, 0, chance)


@compiled
def search_pointers(
    deal: Integers,
    levels: Integers,
    moves: Integers,
    table: Integers,
    mask: int,
    attempt: int,
    most: int,
    budget: int,
    chance: int,
    long: bool,
) -> tuple[int, int, int]:
    """Searches as ``search`` does, in arrays that are pointers."""
    nodes = at = 0
    cut = False
    settle(deal, levels, 0, moves, -1)
    find_place(levels, 0, table, mask, attempt)
    levels[PARENT], levels[SLOT] = -LEVEL, WAITING
    while at >= 0:
        if levels[at + SLOT] != WAITING:
            at -= LEVEL
            continue
        if levels[at + HOME] == deal[ALL]:
            return SOLVED, nodes, at
        use = levels[at + USE]
        if use and not levels[levels[at + PARENT] + USE]:
            slot = UNSTORED
        else:
            slot = remember(levels, at, deal[DRAW], table, mask, attempt)
        levels[at + SLOT] = slot
        if slot == KNOWN:
            continue
        if nodes == budget:
            return CUT if cut else UNDECIDED, nodes, at
        nodes += 1
        if slot == ALL_OPEN or at >= (most - MOST_MOVES) * LEVEL:
            cut = True
        elif use or not is_lost(deal, levels, at):
            chance = next_chance(chance) if chance else 0
            count = list_needed_moves(deal, levels, at, moves, chance, long)
            at = add_successors(deal, levels, at, moves, table, mask, attempt, count)
    return CUT if cut else UNSOLVABLE, nodes, at


@compiled
def search(
    deal: Integers,
    levels: Integers,
    moves: Integers,
    table: Integers,
    mask: int,
    attempt: int,
    most: int,
    budget: int,
    chance: int,
    long: bool,
) -> tuple[int, int, int]:
    """Searches the first position of ``levels`` depth-first, in an order drawn by ``chance``.

    ``levels`` has room for ``most`` positions. ``long`` says whether to look for early moves. Returns the
    answer, the number of positions searched, and where in ``levels`` the search ended: at a solution, at the
    last position of the ``budget``, or before the first one if all were searched. The answer is ``CUT`` if no
    solution was found and some positions had to be left out.
    """
    arrays = pointer(deal), pointer(levels), pointer(moves), pointer(table)
    return search_pointers(*arrays, mask, attempt, most, budget, chance, long)


@compiled
def write_trail(deal: Integers, levels: Integers, at: int, moves: Integers, trail: Integers) -> int:
    """Writes all moves from the first position of ``levels`` to the one at ``at`` to the trail.

    The first position must be as it was before the search. Returns the end of the trail.
    """
    count = 0
    while at > 0:
        moves[count] = levels[at + MOVE]
        count += 1
        at = levels[at + PARENT]
    end = settle(deal, levels, 0, trail, 0)
    while count:
        count -= 1
        trail[end] = moves[count]
        play(deal, levels, at, at + LEVEL, moves[count])
        at += LEVEL
        end = settle(deal, levels, at, trail, end + 1)
    return end
