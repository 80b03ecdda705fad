"""Reads and writes deals of Challenge as one line of text, and reads deal files (ruling 0).

A deal is ``computer's hand | participant's hand | leader``, for example ``AS QS 10H … | AH QH 10S … |
participant``. Hands are in the order S H C D, high first. ``-`` is an empty hand, which occurs only in
analyses.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import NamedTuple

from cardlab.games import deal_file
from cardlab.games.challenge.packs import SUITS, in_order, pack
from cardlab.games.deal_file import BadDeal, split_sections
from cardlab.games.text_file import quote

SIDES = ("computer", "participant")
TRUMPS = ("S", "H")  # the computer's and the participant's
NO_CARDS = "-"

_LARGEST = frozenset(pack(13))


class Deal(NamedTuple):
    """The two hands, each in the order S H C D, high first; ``leads`` is the index of the leader's hand."""

    computer: tuple[str, ...]
    participant: tuple[str, ...]
    leads: int

    @property
    def hands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both hands, the computer's first."""
        return self.computer, self.participant


def draw_deal(seed: str, size: int, dealer: int, trumps: tuple[str, str] = TRUMPS) -> Deal:
    """Draws a symmetric deal by ``seed``; ``dealer`` is 0 or 1, and the other player leads (ruling 19).

    The dealer draws half of the pack. For each card of the dealer's trump suit and of the secondary suit, its
    counterpart is the same rank of the other player's trump suit or of the fourth suit. If the card is in the
    drawn half, the dealer gets it and the other player its counterpart; otherwise they are exchanged.
    """
    chance = random.Random(seed)
    other_suits = [suit for suit in SUITS if suit not in trumps]
    secondary = chance.choice(other_suits)
    fourth = other_suits[secondary == other_suits[0]]
    like = {trumps[dealer]: trumps[1 - dealer], secondary: fourth}
    cards = list(pack(size))
    chance.shuffle(cards)
    first_hand = set(cards[: len(cards) // 2])
    hand = set()
    for card in cards:
        rank, suit = card[:-1], card[-1]
        if suit in like:
            hand.add(card if card in first_hand else rank + like[suit])
    hands = in_order(hand), in_order(set(cards) - hand)
    return Deal(hands[dealer], hands[1 - dealer], 1 - dealer)


def format_deal(deal: Deal) -> str:
    """Returns the deal as one line of text."""
    return " | ".join([*(" ".join(hand) or NO_CARDS for hand in deal.hands), SIDES[deal.leads]])


def parse_deal(text: str) -> Deal:
    """Parses a deal of any two hands without a duplicate card. Raises BadDeal."""
    *hand_sections, (words, end) = split_sections(text, 3, "computer's hand, participant's hand, who leads")
    hands, seen_cards = [], set[str]()
    for section in hand_sections:
        if not section.words:
            raise BadDeal(f"Write {NO_CARDS} for a hand without cards.", section.end)
        cards = () if section.values == (NO_CARDS,) else section.words
        for card, at in cards:
            if card not in _LARGEST:
                raise BadDeal(f"{quote(card)} is not a card. Write the rank, then the suit, such as 10S.", at)
            if card in seen_cards:
                raise BadDeal(f"The deal contains {card} twice.", at)
            seen_cards.add(card)
        hands.append(in_order(card for card, _at in cards))
    leads = words[0][0].lower() if len(words) == 1 else ""
    if leads not in SIDES:
        raise BadDeal(
            f"The last section must be the player who leads: {' or '.join(SIDES)}.",
            words[0][1] if words else end,
        )
    if not hands[SIDES.index(leads)]:
        raise BadDeal(f"The {leads} leads, but has no cards.", words[0][1])
    return Deal(hands[0], hands[1], SIDES.index(leads))


@lru_cache(maxsize=4)  # the creation of a session reads the file twice: for validation and for dealing
def read_deal_file(text: str, name: str) -> tuple[str, ...]:
    """Returns the deals of a file in order. Their sizes may differ. Raises BadFile."""
    return deal_file.read_deals(
        text,
        name,
        lambda line: format_deal(parse_deal(line)),
        "two hands and the player who leads, separated by ' | '",
    )
