"""Compiled inner loops of the solver of Solitario.

``solver.py`` explains the search and why its result is a proof. This module implements it over integers and
flat arrays (``cardlab.games.compiled``); its first import takes half a second if numba is installed.

A card is a bit, 4 × rank + suit, the two black suits first, so that twins are neighbours. ``deal`` has the
constants of a search, at the offsets below. ``levels`` has for each position of the current line ``LEVEL``
integers:

``HOME``     the cards that are home
``STOCK``    the cards in stock and waste, and ``THERE``: the same as places of the sequence
``WASTE``    how many of them are in the waste, 0 where it does not matter
``HAND``     those of them that are reachable by drawing and turning over
``BASES``    the first face-up card of each column, and ``HIDDEN`` all face-down cards
``COUNTS``   three bits a column, the cards dealt to it that lie there; above them four bits a suit at home
``USE``      the card that has to be used by the next move, 0 for none
``FREE``, ``FITS``  see ``settle``
``FIRST``    where its moves begin in ``moves``
``TRAIL``    where the moves that led to it end in ``trail``
``SLOT``     its index in the table of positions

A move is 2 × the card's number, + 1 if it goes home.
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, highest_bit, lowest_bit

PLACES = 64  # for each table by card

# Offsets in ``deal``.
ALL, KINGS, EVEN, BLACK, RED, BOTTOMS, COLUMNS, DRAW, ACES = range(9)
NEEDS = 16  # the cards that must be home for a card of a column to be unneeded there
COVERS = NEEDS + PLACES  # the same for the card below it on its foundation
BELOW = COVERS + PLACES  # the card that a base uncovers, 0 for none
ONE = BELOW + PLACES  # what is taken from ``COUNTS`` when a base leaves
PLACE_IN_STOCK = ONE + PLACES  # the bit of a card in ``THERE``
SEQUENCE = PLACE_IN_STOCK + PLACES  # the card at each place of the stock
DEAL = SEQUENCE + PLACES

HOME, STOCK, THERE, WASTE, HAND, BASES, HIDDEN, COUNTS, USE = range(9)
FREE, FITS, FIRST, TRAIL, SLOT = range(9, 14)
LEVEL = 16

HOMES = 21  # where the counts of home cards begin in ``COUNTS``

# A position in the table is two integers that hold all of it, so two positions are never taken for one. The
# first has its places of the stock; above them, for each remainder of the waste's size, the smallest size
# with which it has been looked at; then the attempt, and whether the position is open: of the current line.
# The second has ``COUNTS`` and the number of the card that has to be used.
LEAST, ATTEMPT, OPEN = 28, 43, 1 << 61
USED = HOMES + 16
NONE_KNOWN = 31 << LEAST | 31 << LEAST + 5 | 31 << LEAST + 10
KEY = OPEN - 1 & ~NONE_KNOWN
A_KING = 1 << 60  # in ``USE``: a king has to go to the column that has been emptied for it
MOST_MOVES = 48  # of one position: 28 of the stock, 7 of columns, 4 back, 8 home
PROBES = 8  # slots that are probed for a position

KNOWN, ALL_OPEN = -1, -2
SOLVED, UNSOLVABLE, UNDECIDED = 1, 0, -1


@compiled
def cards_at_hand(deal: Integers, there: int, waste: int) -> int:
    """Returns the reachable cards of the stock: the last of each draw, now or after turning over."""
    draw = deal[DRAW]
    cards = number = 0
    while there:
        place = lowest_bit(there)
        there &= there - 1
        number += 1
        if number % draw == 0 or not there or (number >= waste > 0 and (number - waste) % draw == 0):
            cards |= deal[SEQUENCE + place]
    return cards


@compiled
def first_unneeded(deal: Integers, cards: int, table: int, home: int) -> int:
    """Returns one of the cards for which all of its row in the table is home; 0 if there is none."""
    while cards:
        if deal[table + lowest_bit(cards)] & ~home == 0:
            return cards & -cards
        cards &= cards - 1
    return 0


@compiled
def take_from_stock(deal: Integers, levels: Integers, at: int, card: int) -> None:
    """Takes a card from the stock."""
    place = deal[PLACE_IN_STOCK + lowest_bit(card)]
    there = levels[at + THERE] & ~place
    waste = count_bits(there & (place - 1))
    draw = deal[DRAW]
    levels[at + STOCK] ^= card
    levels[at + THERE] = there
    if draw == 1:
        levels[at + HAND] ^= card
        return
    if waste % draw == 0 or there < place:
        waste = 0
    levels[at + WASTE] = waste
    levels[at + HAND] = cards_at_hand(deal, there, waste)


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
def settle(deal: Integers, levels: Integers, at: int, trail: Integers, end: int) -> int:
    """Plays the forced moves of a position, unless a card has to be used, and adds them to the trail.

    Sets ``FREE``, the pairs with a free place (both bits of each), and ``FITS``,
    the cards that could be laid on a column. Returns the end of the trail.
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
            card = first_unneeded(deal, goes & up & free, NEEDS, home)
        if card:
            if card & levels[at + BASES]:
                take_from_column(deal, levels, at, card)
        else:
            always = stock if deal[DRAW] == 1 else 0
            if stock and levels[at + WASTE] == 0:
                always |= deal[SEQUENCE + highest_bit(levels[at + THERE])]
            card = first_unneeded(deal, goes & always, COVERS, home)
            if not card:
                break
            take_from_stock(deal, levels, at, card)
        send_home(levels, at, card)
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
    back = fits & home & ~(home >> 4)  # the last card of each foundation
    taken, laid = fits & hand, fits & levels[at + BASES]
    movable = hand | levels[at + BASES] | home
    if not kings & movable:  # no king for an empty column
        laid &= ~deal[BOTTOMS]
    if deal[DRAW] == 1:
        # Only what can be used: for a card that is laid on it or its twin, or the twin's own.
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
    while back:
        card = back & -back
        back ^= card
        if deal[NEEDS + lowest_bit(card)] & ~home:
            moves[end] = 2 * lowest_bit(card)
            end += 1
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
def play(deal: Integers, levels: Integers, at: int, move: int) -> None:
    """Writes the position after a move to the next level."""
    to = at + LEVEL
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
def remember(levels: Integers, at: int, draw: int, table: Integers, mask: int, attempt: int) -> int:
    """Enters a position into the table and marks it as open.

    Returns its slot. ``KNOWN`` means that it has been entered in this attempt, or one that differs only in
    having more cards of the stock at hand. ``ALL_OPEN`` means that there is no slot for it. A full table
    forgets positions that are not open, which costs time but no proof.
    """
    use, waste = levels[at + USE], levels[at + WASTE]
    one = levels[at + THERE] | attempt << ATTEMPT
    two = levels[at + COUNTS]
    if use:
        two |= lowest_bit(use) + 1 << USED
    value = (one & 0x7FFFFFFF) * 0x1B873593 + (two & 0x7FFFFFFF) * 0x165667B1 + (two >> 31) * 0x1EB2D3C9
    place = ((value ^ value >> 32) & 0xFFFFFFFF) * 0x45D9F3B
    place ^= place >> 28
    shift = LEAST + 5 * (waste % draw)
    slot = ALL_OPEN
    for probe in range(PROBES):
        here = 2 * (place + probe & mask)
        known = table[here]
        if (known & ~OPEN) >> ATTEMPT != attempt:
            slot = here
            break
        if table[here + 1] == two and known & KEY == one:
            least = known >> shift & 31
            if waste == 0 or least <= waste:
                return KNOWN
            table[here] = known & ~(31 << shift) | waste << shift | OPEN
            return here
        if known & OPEN == 0:
            slot = here
    if slot >= 0:
        least = NONE_KNOWN if waste == 0 else NONE_KNOWN & ~(31 << shift) | waste << shift
        table[slot] = one | least | OPEN
        table[slot + 1] = two
    return slot


