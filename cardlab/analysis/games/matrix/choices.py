"""Builds the table of choices of the matrix game: a row for each turn and participant, ready for models.

Payoffs are those of the turn, indexed by the participant's own column and then the other's, each from its
player's view. Later turns are ignored, unless ``look_ahead`` adds their value (``later_turns``).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cardlab.analysis.folding import history
from cardlab.analysis.games.matrix import later_turns
from cardlab.analysis.source_hand import SourceHand
from cardlab.games.columns import Integer, Number, YesNo
from cardlab.games.events import PERSON
from cardlab.games.hand import History
from cardlab.games.matrix import measures, rules, two_by_two
from cardlab.games.matrix.packs import COLUMNS as SIDES
from cardlab.games.matrix.state import Turn
from cardlab.games.tables import HAND_COLUMNS, PARTICIPANT_ID_COLUMNS, guard_formula

APPS = ("matrix_game_app",)

_CELLS = ("LL", "LR", "RL", "RR")
_IDENTITY = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "treatment", "participant_code", "participant_label")
    },
    **{name: HAND_COLUMNS[name] for name in ("hand", "hand_id", "seat", "practice")},
}
COLUMNS = {
    **_IDENTITY,
    "partner": "participant code of the other player; the name of a robot",
    "turn": measures.TURN_COLUMNS["turn"],
    "look_ahead": Integer("later turns whose expected points are added to the payoffs; 0 for none"),
    **{f"own_{cell}": Number("own payoff in this cell: own column before the other's") for cell in _CELLS},
    **{f"other_{cell}": Number("the other's payoff in the same cell") for cell in _CELLS},
    "choice": "own column: `left` or `right`",
    "other_choice": "the other's column",
    "free": YesNo("1 if the participant held cards of both columns, else 0"),
    "by": "who played, as in the table of turns; only the choices of a `person` are the participant's",
    "belief_left": Number(
        "belief that the other plays left, from the other's earlier columns in the hand: "
        "(1 + left) / (2 + all)"
    ),
    "best_to_other": YesNo("1 if the column was a best response to the other's actual column"),
    "best_to_uniform": YesNo("1 if it was a best response to equally likely columns"),
    "best_to_belief": YesNo("1 if it was a best response to `belief_left`"),
    "previous_choice": "own column in the pair's previous turn of the hand; empty in the first",
    "previous_other_choice": "the other's column in that turn",
    "previous_collected": Integer("own points in that turn"),
    "response_ms": measures.TURN_COLUMNS["first_response_ms"],
}


def build_rows(hands: Iterable[SourceHand], look_aheads: Sequence[int] = (0,)) -> Iterator[dict[str, Any]]:
    """Yields the rows in the order of the hands, seats, ``look_aheads`` and turns.

    Raises BadFile for another game.
    """
    for hand in hands:
        hand.check_app(APPS)
        hand_history = history(hand, rules)
        for seat in hand_history.hand.seats:
            if hand.participant_cells(seat)["participant_code"]:
                for look_ahead in look_aheads:
                    yield from _seat_rows(hand, hand_history, seat, look_ahead)


def _seat_rows(
    hand: SourceHand, hand_history: History, seat: str, look_ahead: int
) -> Iterator[dict[str, Any]]:
    state = hand_history.hand.state
    partner = measures.pair_partner(state, seat)
    cells = {**hand.cells, **hand.participant_cells(seat)}
    identity: dict[str, Any] = {name: cells.get(name, "") for name in _IDENTITY}
    identity |= {
        "hand": hand.number,
        "seat": seat,
        "participant_label": guard_formula(identity["participant_label"]),
        "partner": hand_history.hand.robots.get(partner)
        or hand.participant_cells(partner)["participant_code"],
        "look_ahead": look_ahead,
    }
    acts = {act.decides: act for act in measures.find_acts(hand_history)}
    before = later_turns.states_before_turns(hand_history) if look_ahead else {}
    earlier: list[dict[str, Any]] = []
    for turn in state.turns:
        if seat in turn.pair:
            act = acts[turn.number, seat, True]
            later = None
            if look_ahead:
                later = later_turns.find_later_points(before[turn.number], turn, seat, look_ahead)
            values = _turn_cells(turn, seat, state.options, earlier, later)
            response = act.response_ms if act.by == PERSON and act.response_ms is not None else ""
            row = {**identity, **values, "by": act.by, "response_ms": response}
            earlier.append(row)
            yield row


def _turn_cells(
    turn: Turn,
    seat: str,
    options: dict[str, Any],
    earlier: Sequence[dict[str, Any]],
    later: tuple[later_turns.Points, later_turns.Points] | None,
) -> dict[str, Any]:
    place = turn.pair.index(seat)
    game, columns = measures.turn_game(turn, options), measures.chosen_columns(turn)
    points = two_by_two.own_payoffs(game, measures.PLAYERS[place])
    others_points = two_by_two.own_payoffs(game, measures.PLAYERS[1 - place])
    own: Any = points
    others: Any = [[line[i] for line in others_points] for i in (0, 1)]  # also indexed by own column first
    if later:
        own, others = (_add(payoffs, more) for payoffs, more in zip((own, others), later))
    choice, other_choice = columns[place], columns[1 - place]
    left = [row["other_choice"] for row in earlier].count(SIDES[0])
    belief = (1 + left) / (2 + len(earlier))
    previous = earlier[-1] if earlier else {}
    return {
        "turn": turn.number,
        **{f"own_{name}": own[i][j] for name, (i, j) in zip(_CELLS, _PLACES)},
        **{f"other_{name}": others[i][j] for name, (i, j) in zip(_CELLS, _PLACES)},
        "choice": SIDES[choice],
        "other_choice": SIDES[other_choice],
        "free": int(turn.free[place]),
        "belief_left": round(belief, 6),
        "best_to_other": int(_is_best(own, choice, 1 - other_choice)),
        "best_to_uniform": int(_is_best(own, choice, 1 / 2)),
        "best_to_belief": int(_is_best(own, choice, belief)),
        "previous_choice": previous.get("choice", ""),
        "previous_other_choice": previous.get("other_choice", ""),
        "previous_collected": previous.get("_collected", ""),
        "_collected": points[choice][other_choice],
    }


def _add(payoffs: Sequence[Sequence[float]], later: later_turns.Points) -> later_turns.Points:
    return [[round(payoffs[i][j] + later[i][j], 6) for j in (0, 1)] for i in (0, 1)]


_PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))


def _is_best(own: Sequence[Sequence[float]], choice: int, belief_left: float) -> bool:
    means = [belief_left * line[0] + (1 - belief_left) * line[1] for line in own]
    return means[choice] >= max(means) - 2e-6  # the payoffs are rounded
