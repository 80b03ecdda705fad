"""Inner loops of the search of Challenge, over integers and flat arrays (``cardlab.games.compiled``).

A hand is an integer with one bit per card (``packs.Bits``). A move is the number of a card, or
``board[NONE]`` for the pick-up. As a top card that number means that the mover may play any card. So a
position is four integers: the mover's cards, the opponent's cards, the top card and the mover. All other
cards are on the table.

A value is for the mover. A win in ``n`` more actions, searched with ``left`` actions left, is worth
``WON + FAR + left - n``. So all proved wins are at least ``WON``, and sooner ones are higher.
"""

from __future__ import annotations

from typing import NamedTuple

from cardlab.games.compiled import Integers, compiled, count_bits, lowest_bit

WON = 1_000_000
FAR = 400  # exceeds the number of actions of a proved win beyond the horizon
DRAWN = 0
INFINITE = 2 * WON
LARGEST = 5_000  # exceeds every evaluation

# The indices of the array ``board``, which belongs to one search.
SIZE, NONE, ALL = 0, 1, 2  # cards per suit; cards in the pack; all cards of the game as bits
TRUMPS = 3  # of player 0; those of player 1 follow
PICKER = 5  # 1 if the player who picks up leads
LEADS_ON = 6  # 1 if the player who beats a card leads at once
NODES, LIMIT, SPENT = 7, 8, 9  # visited nodes; their limit; 1 if it was reached
ENTRIES = 10  # entries of the transposition table, a power of two, minus 1
SEEN = 11  # slots of the table of seen positions minus 1, or 0 if there are none
TWICE = 12  # number of positions that have occurred twice
RUNS = 13  # 1 if an unbeatable run of player 0 is a proof; that of player 1 follows
PRUNED = 15  # the pruning threshold in points, or 0 to search all moves
BOARD = 16  # length of the array

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2
_FACTOR, _MASK = 0x5BD1E995, (1 << 31) - 1  # for the hash function


class Arrays(NamedTuple):
    """The arrays of a search: ``board``, the tables of the evaluation, and caches.

    ``better[player × (cards + 1) + card]`` has the cards that beat a card; the last entry has all cards.
    ``smeared[pattern]`` has all ranks up to the highest in a suit's pattern, one bit for each rank.
    ``patterns[phase × 3 + kind << size | pattern]`` is the worth of the leader's cards of a suit, and
    ``counts[phase × (cards + 1) + n]`` that of n cards (see ``evaluation``). ``seen`` and ``twice`` have
    earlier positions, ``memory`` is the transposition table.
    """

    board: Integers
    better: Integers
    smeared: Integers
    patterns: Integers
    counts: Integers
    seen: Integers
    twice: Integers
    memory: Integers


@compiled
def mix(one: int, two: int) -> int:
    """Returns a 31-bit hash of two integers of up to 62 bits."""
    folded = (one & _MASK) ^ (one >> 31)
    mixed = folded * _FACTOR >> 15 & _MASK
    folded = mixed ^ (two & _MASK) ^ (two >> 31)
    return folded * _FACTOR >> 15 & _MASK


@compiled
def has_occurred(cards: int, leader: int, at: Arrays) -> int:
    """Returns 1 if the position with an empty table and these cards of the leader has occurred before."""
    seen, slots = at.seen, at.board[SEEN]
    if slots == 0:
        return 0
    key = cards << 1 | leader
    slot = mix(key, 0) & slots
    while seen[slot]:
        if seen[slot] == key:
            return 1
        slot = slot + 1 & slots
    return 0


@compiled
def has_occurred_twice(me: int, other: int, top: int, mover: int, at: Arrays) -> int:
    """Returns 1 if the position has occurred twice."""
    twice = at.twice
    for number in range(at.board[TWICE]):
        if (
            twice[3 * number] == me
            and twice[3 * number + 1] == other
            and twice[3 * number + 2] == (top << 1 | mover)
        ):
            return 1
    return 0