@compiled
def go_back(levels: Integers, at: int, table: Integers) -> int:
    """Closes positions without a move left. Returns the last level that has one; negative if none has."""
    while at >= 0 and levels[at + LEVEL + FIRST] == levels[at + FIRST]:
        if levels[at + SLOT] >= 0:
            table[levels[at + SLOT]] &= ~OPEN
        at -= LEVEL
    return at


@compiled
def cards_to_come(deal: Integers, there: int, taken: int) -> int:
    """Returns the stock cards that may become reachable once any of the ``taken`` ones have left the stock.

    ``is_lost`` needs an upper bound, so the order in which they leave is ignored. A card that is r places
    beyond a whole number of draws ends a draw once r taken cards before it have left. If a taken card was the
    waste's top, the card before it becomes the top.
    """
    draw = deal[DRAW]
    cards = number = nearer = before = 0
    while there:
        card = deal[SEQUENCE + lowest_bit(there)]
        there &= there - 1
        number += 1
        if number % draw <= nearer:
            cards |= card
        if card & taken:
            nearer += 1
            cards |= before
        before = card
    return cards


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
def is_lost(deal: Integers, levels: Integers, at: int) -> bool:
    """Whether a card cannot go home even in an easier game, in which no move takes anything away.

    In that game a card that was once face up, reachable or home stays so for all other cards, and an empty
    column stays empty. The cards that can go home are found by adding cards until nothing changes.
    """
    everything, kings = deal[ALL], deal[KINGS]
    home, stock, bases = levels[at + HOME], levels[at + STOCK], levels[at + BASES]
    laid = everything & ~(stock | levels[at + HIDDEN])
    hang = laid & ~(home | bases)
    had = laid | levels[at + HAND]
    empty = deal[COLUMNS] - count_bits(bases) > count_bits(hang & kings)
    able = home  # the cards that can go home
    while True:
        more = (able << 4 | 15) & had & ~able
        while more:
            able |= more
            more = more << 4 & had & ~able
        if able == everything:
            return False
        empty |= able & hang & kings != 0
        leave = able | places_for(deal, laid, hang & ~able, empty)
        off, out = bases & leave, stock & had & leave & ~laid
        if off | out == 0:
            return True
        bases ^= off
        while off:
            below = deal[BELOW + lowest_bit(off)]
            off &= off - 1
            laid |= below
            bases |= below & ~(kings & deal[BOTTOMS])
            empty |= below == 0
        laid |= out
        had |= laid
        if out and deal[DRAW] > 1:
            had |= cards_to_come(deal, levels[at + THERE], laid)


