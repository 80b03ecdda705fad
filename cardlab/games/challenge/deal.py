"""The deal of Challenge as one line of text: computer's hand, participant's hand, who leads (ruling 0).

For example ``AS QS 10H … | AH QH 10S … | participant``. Hands stand in the order S H C D, high first. A hand
without cards, as the analysing mode may have it, is ``-``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from cardlab.games.challenge.packs import SUITS, in_order, pack
from cardlab.games.deal_file import BadDeal
from cardlab.games.text_file import quote

SIDES = ("computer", "participant")
TRUMPS = ("S", "H")  # the computer's, the participant's
NO_CARDS = "-"

_WORD = re.compile(r"[^\s|]+")
_LARGEST = frozenset(pack(13))


class Deal(NamedTuple):
    """The two hands, the computer's first, each S H C D and high first; ``leads`` is 0 or 1."""

    computer: tuple[str, ...]
    participant: tuple[str, ...]
    leads: int

    @property
    def hands(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.computer, self.participant


def draw(seed: str, size: int, dealer: int, trumps: tuple[str, str] = TRUMPS) -> Deal:
    """The symmetric deal that the seed draws; ``dealer`` is 0 or 1, and the other one leads (ruling 19).

    The dealer takes half of the pack and keeps of it the trumps and the secondary suit; the other player gets
    the same ranks of the own trumps and of the fourth suit. What is missing in a suit has the other one.
    """
    chance = random.Random(seed)
    others = [suit for suit in SUITS if suit not in trumps]
    secondary = chance.choice(others)
    fourth = others[secondary == others[0]]
    like = {trumps[dealer]: trumps[1 - dealer], secondary: fourth}
    cards = list(pack(size))
    chance.shuffle(cards)
    half = set(cards[: len(cards) // 2])
    hand = set()
    for card in cards:
        rank, suit = card[:-1], card[-1]
        if suit in like:
            hand.add(card if card in half else rank + like[suit])
    hands = in_order(hand), in_order(set(cards) - hand)
    return Deal(hands[dealer], hands[1 - dealer], 1 - dealer)


def format_deal(deal: Deal) -> str:
    """The deal as one line of text."""
    return " | ".join([*(" ".join(hand) or NO_CARDS for hand in deal.hands), SIDES[deal.leads]])


def parse_deal(text: str) -> Deal:
    """Read a deal, of any two hands without a doubled card; BadDeal with a sentence if it is none."""
    sections = list(_sections(text))
    if len(sections) != 3:
        raise BadDeal(
            "A deal has 3 sections parted by ' | ' (computer's hand, participant's hand, who leads), "
            f"not {len(sections)}.",
            sections[min(3, len(sections)) - 1][1],
        )
    hands, seen = [], set[str]()
    for words, end in sections[:2]:
        if not words:
            raise BadDeal(f"A hand without cards is written {NO_CARDS}.", end)
        hand = [] if words[0][0] == NO_CARDS and len(words) == 1 else words
        for card, at in hand:
            if card not in _LARGEST:
                raise BadDeal(f"{quote(card)} is no card; a card is rank then suit, such as 10S.", at)
            if card in seen:
                raise BadDeal(f"The deal must hold {card} once, not twice.", at)
            seen.add(card)
        hands.append(in_order(card for card, _at in hand))
    words, end = sections[2]
    leads = words[0][0].lower() if len(words) == 1 else ""
    if leads not in SIDES:
        raise BadDeal(
            f"The last section says who leads, {' or '.join(SIDES)}.", words[0][1] if words else end
        )
    if not hands[SIDES.index(leads)]:
        raise BadDeal(f"The {leads} leads and so must have a card.", words[0][1])
    return Deal(hands[0], hands[1], SIDES.index(leads))


def _sections(text: str) -> Iterator[tuple[list[tuple[str, int]], int]]:
    """Each section's words with where they stand, and where it ends."""
    start = 0
    for section in text.split("|"):
        yield (
            [(found.group(), start + found.start()) for found in _WORD.finditer(section)],
            start + len(section.rstrip()),
        )
        start += len(section) + 1
