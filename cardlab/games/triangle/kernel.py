"""Searches for the best score still reachable, over integers (``cardlab.games.compiled``).

The deck is known. A *loss* is in points, relative to the score if all coming cards fit. The search is
depth-first branch and bound. It next places the Complete that has the fewest places without a loss, and
prunes a branch that must lose at least as much as the best solution so far. The Singles of the deck cost
nothing by themselves, so they are placed last.

A card is a mask of its characteristics. A set of cards has a bit for each card of the deck, in order. Places
are 0 to 26, clockwise; joint n lies between place n and the next. The arguments that all functions share:

``deck``    the cards, as masks
``fits``    for each place the Completes that fit there now; from ``BLOCKABLE`` those that an earlier
            Single of the deck can keep out
``match``   for each mask the Completes that match it; all for 0, an unfilled place
``singles`` for each Single of the deck its number, mask and places (a bit for each)
``states``  a state for each depth of the search, see below
``row``     where the current state begins in ``states``
``search``  see below
"""

from __future__ import annotations

from cardlab.games.compiled import Integers, compiled, count_bits, lowest_bit

PLACES, SIDE = 27, 9
MASK, NUMBER = 511, 9  # the characteristics of a place; bit of the card's number in the deck, from 1

# A state, by index: the card of each place, 0 if unfilled; from ``ALLOWED`` the Completes that may still come
# into each place, from ``LOSSLESS`` those that cause no loss there; the Completes to come; the loss; the
# joints and sides that can no longer match (bits 0 to 26, and from 27); and the places that must be filled,
# because a card that fits there was discarded.
ALLOWED, LOSSLESS = PLACES, 2 * PLACES
REMAINING, LOSS, DEAD, REQUIRED = range(3 * PLACES, 3 * PLACES + 4)
STATE_SIZE = 3 * PLACES + 4
BLOCKABLE = PLACES  # in ``fits``
SINGLE_SIZE = 3  # integers for each Single

# ``search``, by index: visited nodes; their limit; the place that is tried first; the number of Singles; from
# ``SINGLE_AT`` the number of the Single that is played on each place, from 1; from ``BEST`` the card and then
# the Single of each place in the best solution.
NODES, NODE_LIMIT, FIRST_PLACE, SINGLES, SINGLE_AT = range(5)
BEST = SINGLE_AT + PLACES
SEARCH_SIZE = BEST + 2 * PLACES

SIDE_LOSS, CORNER_LOSS, MATCH_LOSS, CARD_LOSS = 5, 1, 2, 3


@compiled
def loss_at_joint(joint: int, dead: int) -> tuple[int, int]:
    """Returns the loss from a joint that can no longer match, and the new set of dead joints and sides."""
    if joint % SIDE == SIDE - 1:
        loss, bit = CORNER_LOSS, 1 << joint
    else:
        loss, bit = SIDE_LOSS, 1 << PLACES + joint // SIDE
    return (0 if dead & bit else loss), dead | bit


@compiled
def loss_of_unfilled_places(row: int, states: Integers) -> int:
    """Returns the loss from unfilled places when all cards are played; −1 if one of them must be filled."""
    loss, dead = 0, states[row + DEAD]
    for place in range(PLACES):
        if states[row + place] == 0:
            if states[row + REQUIRED] >> place & 1:
                return -1
            more, dead = loss_at_joint(place, dead)
            loss += more
            more, dead = loss_at_joint((place + PLACES - 1) % PLACES, dead)
            loss += more
    return loss


@compiled
def is_blocked(
    card: int, row: int, deck: Integers, fits: Integers, singles: Integers, states: Integers, search: Integers
) -> int:
    """Returns 1 if a Complete is played, or fits nowhere when it is revealed."""
    is_free = 0
    for place in range(PLACES):
        placed, single = states[row + place] >> NUMBER, SINGLE_SIZE * (search[SINGLE_AT + place] - 1)
        if placed == card + 1:
            return 1
        if fits[place] >> card & 1 and not 0 < placed <= card:
            is_free |= single < 0 or singles[single] > card or singles[single + 1] & deck[card] != 0
    return 0 if is_free else 1


