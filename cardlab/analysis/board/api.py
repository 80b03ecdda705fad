"""Answers the requests of the board's page with JSON values, or with a sentence that states the error."""

import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cardlab.analysis.board.starts import Start, read_deals, read_starts, without_robots
from cardlab.analysis.board.tree import Node, Tree
from cardlab.analysis.board.values import Answer, Evaluator, Question
from cardlab.analysis.cli import format_count
from cardlab.analysis.games import module
from cardlab.analysis.replay.steps import describe_state, outcome_by_rules
from cardlab.analysis.source_hand import RecordedHand
from cardlab.games.contract import BadFile, IllegalAction
from cardlab.games.registry import games_by_name

Json = dict[str, Any]
MAX_HANDS = 100_000  # open at a time

_MISSING = "The request has no valid {name}."


class RequestError(Exception):
    """A request cannot be answered. The text is a sentence."""


class Board:
    """The open hands, and the values of their positions.

    ``answers`` has the methods for requests that read, ``changes`` those for requests that change something.
    """

    def __init__(self, starts: Sequence[Start], evaluator: Evaluator) -> None:
        self._starts = list(starts)
        self._evaluator = evaluator
        self._trees: dict[int, Tree] = {}
        self._lock = threading.RLock()
        self.answers: dict[str, Callable[[Mapping[str, Any]], Json]] = {
            "hands": self.hands,
            "hand": self.hand,
            "node": self.node,
            "views": self.views,
            "values": self.values,
        }
        self.changes: dict[str, Callable[[Mapping[str, Any]], Json]] = {
            "play": self.play,
            "set-up": self.set_up,
            "load": self.load,
        }

    def answer(self, name: str, request: Mapping[str, Any], changes: bool) -> Json:
        """Answers a request by its name. Raises RequestError."""
        cached_answers = self.changes if changes else self.answers
        if name not in cached_answers:
            raise RequestError(f"There is no request {name!r} here.")
        with self._lock:
            return cached_answers[name](request)

    # Requests that read.

    def hands(self, _request: Mapping[str, Any]) -> Json:
        """Returns the titles of all open hands."""
        titles = {name: game.title for name, game in games_by_name().items()}
        return {"hands": [{"title": start.title, "game": titles[start.game]} for start in self._starts]}

    def hand(self, request: Mapping[str, Any]) -> Json:
        """Returns a hand with all its positions."""
        index, tree = self._tree(request)
        start, rules = tree.start, tree.game.rules
        seats = list(rules.seats(tree.nodes[0].state))
        return {
            "hand": index,
            "title": start.title,
            "game": tree.game.name,
            "game_title": tree.game.title,
            "seats": seats,
            "seat": start.seat if start.seat in seats else seats[0],
            "deal": start.record.deal,
            "settings": start.record.options,
            "end": start.end,
            "notice": tree.notice,
            "has_open_view": hasattr(module(tree.game.name, "board"), "open_view"),
            "nodes": [_describe_node(node) for node in tree.nodes],
        }

    def node(self, request: Mapping[str, Any]) -> Json:
        """Returns a position: the view of each seat, the hidden facts, and the legal actions."""
        _index, tree = self._tree(request)
        node = self._node(tree, request)
        rules, state = tree.game.rules, node.state
        board_module = module(tree.game.name, "board")
        deal_of, open_view = getattr(board_module, "deal_of", None), getattr(board_module, "open_view", None)
        facts = getattr(board_module, "facts", describe_state)
        seats = rules.seats(state)
        return {
            "node": node.number,
            "views": {seat: rules.view(state, seat) for seat in seats},
            "open_views": {seat: open_view(state, seat) for seat in seats} if open_view else {},
            "known": facts(state),
            "waiting": list(rules.waiting_for(state)),
            "legal": {seat: rules.legal_actions(state, seat) for seat in tree.seats_to_act(node)},
            "over": {seat: outcome_by_rules(rules, state, seat) for seat in seats},
            "scores": {seat: rules.result(state, seat, 0).score for seat in seats},
            "deal": deal_of(state) if deal_of else None,
        }

    def views(self, request: Mapping[str, Any]) -> Json:
        """Returns the views of a seat from the deal up to the position before this one."""
        _index, tree = self._tree(request)
        node, seat = self._node(tree, request), str(request.get("seat"))
        rules = tree.game.rules
        if seat not in rules.seats(node.state):
            raise RequestError(_MISSING.format(name="seat"))
        return {"views": [rules.view(path_node.state, seat) for path_node in node.path()[:-1]]}

    def values(self, request: Mapping[str, Any]) -> Json:
        """Requests the values of a position, and returns those computed so far."""
        index, tree = self._tree(request)
        node = self._node(tree, request)
        key, seats = (index, node.number), tree.game.rules.waiting_for(node.state)
        record = tree.start.record
        question = Question(tree.game.name, record.deal, record.options, node.acts(), tuple(seats))
        if seats and (request.get("first") or self._evaluator.answer(key) is None):
            self._evaluator.ask(key, question)
        return _describe_answer(self._evaluator.answer(key) or Answer("done"))

    # Requests that change something.

    def play(self, request: Mapping[str, Any]) -> Json:
        """Plays an action at a position, and returns the position after it and all new positions."""
        _index, tree = self._tree(request)
        node, seat, action = self._node(tree, request), _text(request, "seat"), _text(request, "action")
        old_count = len(tree.nodes)
        try:
            new_node = tree.play(node.number, seat, action)
        except IllegalAction as error:
            raise RequestError(error.sentence) from None
        return {
            "node": new_node.number,
            "nodes": [_describe_node(added_node) for added_node in tree.nodes[old_count:]],
        }

    def set_up(self, request: Mapping[str, Any]) -> Json:
        """Opens a deal with the settings of a hand, and returns its number."""
        _index, tree = self._tree(request)
        deal = _text(request, "deal").strip()
        record = RecordedHand(deal, without_robots(tree.start.record.options), ())
        try:
            return self._open([Start("position set up", tree.game.name, record)])
        except ValueError as error:
            raise RequestError(str(error)) from None

    def load(self, request: Mapping[str, Any]) -> Json:
        """Opens the hands of a file or a deal. The page sends the text with the file's name."""
        name, text = Path(_text(request, "name")).name or "file", _text(request, "text")
        warnings: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text, "utf-8")
            try:
                if "\n" in text.strip() or "|" not in text:
                    starts = read_starts([str(path)], None, {}, warnings.append)
                else:
                    starts = read_deals(text.strip(), "deal", None, {})
                return {**self._open(starts), "warnings": warnings}
            except (BadFile, ValueError) as error:
                raise RequestError(str(error).replace(f"{path}", name)) from None

    def _open(self, starts: Sequence[Start]) -> Json:
        """Adds hands and returns the number of the first. Raises ValueError if it cannot be dealt."""
        if len(self._starts) + len(starts) > MAX_HANDS:
            raise RequestError(f"No more than {format_count(MAX_HANDS, 'hand')} can be open. Start again.")
        index = len(self._starts)
        self._trees[index] = Tree(starts[0])
        self._starts += starts
        return {"hand": index}

    # Parameters of a request.

    def _tree(self, request: Mapping[str, Any]) -> tuple[int, Tree]:
        index = _number(request, "hand", len(self._starts))
        if index not in self._trees:
            try:
                self._trees[index] = Tree(self._starts[index])
            except ValueError as error:
                raise RequestError(f"This hand cannot be dealt: {error}") from None
        return index, self._trees[index]

    def _node(self, tree: Tree, request: Mapping[str, Any]) -> Node:
        return tree.nodes[_number(request, "node", len(tree.nodes))]


def _number(request: Mapping[str, Any], name: str, count: int) -> int:
    try:
        number = int(request[name])
    except (KeyError, TypeError, ValueError):
        raise RequestError(_MISSING.format(name=name)) from None
    if not 0 <= number < count:
        raise RequestError(f"There is no {name} {number}.")
    return number


def _text(request: Mapping[str, Any], name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str):
        raise RequestError(_MISSING.format(name=name))
    return value


def _describe_node(node: Node) -> Json:
    parent, act = node.parent, node.act
    return {
        "parent": parent.number if parent else None,
        "seat": act.seat if act else "",
        "action": act.action if act else "",
        "by_server": bool(act and act.by_server),
        "main": node.is_main,
    }


def _describe_answer(answer: Answer) -> Json:
    return {
        "status": answer.status,
        "problem": answer.problem,
        "values": {
            seat: [value._asdict() for value in values.values()] for seat, values in answer.values.items()
        },
        "best": {seat: line._asdict() for seat, line in answer.best.items()},
    }