@compiled
def has_run(cards: int, leader: int, at: Arrays) -> int:
    """Returns 1 if the leader can play all cards so that at most the last one can be beaten.

    The opponent, who has no own trumps, holds all other cards and must pick up each card. This works if at
    most one of the leader's cards, which is played last, is lower than one of the opponent's cards of its
    suit. The others are led from low to high, those of the opponent's trump suit at the end.
    """
    board, smeared = at.board, at.smeared
    other = board[ALL] & ~cards
    if other & board[TRUMPS + 1 - leader] or board[PICKER] or not board[RUNS + leader]:
        return 0
    size = board[SIZE]
    suit = (1 << size) - 1
    low = (
        smeared[other & suit]
        | smeared[other >> size & suit] << size
        | smeared[other >> 2 * size & suit] << 2 * size
        | smeared[other >> 3 * size & suit] << 3 * size
    ) & cards
    return 1 if low & low - 1 == 0 else 0


@compiled
def lead_value(cards: int, leader: int, left: int, at: Arrays) -> int:
    """Returns the value for a leader with these cards on an empty table if the opponent has all others."""
    board = at.board
    others = board[ALL] & ~cards
    others_trumps = others & board[TRUMPS + 1 - leader]
    if not others_trumps and has_run(cards, leader, at):
        return WON + FAR + left + 1 - 2 * count_bits(cards)
    size, patterns = board[SIZE], at.patterns
    suit = (1 << size) - 1
    phase = (1 if cards & board[TRUMPS + leader] else 0) + (2 if others_trumps else 0)
    own, sides = 3 * phase << size, 3 * phase + 2 << size
    rivals = own + suit + 1
    return (
        patterns[own + (cards >> size * leader & suit)]
        + patterns[rivals + (cards >> size * (1 - leader) & suit)]
        + patterns[sides + (cards >> 2 * size & suit)]
        + patterns[sides + (cards >> 3 * size & suit)]
        + at.counts[phase * (board[NONE] + 1) + count_bits(cards)]
    )


@compiled
def evaluate(me: int, other: int, top: int, mover: int, left: int, alpha: int, beta: int, at: Arrays) -> int:
    """Returns the value of a position, or a bound outside of ``alpha`` and ``beta``, without a search.

    The mover either picks up, or plays the lowest better card, after which the opponent has the same choice.
    With ``LEADS_ON``, the mover then leads the first card in the order of ``packs.Bits`` that is not the
    mover's trump, or a trump if there is no other card.
    """
    board = at.board
    none, everything = board[NONE], board[ALL]
    if top == none:
        if me | other == everything:
            return lead_value(me, mover, left, at)
        sides = me & ~board[TRUMPS + mover]
        card = lowest_bit(sides if sides else me)
        rest = me ^ 1 << card
        if not rest:
            return WON + FAR + left - 1
        # This does not prove a loss, because another card may be led.
        return max(-LARGEST, -evaluate(other, rest, card, 1 - mover, left - 1, -beta, -alpha, at))
    if board[PICKER]:
        value = lead_value(everything & ~other, mover, left - 1, at)
    else:
        value = -lead_value(other, 1 - mover, left - 1, at)
    beats = me & at.better[mover * (none + 1) + top]
    if not beats or value >= beta:
        return value
    size = board[SIZE]
    suit = ((1 << size) - 1) << top // size * size
    card = lowest_bit(beats & suit if beats & suit else beats)
    rest = me ^ 1 << card
    if not rest:
        return WON + FAR + left - 1
    if beats & beats - 1:
        value = max(value, -LARGEST)  # this does not prove a loss, because there are other moves
    high = max(alpha, value)
    if board[LEADS_ON]:
        return max(value, evaluate(rest, other, none, mover, left - 1, high, beta, at))
    return max(value, -evaluate(other, rest, card, 1 - mover, left - 1, -beta, -high, at))


