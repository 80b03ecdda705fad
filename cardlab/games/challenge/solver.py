"""Challenge solved by retrograde analysis: who wins a position of a small pack with best play, and how.

Between two pick-ups the table only grows, so play there is short. Only positions with an empty table need to
be stored: 2 to the power of the number of cards, one per division of the pack. Round by round, each open
position is searched to the next pick-ups: it is won if the mover can force the end or a position known to be
won, lost likewise. Positions still open when a round finds nothing new are drawn. The round is the number of
pick-ups (the end counts as one) that the winner needs against the longest defence.

``solved(size)`` solves and caches a whole pack: sizes 1–3 take a second or less, size 4 about half a minute.
"""

from __future__ import annotations

from functools import cache

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import Bits, bits, pack
from cardlab.games.challenge.position import DEFAULT_FORM, Form, Position, apply, legal_moves

LARGEST = 4
MOST_ROUNDS = 1000  # a win in r rounds scores 1000 − r, a loss r − 1000, a draw 0


class Solved:
    """All positions of a pack.

    ``rounds[cards]`` is for player 0, who leads to an empty table with these cards against the others: the
    number of rounds to a win, negative for a loss, 0 for a draw.
    """

    def __init__(self, size: int, form: Form = DEFAULT_FORM):
        if size > LARGEST:
            raise ValueError(f"Positions are solved up to size {LARGEST}, not {size}.")
        self.size, self.form = size, form
        self.bits: Bits = bits(size, TRUMPS)
        self.rounds = [0] * (self.bits.all + 1)
        # The leader's mask as player 0 has it, by who leads.
        masks = range(self.bits.all + 1)
        self._as_leader = list(masks), list(map(self.bits.mirror, masks))
        open_ = list(range(1, self.bits.all))
        number, found = 0, [(0, 0)]
        while found:
            number += 1
            found = []
            for cards in open_:
                score = self._lead(cards, self.bits.all ^ cards, 0, -1, 1)
                if score:
                    found.append((cards, number if score > 0 else -number))
            for cards, rounds in found:
                self.rounds[cards] = rounds
            open_ = [cards for cards in open_ if not self.rounds[cards]]

    def _known(self, leader: int, cards: int, wide: bool) -> int:
        """Returns the score for a leader with these cards; only its sign unless ``wide``."""
        rounds = self.rounds[self._as_leader[leader][cards]]
        if not wide:
            return (rounds > 0) - (rounds < 0)
        return MOST_ROUNDS - rounds if rounds > 0 else -MOST_ROUNDS - rounds if rounds < 0 else 0

    def _lead(self, me: int, other: int, mover: int, alpha: int, beta: int) -> int:
        """Returns the score of a mover who may play any card."""
        won = beta if beta < MOST_ROUNDS else MOST_ROUNDS
        if me & me - 1 == 0:
            return won
        best, cards = -MOST_ROUNDS, me
        while cards:
            card = cards & -cards
            cards ^= card
            floor = best if best > alpha else alpha
            score = -self._answer(other, me ^ card, card.bit_length() - 1, 1 - mover, -beta, -floor)
            if score > best:
                best = score
                if best >= beta:
                    break
        return best

    def _answer(self, me: int, other: int, top: int, mover: int, alpha: int, beta: int) -> int:
        """Returns the score of a mover who has to beat the top card or pick up."""
        picked = self.bits.all & ~other
        wide = beta > 1 or alpha < -1
        if self.form.after_pickup == "picker":
            best = self._known(mover, picked, wide)
        else:
            best = -self._known(1 - mover, other, wide)
        cards = me & self.bits.better[mover][top]
        if cards and me & me - 1 == 0:
            return beta if beta < MOST_ROUNDS else MOST_ROUNDS
        leads_on = self.form.after_better == "lead"
        while cards and best < beta:
            card = cards & -cards
            cards ^= card
            floor = best if best > alpha else alpha
            if leads_on:
                score = self._lead(me ^ card, other, mover, floor, beta)
            else:
                score = -self._answer(other, me ^ card, card.bit_length() - 1, 1 - mover, -beta, -floor)
            if score > best:
                best = score
        return best

    def score(self, position: Position) -> int:
        """Returns for the mover 1000 minus the rounds to a win, the negative for a loss, 0 for a draw."""
        if position.winner is not None:
            return MOST_ROUNDS if position.winner == position.mover else -MOST_ROUNDS
        cards = [*position.hands[0], *position.hands[1], *position.table]
        if sorted(cards) != sorted(pack(self.size)) or position.form != self.form:
            raise ValueError(f"The position is not one of the whole pack of size {self.size}, in this form.")
        here = bits(self.size, position.trumps)
        mover = position.mover
        me, other = here.mask(position.hands[mover]), here.mask(position.hands[1 - mover])
        if position.to_lead:
            if not position.table and me not in (0, here.all):
                return self._known(mover, me, True)
            return self._lead(me, other, mover, -MOST_ROUNDS, MOST_ROUNDS)
        top = here.number[position.table[-1]]
        return self._answer(me, other, top, mover, -MOST_ROUNDS, MOST_ROUNDS)

    def scores(self, position: Position) -> dict[str, int]:
        """Returns the score for the mover after each legal move."""
        found = {}
        for move in legal_moves(position):
            after = apply(position, move)
            if after.winner is not None:
                found[move] = MOST_ROUNDS
            else:
                score = self.score(after)
                found[move] = score if after.mover == position.mover else -score
        return found

    def best_moves(self, position: Position) -> tuple[str, ...]:
        """Returns the moves that win soonest or lose latest."""
        scores = self.scores(position)
        best = max(scores.values())
        return tuple(move for move, score in scores.items() if score == best)


@cache
def solved(size: int, form: Form = DEFAULT_FORM) -> Solved:
    """Returns all positions of a pack, solved once. Raises ValueError beyond size 4."""
    return Solved(size, form)
