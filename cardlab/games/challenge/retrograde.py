"""Inner loops of the tablebases of Challenge (see ``cardlab.games.compiled`` and ``tablebase``).

``rounds[cards]`` is for player 0, who leads to an empty table and holds ``cards`` while the opponent holds
all others: the number of rounds to a win, negative for a loss, 0 for a draw or an open position.
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, lowest_bit

MAX_ROUNDS = 1000  # a win in r rounds scores 1000 − r, a loss r − 1000, a draw 0


@compiled
def known_score(cards: int, leader: int, size: int, wide: int, rounds: Integers) -> int:
    """Returns the score for a leader with these cards, or only its sign unless ``wide`` is 1."""
    if leader:
        suit = (1 << size) - 1
        cards = (cards & suit) << size | cards >> size & suit | cards >> 2 * size << 2 * size
    number = rounds[cards]
    if number == 0:
        return 0
    if not wide:
        return 1 if number > 0 else -1
    return MAX_ROUNDS - number if number > 0 else -MAX_ROUNDS - number


@compiled
def exact_score(
    me: int,
    other: int,
    top: int,
    mover: int,
    alpha: int,
    beta: int,
    size: int,
    picker: int,
    leads_on: int,
    better: Integers,
    rounds: Integers,
) -> int:
    """Returns the score of a position for its mover, by an alpha-beta search to the next pick-ups.

    ``me`` and ``other`` are the hands of the mover and the opponent, ``top`` is the top card (4 × ``size`` if
    any card may be led). ``picker`` and ``leads_on`` are the flags of the form.
    """
    count = 4 * size
    won = min(beta, MAX_ROUNDS)
    best = -MAX_ROUNDS
    if top != count:
        wide = 1 if beta > 1 or alpha < -1 else 0
        if picker:
            best = known_score(((1 << count) - 1) & ~other, mover, size, wide, rounds)
        else:
            best = -known_score(other, 1 - mover, size, wide, rounds)
    cards = me & better[mover * (count + 1) + top]
    if cards and me & me - 1 == 0:
        return won
    while cards and best < beta:
        move = lowest_bit(cards)
        cards &= cards - 1
        floor = max(alpha, best)
        if leads_on and top != count:
            score = exact_score(
                me ^ 1 << move, other, count, mover, floor, beta, size, picker, leads_on, better, rounds
            )
        else:
            score = -exact_score(
                other, me ^ 1 << move, move, 1 - mover, -beta, -floor, size, picker, leads_on, better, rounds
            )
        best = max(best, score)
    return best


@compiled
def sign_of_score(
    me: int,
    other: int,
    top: int,
    mover: int,
    alpha: int,
    beta: int,
    size: int,
    picker: int,
    leads_on: int,
    better: Integers,
    rounds: Integers,
    seen: Integers,
) -> int:
    """Returns the sign of :func:`exact_score`, for bounds from -1 to 1.

    ``seen`` remembers the bounds of positions in which a player leads on. The same cards come to the table in
    many orders, also in the searches of other divisions of the pack. It is valid while ``rounds`` is.
    """
    count = 4 * size
    best, low, high, place, key = -1, -1, 1, -1, 0
    if top != count:
        if picker:
            best = known_score(((1 << count) - 1) & ~other, mover, size, 0, rounds)
        else:
            best = -known_score(other, 1 - mover, size, 0, rounds)
    elif leads_on and me | other != (1 << count) - 1:
        key = (mover << count | me) << count | other
        place = key % len(seen)
        if seen[place] >> 4 == key:
            low, high = (seen[place] >> 2 & 3) - 1, (seen[place] & 3) - 1
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
    cards = me & better[mover * (count + 1) + top]
    if cards and me & me - 1 == 0:
        return 1
    while cards and best < beta:
        move = lowest_bit(cards)
        cards &= cards - 1
        floor, rest = max(alpha, best), me ^ 1 << move
        if leads_on and top != count:
            score = sign_of_score(
                rest, other, count, mover, floor, beta, size, picker, leads_on, better, rounds, seen
            )
        else:
            score = -sign_of_score(
                other, rest, move, 1 - mover, -beta, -floor, size, picker, leads_on, better, rounds, seen
            )
        best = max(best, score)
    if place >= 0:
        if best > alpha:
            low = max(low, best)
        if best < beta:
            high = min(high, best)
        seen[place] = key << 4 | low + 1 << 2 | high + 1
    return best


@compiled
def solve_round(
    number: int,
    found: Integers,
    size: int,
    picker: int,
    leads_on: int,
    better: Integers,
    rounds: Integers,
    seen: Integers,
) -> int:
    """Finds the open positions that are won or lost in this round, and returns their number.

    ``found`` is scratch space, as long as ``rounds``, and so is ``seen``, of any length.
    """
    # Not the constant 0, for which numba would compile a second version of the recursive search that it could
    # not cache.
    leader = min(size, 0)
    everything, count = (1 << 4 * size) - 1, 0
    for place in range(len(seen)):
        seen[place] = -1
    for cards in range(1, everything):
        if rounds[cards] == 0:
            score = sign_of_score(
                cards,
                everything ^ cards,
                4 * size,
                leader,
                leader - 1,
                leader + 1,
                size,
                picker,
                leads_on,
                better,
                rounds,
                seen,
            )
            if score:
                found[count] = cards if score > 0 else -cards
                count += 1
    for place in range(count):
        rounds[abs(found[place])] = number if found[place] > 0 else -number
    return count