@compiled
def evaluate_move(me: int, other: int, top: int, mover: int, move: int, left: int, at: Arrays) -> int:
    """Returns the evaluation after a move, for its mover, with ``left`` actions left before it."""
    board = at.board
    none, rival = board[NONE], 1 - mover
    same = 1 if top != none and board[LEADS_ON] else 0
    if move == none:
        hand, lead, turn = board[ALL] & ~other, none, board[PICKER]
    else:
        hand, lead, turn = me ^ 1 << move, none if same else move, same
    if hand == 0:
        return WON + FAR + left - 1
    if move == none and has_occurred(hand if turn else other, mover if turn else rival, at):
        return DRAWN
    low = min(left, 0) - INFINITE  # not a constant, for which numba would compile a second recursive function
    if turn:
        return evaluate(hand, other, lead, mover, left - 1, low, -low, at)
    return -evaluate(other, hand, lead, rival, left - 1, low, -low, at)


@compiled
def near_moves(moves: int, me: int, other: int, top: int, mover: int, left: int, at: Arrays) -> int:
    """Returns those of the moves, as bits, whose evaluation is at most ``board[PRUNED]`` below the best."""
    best, rest = -INFINITE, moves
    while rest:
        best = max(best, evaluate_move(me, other, top, mover, lowest_bit(rest), left, at))
        rest &= rest - 1
    near, rest = 0, moves
    while rest:
        move = lowest_bit(rest)
        rest &= rest - 1
        if evaluate_move(me, other, top, mover, move, left, at) >= best - at.board[PRUNED]:
            near |= 1 << move
    return near


@compiled
def search(me: int, other: int, top: int, mover: int, left: int, alpha: int, beta: int, at: Arrays) -> int:
    """Returns the value of a position, ``left`` actions deep, or a bound outside of ``alpha`` and ``beta``.

    If the budget is exhausted, sets ``board[SPENT]``, and the value is meaningless.
    """
    board, memory = at.board, at.memory
    board[NODES] += 1
    if left == 0:
        return evaluate(me, other, top, mover, left, alpha, beta, at)
    if board[NODES] > board[LIMIT]:
        board[SPENT] = 1
        return 0
    none = board[NONE]
    if top == none and has_run(me, mover, at):
        return WON + FAR + left + 1 - 2 * count_bits(me)
    hint, slot, place, rest_key = -1, 0, me << 7 | top << 1 | mover, other << 8 | left
    if left > 1:
        if board[TWICE] and has_occurred_twice(me, other, top, mover, at):
            return DRAWN
        slot = 3 * (mix(place, other) & board[ENTRIES])
        if memory[slot] == place and memory[slot + 1] >> 8 == other:
            entry = memory[slot + 2]
            hint = entry & 63
            if memory[slot + 1] == rest_key:
                value, bound = (entry >> 8) - INFINITE, entry >> 6 & 3
                if bound == _EXACT or (value >= beta if bound == _AT_LEAST else value <= alpha):
                    return value
    everything, rival = board[ALL], 1 - mover
    cards = me & at.better[mover * (none + 1) + top]
    pick_up = 1 if top != none else 0
    if left > 1 and board[PRUNED]:
        near = near_moves(cards | pick_up << none, me, other, top, mover, left, at)
        pick_up &= near >> none
        cards &= near
    trumps = cards & board[TRUMPS + mover]
    cards ^= trumps
    same = 1 if top != none and board[LEADS_ON] else 0  # the player of a card moves again
    floor, best, chosen = alpha, -INFINITE, -1
    if hint == none:
        pick_up = 0
    elif hint >= 0:
        cards &= ~(1 << hint)
        trumps &= ~(1 << hint)
    while True:
        # The move from the transposition table, then side cards, the pick-up and trumps, each from low to
        # high.
        if hint >= 0:
            move, hint = hint, -1
        elif cards:
            move = lowest_bit(cards)
            cards &= cards - 1
        elif pick_up:
            move, pick_up = none, 0
        elif trumps:
            move = lowest_bit(trumps)
            trumps &= trumps - 1
        else:
            break
        if move == none:
            hand, lead, turn = everything & ~other, none, board[PICKER]
        else:
            hand, lead, turn = me ^ 1 << move, none if same else move, same
        high = beta if best == -INFINITE else alpha + 1  # a null window after the first move
        if hand == 0:
            value = WON + FAR + left - 1
        elif move == none and has_occurred(hand if turn else other, mover if turn else rival, at):
            value = DRAWN
        elif left == 1:
            board[NODES] += 1
            if turn:
                value = evaluate(hand, other, lead, mover, left - 1, alpha, beta, at)
            else:
                value = -evaluate(other, hand, lead, rival, left - 1, -beta, -alpha, at)
        elif turn:
            value = search(hand, other, lead, mover, left - 1, alpha, high, at)
            if alpha < value < beta and high < beta:
                value = search(hand, other, lead, mover, left - 1, alpha, beta, at)
        else:
            value = -search(other, hand, lead, rival, left - 1, -high, -alpha, at)
            if alpha < value < beta and high < beta:
                value = -search(other, hand, lead, rival, left - 1, -beta, -alpha, at)
        if board[SPENT]:
            return 0
        if value > best:
            best, chosen = value, move
            alpha = max(alpha, value)
            if value >= beta:
                break
    if left > 1:
        bound = _AT_LEAST if best >= beta else _AT_MOST if best <= floor else _EXACT
        memory[slot] = place
        memory[slot + 1] = rest_key
        memory[slot + 2] = best + INFINITE << 8 | bound << 6 | chosen
    return best