@compiled
def place_singles(
    remaining: int,
    row: int,
    deck: Integers,
    fits: Integers,
    singles: Integers,
    states: Integers,
    search: Integers,
) -> int:
    """Returns 1 if the ``remaining`` last Singles can be played so that all Completes go to their places."""
    search[NODES] += 1
    if search[NODES] > search[NODE_LIMIT]:
        return 0
    if remaining == 0:
        for card in range(len(deck)):
            if count_bits(deck[card]) > 1 and not is_blocked(card, row, deck, fits, singles, states, search):
                return 0
        return 1
    number = search[SINGLES] - remaining
    card, mask, places = (
        singles[SINGLE_SIZE * number],
        singles[SINGLE_SIZE * number + 1],
        singles[SINGLE_SIZE * number + 2],
    )
    is_free = 0
    for place in range(PLACES):
        placed = states[row + place]
        if not places >> place & 1 or search[SINGLE_AT + place] or 0 < placed >> NUMBER <= card:
            continue
        is_free = 1
        if placed == 0 or placed & mask:
            search[SINGLE_AT + place] = number + 1
            if place_singles(remaining - 1, row, deck, fits, singles, states, search):
                return 1
            search[SINGLE_AT + place] = 0
    return 0 if is_free else place_singles(remaining - 1, row, deck, fits, singles, states, search)


@compiled
def bound_further_loss(
    remaining: int, playable: int, lossless: int, unfilled: int, losing_joints: int, dead: int, dying: int
) -> tuple[int, int]:
    """Returns a lower bound of the further loss, and how many places must stay unfilled.

    Args:
        remaining: the Completes to come.
        playable: those of them that can come into a place.
        lossless: those that can do so without a loss.
        unfilled: the unfilled places.
        losing_joints: the least number of joints that lose if the places without a lossless card are filled.
        dead: the joints and sides that can no longer match.
        dying: the other sides with a place that no remaining card can fill with a match.
    """
    unplayable, misfits = count_bits(remaining & ~playable), count_bits(playable & ~lossless)
    free = count_bits(unfilled) - count_bits(remaining) + unplayable
    loss = CARD_LOSS * unplayable + SIDE_LOSS * count_bits(dying)
    loss += MATCH_LOSS * max(0, misfits + 1 >> 1, losing_joints - free)  # two cards may share a joint
    room = 0  # unfilled places of the sides that cannot match
    for side in range(3):
        if (dead | dying) >> PLACES + side & 1:
            room += count_bits(unfilled >> SIDE * side & (1 << SIDE) - 1)
    if free > room and (dead | dying) >> PLACES != 7:
        loss += SIDE_LOSS
    return loss, free


@compiled
def choose_card(row: int, match: Integers, states: Integers, search: Integers) -> tuple[int, int]:
    """Returns a lower bound of the further loss, and the next card to decide; −1 if there is no solution.

    Writes to the state the cards that can come into each place without a loss.
    """
    remaining, dead = states[row + REMAINING], states[row + DEAD]
    playable = 0  # the cards that can come into a place
    in_one = in_two = in_three = 0  # cards with at least this many places without a loss
    sole = 0  # those that are the only lossless card of a place
    unfilled = losing_joints = run = dying = 0
    for place in range(PLACES):
        if states[row + place]:
            run = 0
            continue
        unfilled |= 1 << place
        cards = remaining & states[row + ALLOWED + place]
        if cards == 0 and states[row + REQUIRED] >> place & 1:
            return -1, 0
        playable |= cards
        before = match[states[row + (place + PLACES - 1) % PLACES] & MASK]
        after = match[states[row + (place + 1) % PLACES] & MASK]
        in_side = (before | -(place % SIDE == 0)) & (after | -(place % SIDE == SIDE - 1))
        if cards & in_side == 0:
            dying |= 1 << PLACES + place // SIDE & ~dead
        cards &= before & after
        states[row + LOSSLESS + place] = cards
        in_three |= in_two & cards
        in_two |= in_one & cards
        in_one |= cards
        sole |= cards if cards & cards - 1 == 0 else 0
        run = 0 if cards else run + 1
        losing_joints += run & 1  # two neighbours may share a joint that does not match
    loss, free = bound_further_loss(remaining, playable, in_one, unfilled, losing_joints, dead, dying)
    if free:
        sole = 0  # these places may stay unfilled
    for cards in (remaining & ~in_one, sole | in_one & ~in_two, in_two & ~in_three, remaining):
        if cards:
            later = cards & -1 << search[FIRST_PLACE]
            return loss, lowest_bit(later if later else cards)
    return loss, 0