@compiled
def search(
    deal: Integers,
    levels: Integers,
    moves: Integers,
    trail: Integers,
    table: Integers,
    mask: int,
    attempt: int,
    deepest: int,
    budget: int,
    chance: int,
) -> tuple[int, int, int]:
    """Searches the position of the first level depth-first, in an order drawn by ``chance``.

    Returns the answer, the number of positions searched, and the end of the trail of a solution.
    """
    nodes = at = 0
    cut = False
    while at >= 0:
        end = settle(deal, levels, at, trail, levels[at + TRAIL])
        levels[at + TRAIL] = end
        if levels[at + HOME] == deal[ALL]:
            return SOLVED, nodes, end
        first = levels[at + FIRST]
        levels[at + LEVEL + FIRST] = first
        slot = remember(levels, at, deal[DRAW], table, mask, attempt)
        levels[at + SLOT] = slot
        if slot >= 0:
            if nodes == budget:
                return UNDECIDED, nodes, 0
            nodes += 1
        if slot == ALL_OPEN or at == deepest * LEVEL:
            cut = True
        elif slot >= 0 and not is_lost(deal, levels, at):
            chance = next_chance(chance) if chance else 0
            levels[at + LEVEL + FIRST] = list_moves(deal, levels, at, moves, first, chance)
        at = go_back(levels, at, table)
        if at >= 0:
            levels[at + LEVEL + FIRST] -= 1
            move = moves[levels[at + LEVEL + FIRST]]
            trail[levels[at + TRAIL]] = move
            play(deal, levels, at, move)
            levels[at + LEVEL + TRAIL] = levels[at + TRAIL] + 1
            at += LEVEL
    return UNDECIDED if cut else UNSOLVABLE, nodes, 0
