"""Searches for the best score still reachable, over integers (``cardlab.games.compiled``).

The deck is known. A *loss* is in points, relative to the score if all coming cards fit. The search is
depth-first branch and bound. It next places the Complete that has the fewest places without a loss, and
prunes a branch that must lose at least as much as the best solution so far. The Singles of the deck cost
nothing by themselves, so they are placed last.

A card is a mask of its characteristics. A set of cards has a bit for each card of the deck, in order. Places
are 0 to 26, clockwise; joint n lies between place n and the next. The arguments that all functions share:

``deck``    the cards, as masks
``fits``    for each place the Completes that fit there now, then those that a Single may keep from there
``match``   for each mask the Completes that match it; all for 0, an unfilled place
``singles`` for each Single of the deck its number, mask and places (a bit for each)
``states``  a state for each depth of the search, see below
``found``   see below
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, lowest_bit

PLACES, SIDE = 27, 9
MASK, NUMBER = 511, 9  # the characteristics of a place; bit of the card's number in the deck, from 1

# A state: the card of each place, 0 if unfilled; the Completes that may still come into it; those that do so
# without a loss; then the Completes to come, the loss, the joints and sides that can no longer match (bits 0
# to 26, and from 27), and the places that must be filled because a card was discarded that fits there.
MAY, GOOD = PLACES, 2 * PLACES
LEFT, LOSS, DEAD, MUST = range(3 * PLACES, 3 * PLACES + 4)
STATE = 3 * PLACES + 4
KEPT_FROM = PLACES  # in ``fits``
SINGLE = 3  # integers for each Single

# In ``found``: visited nodes, their limit, the place that is tried first, the number of Singles; the Single
# of each place, from 1; and as the best solution the card and the Single of each place.
NODES, LIMIT, FIRST, SINGLES, HOLDS = range(5)
BEST = HOLDS + PLACES
FOUND = BEST + 2 * PLACES

LOST_SIDE, LOST_CORNER, LOST_MATCH, LOST_CARD = 5, 1, 2, 3


@compiled
def loss_at_joint(joint: int, dead: int) -> tuple[int, int]:
    """Returns the loss from a joint that can no longer match, and the new set of dead joints and sides."""
    if joint % SIDE == SIDE - 1:
        lost, bit = LOST_CORNER, 1 << joint
    else:
        lost, bit = LOST_SIDE, 1 << PLACES + joint // SIDE
    return (0 if dead & bit else lost), dead | bit


@compiled
def loss_at_the_end(row: int, states: Integers) -> int:
    """Returns the loss from unfilled places when all cards are played; −1 if one of them must be filled."""
    lost, dead = 0, states[row + DEAD]
    for place in range(PLACES):
        if states[row + place] == 0:
            if states[row + MUST] >> place & 1:
                return -1
            more, dead = loss_at_joint(place, dead)
            lost += more
            more, dead = loss_at_joint((place + PLACES - 1) % PLACES, dead)
            lost += more
    return lost


@compiled
def is_blocked(
    card: int, row: int, deck: Integers, fits: Integers, singles: Integers, states: Integers, found: Integers
) -> int:
    """Returns 1 if a Complete is played, or fits nowhere when it is revealed."""
    is_free = 0
    for place in range(PLACES):
        there, single = states[row + place] >> NUMBER, SINGLE * (found[HOLDS + place] - 1)
        if there == card + 1:
            return 1
        if fits[place] >> card & 1 and not 0 < there <= card:
            is_free |= single < 0 or singles[single] > card or singles[single + 1] & deck[card] != 0
    return 0 if is_free else 1


@compiled
def place_singles(
    left: int, row: int, deck: Integers, fits: Integers, singles: Integers, states: Integers, found: Integers
) -> int:
    """Returns 1 if the last ``left`` Singles can be played so that all Completes go where they should."""
    found[NODES] += 1
    if found[NODES] > found[LIMIT]:
        return 0
    if left == 0:
        for card in range(len(deck)):
            if count_bits(deck[card]) > 1 and not is_blocked(card, row, deck, fits, singles, states, found):
                return 0
        return 1
    number = found[SINGLES] - left
    card, mask, places = singles[SINGLE * number], singles[SINGLE * number + 1], singles[SINGLE * number + 2]
    is_free = 0
    for place in range(PLACES):
        there = states[row + place]
        if not places >> place & 1 or found[HOLDS + place] or 0 < there >> NUMBER <= card:
            continue
        is_free = 1
        if there == 0 or there & mask:
            found[HOLDS + place] = number + 1
            if place_singles(left - 1, row, deck, fits, singles, states, found):
                return 1
            found[HOLDS + place] = 0
    return 0 if is_free else place_singles(left - 1, row, deck, fits, singles, states, found)


@compiled
def least_more(
    left: int, playable: int, good: int, unfilled: int, cover: int, dead: int, doomed: int
) -> tuple[int, int]:
    """Returns a lower bound of the further loss, and how many places must stay unfilled.

    Of the cards ``left``, some are ``playable``, and some of them ``good``, without a loss. ``cover`` joints
    at least make the places lose that take no good card, and the ``doomed`` sides can no longer match.
    """
    unplayable, misfits = count_bits(left & ~playable), count_bits(playable & ~good)
    free = count_bits(unfilled) - count_bits(left) + unplayable
    lost = LOST_CARD * unplayable + LOST_SIDE * count_bits(doomed)
    lost += LOST_MATCH * max(0, misfits + 1 >> 1, cover - free)  # two cards may share a joint
    room = 0  # of the sides that cannot match
    for side in range(3):
        if (dead | doomed) >> PLACES + side & 1:
            room += count_bits(unfilled >> SIDE * side & (1 << SIDE) - 1)
    if free > room and (dead | doomed) >> PLACES != 7:
        lost += LOST_SIDE
    return lost, free


@compiled
def survey(row: int, match: Integers, states: Integers, found: Integers) -> tuple[int, int]:
    """Returns a lower bound of the further loss, and the next card to decide; −1 if there is no solution.

    Writes to the state the cards that can come into each place without a loss.
    """
    left, dead = states[row + LEFT], states[row + DEAD]
    playable = one = two = three = only = (
        0  # cards with a place; with one good place or more; of such a place
    )
    unfilled = cover = run = doomed = 0
    for place in range(PLACES):
        if states[row + place]:
            run = 0
            continue
        unfilled |= 1 << place
        cards = left & states[row + MAY + place]
        if cards == 0 and states[row + MUST] >> place & 1:
            return -1, 0
        playable |= cards
        before = match[states[row + (place + PLACES - 1) % PLACES] & MASK]
        after = match[states[row + (place + 1) % PLACES] & MASK]
        in_side = (before | -(place % SIDE == 0)) & (after | -(place % SIDE == SIDE - 1))
        if cards & in_side == 0:
            doomed |= 1 << PLACES + place // SIDE & ~dead
        cards &= before & after
        states[row + GOOD + place] = cards
        three |= two & cards
        two |= one & cards
        one |= cards
        only |= cards if cards & cards - 1 == 0 else 0
        run = 0 if cards else run + 1
        cover += run & 1  # two neighbours may share a joint that does not match
    lost, free = least_more(left, playable, one, unfilled, cover, dead, doomed)
    if free:
        only = 0  # these places may stay unfilled
    for cards in (left & ~one, only | one & ~two, two & ~three, left):
        if cards:
            later = cards & -1 << found[FIRST]
            return lost, lowest_bit(later if later else cards)
    return lost, 0


@compiled
def put(row: int, card: int, place: int, deck: Integers, match: Integers, states: Integers) -> None:
    """Writes the state after a card is put into a place."""
    after = row + STATE
    for number in range(STATE):
        states[after + number] = states[row + number]
    states[after + place] = deck[card] | card + 1 << NUMBER
    states[after + LEFT] &= ~(1 << card)
    lost, dead = 0, states[row + DEAD]
    for step in (0, PLACES - 1):  # the joints after and before the place
        joint = (place + step) % PLACES
        other = states[row + (joint if step else (place + 1) % PLACES)] & MASK
        if not match[other] >> card & 1:
            more, dead = loss_at_joint(joint, dead)
            lost += LOST_MATCH + more
    states[after + LOSS] += lost
    states[after + DEAD] = dead


@compiled
def discard(row: int, card: int, fits: Integers, states: Integers) -> int:
    """Writes the state after a card is discarded; returns 0 if it fits where no earlier card can be."""
    after = row + STATE
    for number in range(STATE):
        states[after + number] = states[row + number]
    for place in range(PLACES):
        if (fits[place] & ~fits[KEPT_FROM + place]) >> card & 1:
            if states[row + place] >> NUMBER > card:
                return 0
            states[after + MAY + place] &= (1 << card) - 1
            states[after + MUST] |= 1 << place
    states[after + LEFT] &= ~(1 << card)
    states[after + LOSS] += LOST_CARD
    return 1


@compiled
def finish(
    row: int,
    budget: int,
    deck: Integers,
    fits: Integers,
    singles: Integers,
    states: Integers,
    found: Integers,
) -> int:
    """Returns the loss if it is below the budget, and stores the solution; else the budget."""
    more = loss_at_the_end(row, states)
    if more < 0 or states[row + LOSS] + more >= budget:
        return budget
    for place in range(PLACES):
        found[HOLDS + place] = 0
    if found[SINGLES] and not place_singles(found[SINGLES], row, deck, fits, singles, states, found):
        return budget
    for place in range(PLACES):
        found[BEST + place] = states[row + place] >> NUMBER
        found[BEST + PLACES + place] = found[HOLDS + place]
    return states[row + LOSS] + more


@compiled
def rank(row: int, card: int, place: int, states: Integers) -> int:
    """Returns how many cards are good in the place, at most 4; 0 if this one is not, −1 if it cannot come."""
    if states[row + place] or not states[row + MAY + place] >> card & 1:
        return -1
    good = states[row + GOOD + place]
    return min(4, count_bits(good)) if good >> card & 1 else 0


@compiled
def least_loss(
    row: int,
    budget: int,
    deck: Integers,
    fits: Integers,
    match: Integers,
    singles: Integers,
    states: Integers,
    found: Integers,
) -> int:
    """Returns the least loss below the budget, and stores its solution; the budget if there is none."""
    found[NODES] += 1
    if found[NODES] > found[LIMIT]:
        return budget
    if states[row + LEFT] == 0:
        return finish(row, budget, deck, fits, singles, states, found)
    more, card = survey(row, match, states, found)
    least = states[row + LOSS] + more
    if more < 0 or least >= budget:
        return budget
    for wanted in (1, 2, 3, 4, 0):  # first the places that few cards fit; last those with a loss
        for number in range(PLACES):
            place = (number + found[FIRST]) % PLACES
            if rank(row, card, place, states) == wanted:
                put(row, card, place, deck, match, states)
                budget = least_loss(row + STATE, budget, deck, fits, match, singles, states, found)
                if budget <= least:
                    return budget
    if states[row + LOSS] + LOST_CARD < budget and discard(row, card, fits, states):
        budget = least_loss(row + STATE, budget, deck, fits, match, singles, states, found)
    return budget