@compiled
def place_card(row: int, card: int, place: int, deck: Integers, match: Integers, states: Integers) -> None:
    """Writes the state after a card is put into a place."""
    after = row + STATE_SIZE
    for number in range(STATE_SIZE):
        states[after + number] = states[row + number]
    states[after + place] = deck[card] | card + 1 << NUMBER
    states[after + REMAINING] &= ~(1 << card)
    loss, dead = 0, states[row + DEAD]
    for step in (0, PLACES - 1):  # the joints after and before the place
        joint = (place + step) % PLACES
        other = states[row + (joint if step else (place + 1) % PLACES)] & MASK
        if not match[other] >> card & 1:
            more, dead = loss_at_joint(joint, dead)
            loss += MATCH_LOSS + more
    states[after + LOSS] += loss
    states[after + DEAD] = dead


@compiled
def discard_card(row: int, card: int, fits: Integers, states: Integers) -> int:
    """Writes the state after a card is discarded. Returns 0 if a place for it was still free at that time."""
    after = row + STATE_SIZE
    for number in range(STATE_SIZE):
        states[after + number] = states[row + number]
    for place in range(PLACES):
        if (fits[place] & ~fits[BLOCKABLE + place]) >> card & 1:
            if states[row + place] >> NUMBER > card:
                return 0
            states[after + ALLOWED + place] &= (1 << card) - 1
            states[after + REQUIRED] |= 1 << place
    states[after + REMAINING] &= ~(1 << card)
    states[after + LOSS] += CARD_LOSS
    return 1


@compiled
def store_solution(
    row: int,
    budget: int,
    deck: Integers,
    fits: Integers,
    singles: Integers,
    states: Integers,
    search: Integers,
) -> int:
    """Returns the loss if it is below the budget, and stores the solution; else the budget."""
    more = loss_of_unfilled_places(row, states)
    if more < 0 or states[row + LOSS] + more >= budget:
        return budget
    for place in range(PLACES):
        search[SINGLE_AT + place] = 0
    if search[SINGLES] and not place_singles(search[SINGLES], row, deck, fits, singles, states, search):
        return budget
    for place in range(PLACES):
        search[BEST + place] = states[row + place] >> NUMBER
        search[BEST + PLACES + place] = search[SINGLE_AT + place]
    return states[row + LOSS] + more


@compiled
def rank_place(row: int, card: int, place: int, states: Integers) -> int:
    """Returns how many cards cause no loss here, at most 4; 0 if this card does, −1 if it cannot come."""
    if states[row + place] or not states[row + ALLOWED + place] >> card & 1:
        return -1
    lossless = states[row + LOSSLESS + place]
    return min(4, count_bits(lossless)) if lossless >> card & 1 else 0


@compiled
def least_loss(
    row: int,
    budget: int,
    deck: Integers,
    fits: Integers,
    match: Integers,
    singles: Integers,
    states: Integers,
    search: Integers,
) -> int:
    """Returns the least loss below the budget, and stores its solution; the budget if there is none."""
    search[NODES] += 1
    if search[NODES] > search[NODE_LIMIT]:
        return budget
    if states[row + REMAINING] == 0:
        return store_solution(row, budget, deck, fits, singles, states, search)
    more, card = choose_card(row, match, states, search)
    least = states[row + LOSS] + more
    if more < 0 or least >= budget:
        return budget
    for rank in (1, 2, 3, 4, 0):  # first the places that few cards fit; last those with a loss
        for number in range(PLACES):
            place = (number + search[FIRST_PLACE]) % PLACES
            if rank_place(row, card, place, states) == rank:
                place_card(row, card, place, deck, match, states)
                budget = least_loss(row + STATE_SIZE, budget, deck, fits, match, singles, states, search)
                if budget <= least:
                    return budget
    if states[row + LOSS] + CARD_LOSS < budget and discard_card(row, card, fits, states):
        budget = least_loss(row + STATE_SIZE, budget, deck, fits, match, singles, states, search)
    return budget
