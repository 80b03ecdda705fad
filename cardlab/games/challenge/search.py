"""The search of Challenge: the best move, the value of each move, and forced wins.

Alpha-beta with iterative deepening, principal variation search and a transposition table. Depth 0 evaluates
the position after each own action, depth n looks n actions further (ruling 21). The budget is a number of
nodes, never time, so the same position, game and seed have the same answer on every machine. A node is a
position whose moves are tried, or which is evaluated.

A position with an empty table that the game has had before counts as drawn, though only its third occurrence
is (rulings 20, 21), so that the player who is ahead makes progress. One with cards on the table counts as
drawn if it has occurred twice. So a proved win is a win under the rules.

For speed, a hand is an integer with one bit per card (``Bits``), and so are the cards that beat a card. The
sums of the evaluation for its four phases are packed in one integer, so playing a card is one subtraction.
The last action is evaluated in a loop, without a call for each move.

A value is for the mover: ``WON`` and more for a forced win, higher if it is sooner. There is one
transposition table per remaining depth, so entries never change a value. The table of two actions less gives
the first move to try, because the search deepens by two. After the first move, the others are searched with a
null window, and again with a full one if they are better.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from cardlab.games.challenge.evaluation import PHASES, Weights, weights
from cardlab.games.challenge.packs import Bits, bits, height, size_of
from cardlab.games.challenge.position import DEFAULT_FORM, PICK_UP, Position, apply, legal_moves

DEPTH = 4
NODES = 200_000  # default budget of a move
LONGEST = 200  # the most actions that a proof looks ahead
WON = 1_000_000
DRAWN = 0
_INFINITE = 2 * WON

# The sums of the four phases are packed in one integer, each with an offset that keeps it positive.
_WIDTH = 15
_HALF = 1 << _WIDTH - 1
_MASK = (1 << _WIDTH) - 1
_BIAS = sum(_HALF << _WIDTH * phase for phase in PHASES)

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2


# Parameters: me, other, top, mover, actions left, alpha, beta, packed values of the hands and of the pile.
_Node = Callable[[int, int, int, int, int, int, int, int, int], int]


class Found(NamedTuple):
    """The result of a search: the best ``move``, and the position's ``value`` for its mover.

    ``line`` has the expected moves as far as known, ``depth`` the last completed depth, ``whole`` whether the
    budget sufficed for the requested depth, and ``nodes`` the number of visited positions.
    """

    move: str
    value: int
    line: tuple[str, ...]
    depth: int
    whole: bool
    nodes: int

    @property
    def proved(self) -> bool | None:
        """True for a forced win of the mover, False for a forced loss, None if neither is proved."""
        return True if self.value >= WON else False if self.value <= -WON else None


class _Spent(Exception):
    """The node budget is spent."""


def best_move(
    position: Position,
    *,
    depth: int = DEPTH,
    nodes: int = NODES,
    seed: object = 0,
    earlier: Iterable[Position] = (),
) -> Found:
    """Returns the best move of a position that is not over.

    ``depth`` is in actions, ``nodes`` is the budget, ``seed`` draws among moves of equal value, and
    ``earlier`` are the earlier positions of the game.
    """
    return Search(position, earlier).run(depth, nodes, seed)


def worths(
    position: Position, *, depth: int = DEPTH, nodes: int = NODES, earlier: Iterable[Position] = ()
) -> dict[str, int]:
    """Returns the value of each legal move for the mover, as deep as the budget allows for all of them."""
    return Search(position, earlier).worths(depth, nodes)


def forced_win(
    position: Position, *, nodes: int = NODES, earlier: Iterable[Position] = (), within: int = LONGEST
) -> bool:
    """Whether the search proves that the mover wins, with so many actions; False proves nothing."""
    return Search(position, earlier).run(min(LONGEST, within - 1), nodes, 0).proved is True


class Search:
    """The search of one position. ``nodes`` counts the visited positions of all its runs.

    ``plain`` is for comparison: alpha-beta without transposition table and move ordering. Then "high" tries
    high cards first and the pick-up last, "pick" the pick-up first and low cards first.
    """

    def __init__(
        self,
        position: Position,
        earlier: Iterable[Position] = (),
        plain: str | None = None,
    ):
        self.position = position
        cards = [*position.hands[0], *position.hands[1], *position.table]
        self.pack: Bits = bits(size_of(cards), position.trumps)
        self.weights: Weights = weights(self.pack.size, position.trumps)
        self.everything = self.pack.mask(cards)
        self.nodes = 0
        self.plain = plain
        self.tables: list[dict[int, tuple[int, int, int]]] = []
        packed = [
            sum(self.weights.card[phase][number] << _WIDTH * phase for phase in PHASES)
            for number in range(self.pack.count)
        ]
        # The last entry is the pick-up, which is a move number too; as a top card it means an empty table.
        self.packed = [*packed, 0]
        self.better = [[*better, self.pack.all] for better in self.pack.better]
        self.none = self.pack.count
        game = [*earlier, position]
        self.seen = {self._key(*self._state(one)) for one in game if one.to_lead and not one.table}
        occurred = Counter(self._key(*self._state(one)) for one in game)
        self.twice = {key for key, times in occurred.items() if times > 1}

    def _state(self, position: Position) -> tuple[int, int, int, int]:
        """Returns the mover's and the other's cards, the top card, and the mover."""
        mover = position.mover
        top = self.none if position.to_lead else self.pack.number[position.table[-1]]
        me, other = (self.pack.mask(position.hands[player]) for player in (mover, 1 - mover))
        return me, other, top, mover

    def _key(self, me: int, other: int, top: int, mover: int) -> int:
        return (me << self.none | other) << 7 | top << 1 | mover

    def _sum(self, cards: int) -> int:
        """Returns the packed value of cards in all phases."""
        return sum(self.packed[number] for number in range(self.none) if cards >> number & 1)

    def run(self, depth: int, nodes: int, seed: object) -> Found:
        """Deepens to ``depth``, or until the budget is spent or a result is proved; at least depth 0."""
        moves = list(legal_moves(self.position))
        random.Random(f"{seed}").shuffle(moves)
        trump = self.position.trumps[self.position.mover]
        moves.sort(key=lambda move: (move == PICK_UP, move[-1] == trump, move != PICK_UP and height(move)))
        best, value, reached = moves[0], DRAWN, -1
        line: tuple[str, ...] = (best,)
        search = self._searcher(nodes)
        for deep in (0, *range(2 - depth % 2, depth + 1, 2)):
            try:
                values = self._root(search, moves, deep)
            except _Spent:
                break
            best = max(values, key=values.__getitem__)
            value, reached, line = values[best], deep, self._line(best, deep)
            moves.sort(key=values.__getitem__, reverse=True)
            if abs(value) >= WON:
                break
        return Found(best, value, line, reached, reached == depth or abs(value) >= WON, self.nodes)

    def worths(self, depth: int, nodes: int) -> dict[str, int]:
        """Returns the value of each legal move, as deep as the budget allows for all; at least depth 0."""
        search, found = self._searcher(nodes), dict[str, int]()
        moves = list(legal_moves(self.position))
        for deep in range(depth + 1):
            try:
                found = self._root(search, moves, deep, every=True)
            except _Spent:
                break
        return found

    def value(self, depth: int, nodes: int) -> int | None:
        """Returns the position's value without iterative deepening; None if the budget is spent."""
        try:
            return max(self._root(self._searcher(nodes), list(legal_moves(self.position)), depth).values())
        except _Spent:
            return None

    def _root(self, search: _Node, moves: list[str], deep: int, every: bool = False) -> dict[str, int]:
        """Returns the values of the moves; only bounds for those that are not best, unless ``every``."""
        mover, found, alpha = self.position.mover, dict[str, int](), -_INFINITE
        while len(self.tables) <= deep + 1:
            self.tables.append({})
        for move in moves:
            after = apply(self.position, move)
            if after.winner is not None:
                value = WON + deep
            else:
                state = self._state(after)
                if after.to_lead and not after.table and self._key(*state) in self.seen:
                    value = DRAWN
                else:
                    same = after.mover == mover
                    if every or not found:
                        value = self._under(search, state, deep, same, -_INFINITE, _INFINITE)
                    else:
                        value = self._under(search, state, deep, same, alpha, alpha + 1)
                        if value > alpha:
                            value = self._under(search, state, deep, same, value - 1, _INFINITE)
            found[move] = value
            alpha = max(alpha, value)
        return found

    def _under(
        self, search: _Node, state: tuple[int, int, int, int], deep: int, same: bool, alpha: int, beta: int
    ) -> int:
        me, other, top, mover = state
        held = self._sum(me) - self._sum(other)
        pile = self._sum(self.everything & ~(me | other))
        if same:
            return search(me, other, top, mover, deep, alpha, beta, held, pile)
        return -search(me, other, top, mover, deep, -beta, -alpha, held, pile)

    def _line(self, best: str, deep: int) -> tuple[str, ...]:
        """Returns the expected moves: the best ones in the tables."""
        line, position = [best], apply(self.position, best)
        while position.winner is None and deep > 1:
            entry = self.tables[deep].get(self._key(*self._state(position)))
            if entry is None:
                break
            move = self._named(entry[2])
            line.append(move)
            position, deep = apply(position, move), deep - 1
        return tuple(line)

    def _named(self, move: int) -> str:
        return PICK_UP if move == self.none else self.pack.cards[move]

    def _searcher(self, nodes: int) -> _Node:
        """Returns the recursive search function, which raises _Spent after so many more nodes."""
        is_default = self.position.form == DEFAULT_FORM
        searcher = self._default_form_search if is_default else self._other_forms_search
        return searcher(self.nodes + nodes)

    def _judge(self) -> Callable[[int, int, int, int, int, int], int]:
        """Returns ``evaluation.evaluate`` on bits, for the form of the position."""
        own, better, everything = self.pack.column[:2], self.better, self.everything
        leading, beating, none = self.weights.leading, self.weights.beating, self.none
        picker_leads = self.position.form.after_pickup == "picker"

        def judge(me: int, other: int, top: int, mover: int, held: int, pile: int) -> int:
            stuck = not me & better[mover][top] and top != none
            if stuck:
                me, held = everything & ~other, held + pile
            mine, theirs = (me, other) if mover == 0 else (other, me)
            phase = (1 if mine & own[0] else 0) + (2 if theirs & own[1] else 0)
            value = (held + _BIAS >> _WIDTH * phase & _MASK) - _HALF
            if top == none or stuck and picker_leads:
                return value + leading[mover][phase][me.bit_count()]
            if stuck:
                return value - leading[1 - mover][phase][other.bit_count()]
            return value + beating[mover][phase][me.bit_count()][other.bit_count()]

        return judge

    def _moves(self, me: int, top: int, mover: int, first: int) -> list[int]:
        """Returns the moves in the order to try them; ``first`` is one of them or -1."""
        legal = me & self.better[mover][top]
        if self.plain:
            moves = self._low_first(legal)
            pick_up = [] if top == self.none else [self.none]
            return [*pick_up, *moves] if self.plain == "pick" else [*reversed(moves), *pick_up]
        trumps = legal & self.pack.column[mover]
        moves = self._low_first(legal ^ trumps)
        if top != self.none:
            moves.append(self.none)
        moves += self._low_first(trumps)
        if first >= 0:
            moves.remove(first)
            moves.insert(0, first)
        return moves

    @staticmethod
    def _low_first(cards: int) -> list[int]:
        moves = []
        while cards:
            card = cards & -cards
            cards ^= card
            moves.append(card.bit_length() - 1)
        return moves

    def _default_form_search(self, limit: int) -> _Node:
        """Returns the search of the default form: a better card ends the turn, a pick-up gives the lead.

        It is one long function with local copies of everything it uses, because calls and attribute access
        dominate the time of a node.
        """
        better, packed, everything, none = self.better, self.packed, self.everything, self.none
        own, leading = self.pack.column[:2], self.weights.leading
        beating, judge, seen, tables = self.weights.beating, self._judge(), self.seen, self.tables
        remembers, order, twice = not self.plain, self._moves, self.twice

        def node(
            me: int, other: int, top: int, mover: int, left: int, alpha: int, beta: int, held: int, pile: int
        ) -> int:
            self.nodes += 1
            if left == 0:
                return judge(me, other, top, mover, held, pile)
            if self.nodes > limit:
                raise _Spent
            rival = 1 - mover
            if left == 1:
                best = -_INFINITE
                answers, flag = better[rival], 1 << mover
                theirs = 1 << rival if other & own[rival] else 0
                trumps = own[mover]
                size, others = me.bit_count() - 1, other.bit_count()
                beats, leads = beating[rival], leading[mover]
                cards = me & better[mover][top]
                count = 0
                while cards:
                    card = cards & -cards
                    cards ^= card
                    rest = me ^ card
                    if not rest:
                        best = WON
                        break
                    count += 1
                    number = card.bit_length() - 1
                    if other & answers[number]:
                        phase = theirs | flag if rest & trumps else theirs
                        value = (
                            (held - packed[number] + _BIAS >> _WIDTH * phase & _MASK)
                            - _HALF
                            - beats[phase][others][size]
                        )
                    else:
                        phase = flag if rest & trumps else 0
                        if everything & ~rest & own[rival]:
                            phase |= 1 << rival
                        value = (
                            (held - packed[number] - pile - packed[number] + _BIAS >> _WIDTH * phase & _MASK)
                            - _HALF
                            + leads[phase][size]
                        )
                    if value > best:
                        best = value
                        if value >= beta:
                            break
                if top != none and best < beta:
                    count += 1
                    mine = everything & ~other
                    if seen and (other << none | mine) << 7 | none << 1 | rival in seen:
                        value = DRAWN
                    else:
                        phase = (theirs | flag) if mine & trumps else theirs
                        value = (
                            (held + pile + _BIAS >> _WIDTH * phase & _MASK)
                            - _HALF
                            - leading[rival][phase][others]
                        )
                    if value > best:
                        best = value
                self.nodes += count
                return best
            key = (me << none | other) << 7 | top << 1 | mover
            if key in twice:
                return DRAWN
            first = -1
            if remembers:
                entry = tables[left].get(key)
                if entry:
                    value, bound, first = entry
                    if bound == _EXACT or (value >= beta if bound == _AT_LEAST else value <= alpha):
                        return value
                else:
                    entry = tables[left - 2].get(key)
                    if entry:
                        first = entry[2]
            floor, best, chosen = alpha, -_INFINITE, -1
            for move in order(me, top, mover, first):
                if move == none:
                    mine = everything & ~other
                    if (other << none | mine) << 7 | none << 1 | rival in seen:
                        value = DRAWN
                    else:
                        value = -node(other, mine, none, rival, left - 1, -beta, -alpha, -held - pile, 0)
                else:
                    rest = me ^ 1 << move
                    if not rest:
                        value = WON + left - 1
                    else:
                        worth = packed[move]
                        window = -beta if best == -_INFINITE else -alpha - 1
                        value = -node(
                            other, rest, move, rival, left - 1, window, -alpha, worth - held, pile + worth
                        )
                        if alpha < value < beta and window > -beta:
                            value = -node(
                                other, rest, move, rival, left - 1, -beta, -value, worth - held, pile + worth
                            )
                if value > best:
                    best, chosen = value, move
                    if value > alpha:
                        alpha = value
                        if value >= beta:
                            break
            if remembers:
                bound = _AT_LEAST if best >= beta else _AT_MOST if best <= floor else _EXACT
                tables[left][key] = best, bound, chosen
            return best

        return node

    def _other_forms_search(self, limit: int) -> _Node:
        """Returns the search of the other forms: a player who has beaten a card leads on top of it."""
        judge, packed, everything, none = self._judge(), self.packed, self.everything, self.none
        picker_leads = self.position.form.after_pickup == "picker"

        def node(
            me: int, other: int, top: int, mover: int, left: int, alpha: int, beta: int, held: int, pile: int
        ) -> int:
            self.nodes += 1
            if left == 0:
                return judge(me, other, top, mover, held, pile)
            if self.nodes > limit:
                raise _Spent
            key = self._key(me, other, top, mover)
            if left > 1 and key in self.twice:
                return DRAWN
            first = -1
            if not self.plain:
                entry = self.tables[left].get(key)
                if entry:
                    value, bound, first = entry
                    if bound == _EXACT or (value >= beta if bound == _AT_LEAST else value <= alpha):
                        return value
                else:
                    first = self.tables[max(0, left - 2)].get(key, (0, 0, -1))[2]
            floor, best, chosen = alpha, -_INFINITE, -1
            for move in self._moves(me, top, mover, first):
                if move == none:
                    mine, worth = everything & ~other, held + pile
                    leader = mover if picker_leads else 1 - mover
                    hands = (mine, other) if picker_leads else (other, mine)
                    if self._key(*hands, none, leader) in self.seen:
                        value = DRAWN
                    elif picker_leads:
                        value = node(mine, other, none, mover, left - 1, alpha, beta, worth, 0)
                    else:
                        value = -node(other, mine, none, leader, left - 1, -beta, -alpha, -worth, 0)
                else:
                    rest, worth = me ^ 1 << move, packed[move]
                    after, lies = held - worth, pile + worth
                    if not rest:
                        value = WON + left - 1
                    elif top != none:
                        value = node(rest, other, none, mover, left - 1, alpha, beta, after, lies)
                    else:
                        value = -node(other, rest, move, 1 - mover, left - 1, -beta, -alpha, -after, lies)
                if value > best:
                    best, chosen = value, move
                    alpha = max(alpha, value)
                    if value >= beta:
                        break
            if not self.plain:
                bound = _AT_LEAST if best >= beta else _AT_MOST if best <= floor else _EXACT
                self.tables[left][key] = best, bound, chosen
            return best

        return node
