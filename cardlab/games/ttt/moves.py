"""Builds the table of moves of Target the Two: each move with the cards known to its player, and its cost.

Only the analysis makes it, because expected numbers of moves (``cardlab.games.ttt.belief``) take seconds to
compute.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from cardlab.games.cards import rank
from cardlab.games.columns import Integer, Number, UnixMs
from cardlab.games.events import ABSENT
from cardlab.games.hand import History
from cardlab.games.ttt import belief, board, measures, routes, rules
from cardlab.games.ttt.belief import Belief

MOVE_COLUMNS = {
    "move_number": Integer("number of the move in the hand, from 1"),
    "move": "the move: `U`, `C`, `N`, `T` or `P`",
    "keeper": "the keeper on turn, `ck` or `nk`; in the game for two, the seat",
    "by": "game for two: `person`, `absent` (the server) or the robot's name",
    "card": "the keeper's card before the move",
    "exchanged": "the card for which it was exchanged; empty for a pass",
    "latency_ms": Integer(
        "milliseconds since the previous move, or since first shown, by the participant's "
        "clock; in the game for two the length of the turn by the server's clock, empty "
        "unless a person moved"
    ),
    "server_ms": UnixMs("Unix time in milliseconds by the server's clock"),
    "looks": Integer("looks since the previous (own) move"),
    "pick_ups": Integer("pick-ups since then"),
    "refused": Integer("refused actions since then"),
    "visible": "cards face up to the player, in the order C Ck UP T N Nk; `-` for the others",
    "known": "cards known to a player who has looked at everything and forgets nothing",
    "expected_before": Number(
        "least expected number of moves by what was known before the move, including it"
    ),
    "expected_after": Number("least expected number of moves after it; 0 if it solved the hand"),
    "lost": Number("expected moves lost compared with the best move; empty if the server moved"),
    "extra_422": Number(
        "expected moves that this route would cost beyond the best play, before the move; empty if closed"
    ),
    "extra_442": Number(
        "expected moves that this route would cost beyond the best play, before the move; empty if closed"
    ),
    "target": "numbers of the cards in Target so far",
    "route_state": (
        "competing routes that are open after the move: `both`, `422`, `442` or `neither`; empty if they do "
        "not compete"
    ),
}


def moves_of(history: History) -> Iterator[dict[str, Any]]:
    """Yields the values of ``MOVE_COLUMNS`` for each move of a hand.

    If ViewCard has an unknown value, the cells that depend on it are empty.
    """
    state = history.dealt.state
    seats, beliefs = rules.seats(state), _initial_beliefs(state)
    looks = {seat: belief.looks_of(state.options, seat) for seat in seats}
    in_target = [state.layout[board.TARGET]]
    since: int | None = 0
    counts_by_seat = {seat: dict.fromkeys(_SINCE, 0) for seat in seats}
    for step in history.steps:
        state, event, state_after = step.before.state, step.event, step.after.state
        seat = event.seat
        if not measures.is_move(step):
            if seat in seats:
                counts_by_seat[seat]["refused"] += event.accepted is False
            if step.is_action:
                counts_by_seat[seat]["looks" if event.action.startswith("look ") else "pick_ups"] += 1
            continue
        move, keeper = event.action, board.KEEPER_PLACE[state.turn]
        routes_before = routes.open_routes(tuple(in_target), state.goal)
        if move == "T":
            in_target.append(state_after.layout[board.TARGET])
        if state.two:
            client_ms = measures.turn_ms(step)
        else:
            client_ms = None if event.client_ms is None or since is None else max(0, event.client_ms - since)
        cells = {
            "move_number": len(state_after.sequence),
            "move": move,
            "keeper": state.turn,
            "by": step.actor if state.two else "",
            "card": state.layout[keeper],
            "exchanged": "" if move == "P" else state.layout[board.MOVE_PLACE[move]],
            "latency_ms": "" if client_ms is None else client_ms,
            "server_ms": event.server_ms,
            **counts_by_seat[seat],
            "visible": _cards(rules.view(state, seat)["cards"].values()),
            "target": "".join(map(rank, in_target)),
            "route_state": _route_state(tuple(in_target), state.goal),
        }
        if beliefs:
            later = {
                belief_seat: belief.after_looking(
                    belief.after_move(own_belief, move), state_after.layout, looks[belief_seat]
                )
                for belief_seat, own_belief in beliefs.items()
            }
            cells |= {"known": _cards(beliefs[seat].layout)}
            cells |= _worth(beliefs[seat], move, later[seat], state.goal)
            cells |= {f"extra_{name}": _extra(name, beliefs[seat]) for name in routes_before}
            if step.actor == ABSENT:  # the server moved, so it was nobody's choice
                cells["lost"] = ""
            beliefs = later
        yield {name: cells.get(name, "") for name in MOVE_COLUMNS}
        since, counts_by_seat[seat] = event.client_ms, dict.fromkeys(_SINCE, 0)


_SINCE = ("looks", "pick_ups", "refused")  # counted between two moves


def _initial_beliefs(state: board.State) -> dict[str, Belief]:
    """Returns the belief of each seat after the deal; empty if ViewCard has an unknown value."""
    view_card = state.options["ViewCard"]
    if view_card not in belief.VIEWS:
        return {}
    return {
        seat: belief.after_deal(
            state.layout, state.turn, belief.view_of(view_card, seat), belief.looks_of(state.options, seat)
        )
        for seat in rules.seats(state)
    }


def _cards(cards: Any) -> str:
    return " ".join(card or "-" for card in cards)


@lru_cache(maxsize=65_536)
def _worth(belief_before: Belief, move: str, later: Belief, goal: str) -> dict[str, Any]:
    """Returns the cells about expected numbers of moves."""
    value_before, cost = belief.value(belief_before, goal), belief.cost(belief_before, goal, move)
    return {
        "expected_before": _round(value_before),
        "expected_after": _round(belief.value_after(later, goal, value_before + cost - 1)),
        "lost": _round(cost),
    }


@lru_cache(maxsize=65_536)
def _extra(name: str, known: Belief) -> float:
    return _round(routes.extra_moves(name, known))


def _round(moves: Any) -> float:
    return round(float(moves), 6)


def _route_state(in_target: tuple[str, ...], goal: str) -> str:
    if not routes.compete(in_target[0], goal):
        return ""
    still_open = routes.open_routes(in_target, goal)
    return "both" if len(still_open) == 2 else still_open[0] if still_open else "neither"
