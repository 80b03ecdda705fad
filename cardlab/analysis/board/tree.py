"""Stores the positions of a hand: the recorded line, and the branches that the user plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from cardlab.analysis.board.starts import Start
from cardlab.analysis.source_hand import PlayedAction
from cardlab.games.contract import IllegalAction
from cardlab.games.registry import Game, games_by_name

MAX_NODES = 20_000  # of a hand, to limit the memory
TOO_MANY = "This hand has too many branches. Open it again to go on."


@dataclass
class Node:
    """A position, the action that led to it from its parent, and the positions after it.

    ``is_main`` says that it is on the recorded line, or if there is none, on the line that was played first.
    """

    number: int
    parent: Node | None
    act: PlayedAction | None
    state: Any
    is_main: bool = False
    children: list[Node] = field(default_factory=list)

    def path(self) -> list[Node]:
        """Returns the positions from the deal to this one."""
        nodes: list[Node] = []
        node: Node | None = self
        while node:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def acts(self) -> tuple[PlayedAction, ...]:
        """Returns the actions from the deal to this position."""
        return tuple(node.act for node in self.path() if node.act)


class Tree:
    """The positions of a hand, by number. Number 0 is the deal.

    Actions that do not change the state, such as pick-ups, add no position. ``notice`` says why the record
    could not be played to its end, "" if it could.

    Raises:
        ValueError: If the hand cannot be dealt.
    """

    def __init__(self, start: Start) -> None:
        self.start = start
        self.game: Game = games_by_name()[start.game]
        self.notice = ""
        self.nodes = [Node(0, None, None, self._deal(), is_main=True)]
        node = self.nodes[0]
        for number, act in enumerate(start.record.actions, 1):
            try:
                state = self._after(node.state, act)
            except IllegalAction as error:
                self.notice = f"Action {number} of the record, {act.action}, is not allowed: {error.sentence}"
                return
            if state is not node.state:
                node = self._add(node, act, state, is_main=True)

    def _deal(self) -> Any:
        try:
            return self.game.rules.start(self.start.record.deal, self.start.record.options)
        except (TypeError, KeyError, AttributeError):
            raise ValueError("The settings of this hand differ from those that the game knows.") from None

    def _after(self, state: Any, act: PlayedAction) -> Any:
        next_state = self.game.rules.apply(state, act.seat, act.action)
        return self.game.rules.mark_played_by_server(next_state, act.seat) if act.by_server else next_state

    def _add(self, parent: Node, act: PlayedAction, state: Any, is_main: bool = False) -> Node:
        node = Node(len(self.nodes), parent, act, state, is_main)
        self.nodes.append(node)
        parent.children.append(node)
        return node

    def play(self, number: int, seat: str, action: str) -> Node:
        """Plays an action at a position and all forced actions after it, and returns the last position.

        An action that was played there before leads to the same position. Raises IllegalAction.
        """
        node = self._play(self.nodes[number], PlayedAction(seat, action))
        while (forced := self.game.rules.forced_action(node.state)) is not None:
            node = self._play(node, PlayedAction(self.game.rules.waiting_for(node.state)[0], forced))
        return node

    def _play(self, node: Node, act: PlayedAction) -> Node:
        for child in node.children:
            if child.act and child.act[:2] == act[:2]:
                return child
        if len(self.nodes) >= MAX_NODES:
            raise IllegalAction(TOO_MANY)
        state = self.game.rules.apply(node.state, act.seat, act.action)
        is_first = node.is_main and not node.children and not self.start.record.actions
        return node if state is node.state else self._add(node, act, state, is_main=is_first)

    def seats_to_act(self, node: Node) -> Iterator[str]:
        """Yields the seats with legal actions at a position."""
        for seat in self.game.rules.seats(node.state):
            if self.game.rules.legal_actions(node.state, seat):
                yield seat