@compiled
def remembered_move(me: int, other: int, top: int, mover: int, at: Arrays) -> int:
    """Returns the best move of a position from the transposition table, -1 if it has none."""
    memory = at.memory
    place = me << 7 | top << 1 | mover
    slot = 3 * (mix(place, other) & at.board[ENTRIES])
    if len(memory) and memory[slot] == place and memory[slot + 1] >> 8 == other:
        return memory[slot + 2] & 63
    return -1


@compiled
def value_moves(
    me: int,
    other: int,
    top: int,
    mover: int,
    depth: int,
    every: int,
    moves: Integers,
    values: Integers,
    at: Arrays,
) -> None:
    """Writes the value of each move, searched ``depth`` actions deep after it, into ``values``.

    Unless ``every`` is 1, values other than the best are only bounds.
    """
    board = at.board
    none, best, rival = board[NONE], -INFINITE, 1 - mover
    same = 1 if top != none and board[LEADS_ON] else 0
    for number in range(len(moves)):
        move = moves[number]
        if move == none:
            hand, lead, turn = board[ALL] & ~other, none, board[PICKER]
        else:
            hand, lead, turn = me ^ 1 << move, none if same else move, same
        if hand == 0:
            value = WON + FAR + depth
        elif move == none and has_occurred(hand if turn else other, mover if turn else rival, at):
            value = DRAWN
        else:
            low = -INFINITE if every else best
            high = INFINITE if every or best == -INFINITE else best + 1
            while True:
                if turn:
                    value = search(hand, other, lead, mover, depth, low, high, at)
                else:
                    value = -search(other, hand, lead, rival, depth, -high, -low, at)
                if value < high or high == INFINITE or board[SPENT]:
                    break
                high = INFINITE
        if board[SPENT]:
            return
        values[number] = value
        best = max(best, value)


@compiled
def best_of(
    me: int,
    other: int,
    top: int,
    mover: int,
    depth: int,
    moves: Integers,
    values: Integers,
    scratch: Integers,
    at: Arrays,
) -> int:
    """Deepens the search by two actions up to ``depth``, and sorts ``moves`` and ``values``, the best first.

    Returns the last completed depth, to which the values belong. Stops early if a result is proved or the
    budget is exhausted. Depth 0 is always completed. ``scratch`` is as long as ``values``.
    """
    # Not the constant 0, for which numba would compile a second version of the recursive search that it could
    # not cache.
    reached, deep, count = -1, min(depth, 0), len(moves)
    while True:
        value_moves(me, other, top, mover, deep, 0, moves, scratch, at)
        if at.board[SPENT]:
            break
        reached = deep
        for number in range(count):
            move, value, place = moves[number], scratch[number], number
            while place > 0 and values[place - 1] < value:
                moves[place], values[place] = moves[place - 1], values[place - 1]
                place -= 1
            moves[place], values[place] = move, value
        if values[0] >= WON or values[0] <= -WON or deep == depth:
            break
        deep = 2 - depth % 2 if deep == 0 else deep + 2
    return reached
