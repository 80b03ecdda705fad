"""Inner loops of the tablebases of Challenge (see ``cardlab.games.compiled`` and ``tablebase``).

``rounds[cards]`` is for player 0, who leads to an empty table and holds ``cards`` while the opponent holds
all others: the number of rounds to a win, negative for a loss, 0 for a draw or an open position.
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, lowest_bit

MAX_ROUNDS = 1000  # a win in r rounds scores 1000 − r, a loss r − 1000, a draw 0
SIGNS = 31  # in an integer, of two bits each


@compiled
def mirror(cards: int, size: int) -> int:
    """Returns the cards if the players change places: their trumps are swapped."""
    suit = (1 << size) - 1
    return (cards & suit) << size | cards >> size & suit | cards >> 2 * size << 2 * size


@compiled
def known_score(cards: int, leader: int, size: int, wide: int, rounds: Integers) -> int:
    """Returns the score for a leader with these cards, or only its sign unless ``wide`` is 1."""
    number = rounds[mirror(cards, size) if leader else cards]
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
def solve_round(
    number: int,
    found: Integers,
    size: int,
    picker: int,
    leads_on: int,
    better: Integers,
    rounds: Integers,
) -> int:
    """Finds the open positions that are won or lost in this round, and returns their number.

    ``found`` is scratch space, as long as ``rounds``. This is fast where a better card ends the turn. Where
    the player leads again, ``solve_round_of_leads`` finds the same.
    """
    # Not the constant 0, for which numba would compile a second version of the recursive search that it could
    # not cache.
    leader = min(size, 0)
    everything, count = (1 << 4 * size) - 1, 0
    for cards in range(1, everything):
        if rounds[cards] == 0:
            score = exact_score(
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
            )
            if score:
                found[count] = cards if score > 0 else -cards
                count += 1
    for place in range(count):
        rounds[abs(found[place])] = number if found[place] > 0 else -number
    return count


# Where a player leads again after a better card, searches from different empty tables meet the same hands
# again and again. So the sign of the score is stored for each division of the pack into two hands and the
# table, with player 0 as the leader. When a sign becomes known, the divisions before it are examined again.


@compiled
def fill_powers(powers: Integers) -> None:
    """Sets ``powers[cards]`` to the sum of 3 to the power of each card's number."""
    power, number = 1, 1
    while number < len(powers):
        for cards in range(number):
            powers[number | cards] = powers[cards] + power
        power, number = 3 * power, 2 * number


@compiled
def stored_sign(me: int, other: int, powers: Integers, signs: Integers) -> int:
    """Returns the sign of the score for player 0, who leads with the cards ``me``; 0 while it is open."""
    place = powers[me] + 2 * powers[other]
    sign = signs[place // SIGNS] >> 2 * (place % SIGNS) & 3
    return (sign & 1) - (sign >> 1)


@compiled
def lead_sign(
    me: int,
    other: int,
    lead: int,
    floor: int,
    size: int,
    better: Integers,
    picked_up: Integers,
    powers: Integers,
    signs: Integers,
) -> int:
    """Returns the sign of the score for player 0 after a lead, as far as it is known.

    Looks at the answers only until the sign is not above ``floor``.
    """
    rest = me ^ lead
    if rest == 0:
        return 1
    answers = other & better[4 * size + 1 + lowest_bit(lead)]
    if answers and other & other - 1 == 0:
        return -1
    sign = picked_up[rest]
    while answers and sign > floor:
        answer = answers & -answers
        answers ^= answer
        sign = min(sign, -stored_sign(mirror(other ^ answer, size), mirror(rest, size), powers, signs))
    return sign


@compiled
def update(
    me: int,
    other: int,
    lead: int,
    number: int,
    size: int,
    better: Integers,
    picked_up: Integers,
    powers: Integers,
    signs: Integers,
    rounds: Integers,
) -> None:
    """Stores the sign of an open division that is won by ``lead``, or if that is 0, lost by all leads.

    Then updates the divisions from which a lead and an answer reach this one.
    """
    if stored_sign(me, other, powers, signs):
        return
    sign = -1
    if lead:
        sign = max(0, lead_sign(me, other, lead, 0, size, better, picked_up, powers, signs))
    leads = 0 if lead else me
    while leads and sign < 0:
        one = leads & -leads
        leads ^= one
        sign = lead_sign(me, other, one, -1, size, better, picked_up, powers, signs)
    if sign == 0 or (sign > 0 and not lead):
        return
    place = powers[me] + 2 * powers[other]
    signs[place // SIGNS] |= (1 if sign > 0 else 2) << 2 * (place % SIGNS)
    table = mirror(len(rounds) - 1 ^ me ^ other, size)
    if table == 0:
        rounds[me] = sign * number
    rest, rival = mirror(other, size), mirror(me, size)
    leads = table if sign > 0 or picked_up[rest] > 0 else 0
    while leads:
        one = leads & -leads
        leads ^= one
        answers = table & better[4 * size + 1 + lowest_bit(one)]
        winning = one if sign < 0 else 0
        while answers:
            answer = answers & -answers
            answers ^= answer
            update(
                rest | one, rival | answer, winning, number, size, better, picked_up, powers, signs, rounds
            )


@compiled
def update_all_before(
    rest: int,
    sign: int,
    number: int,
    size: int,
    better: Integers,
    picked_up: Integers,
    powers: Integers,
    signs: Integers,
    rounds: Integers,
) -> None:
    """Updates all divisions from which a lead leaves player 0 the cards ``rest``.

    ``sign`` is the known sign once player 1 picks up.
    """
    everything = len(rounds) - 1
    leads = everything ^ rest
    while leads:
        lead = leads & -leads
        leads ^= lead
        me, winning = rest | lead, lead if sign > 0 else 0
        other = others = everything ^ me
        while other:
            if count_bits(other) & 1 == count_bits(me) & 1:  # the table has an even number of cards
                update(me, other, winning, number, size, better, picked_up, powers, signs, rounds)
            other = other - 1 & others


@compiled
def solve_round_of_leads(
    number: int,
    size: int,
    picker: int,
    better: Integers,
    picked_up: Integers,
    powers: Integers,
    signs: Integers,
    rounds: Integers,
) -> int:
    """Finds the open positions that are won or lost in this round, and returns their number.

    ``powers`` is from ``fill_powers``. ``picked_up[cards]`` is the known sign for player 0, who has led and
    still holds the cards, once player 1 picks up. ``signs`` has two bits for each division, ``SIGNS`` of them
    in an integer. Both begin with zeros, and are passed on from round to round.
    """
    everything, found = len(rounds) - 1, 0
    no_lead = min(number, 0)  # not the constant 0, see solve_round
    if number == 1:
        update_all_before(0, 1, number, size, better, picked_up, powers, signs, rounds)
        for card in range(4 * size):
            me = others = everything ^ 1 << card
            while me:
                if count_bits(me) & 1:
                    update(me, 1 << card, no_lead, number, size, better, picked_up, powers, signs, rounds)
                me = me - 1 & others
    for cards in range(everything):
        if number > 1 and abs(rounds[cards]) == number - 1:
            rest = everything ^ mirror(cards, size) if picker else cards
            sign = 1 if (rounds[cards] > 0) != (picker > 0) else -1
            picked_up[rest] = sign
            update_all_before(rest, sign, number, size, better, picked_up, powers, signs, rounds)
    for cards in range(everything):
        found += 1 if abs(rounds[cards]) == number else 0
    return found
