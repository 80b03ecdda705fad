"""Lists every action of Solitario and every setting of a hand."""

from hypothesis import strategies as st

from cardlab.games.contract import IllegalAction
from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS

COLUMNS, PLACES, SUITS = range(1, 8), range(1, 5), "sbcdSCHD"
PLAIN = [
    *("draw", "turn"),
    *(f"up {n}" for n in COLUMNS),
    *(f"home {source}" for source in (*COLUMNS, "w")),
    *(f"move {a} {b} {k}" for a in COLUMNS for b in COLUMNS for k in range(1, 15)),
    *(f"move w {b}" for b in COLUMNS),
    *(f"back {suit} {b}" for suit in SUITS for b in COLUMNS),
]  # the moves of cards, each once
PLACED = [f"home {source} {place}" for source in (*COLUMNS, "w", *SUITS) for place in PLACES]
FINISHES = [f"finish {n}" for n in COLUMNS]
PICKS = [f"pick {n} {k}" for n in COLUMNS for k in range(1, 15)] + [f"pick {pile}" for pile in ("w", *SUITS)]
JUNK = [
    *(
        "",
        "Draw",
        "draw ",
        "draw 3",
        "up",
        "up 0",
        "up 8",
        "home",
        "home 8",
        "home w w",
        "home 3 5",
        "home d",
    ),
    *("move 3 5", "move 3 5 0", "move 3 5 15", "move w 5 1", "move 3 w", "back D", "back d 8", "back x 3"),
    *(
        "give  up",
        "pick",
        "pick 3",
        "pick w 1",
        "undo 2",
        "redo",
        "1s",
        "end solved",
        "end gave_up",
        "♥",
        "é",
    ),
]
options = st.fixed_dictionaries({name: st.sampled_from(allowed) for name, allowed in ALLOWED_OPTIONS.items()})


def attempt(state, action, seat=rules.SEAT):
    """Returns the state after the action and no reason, or the same state and the reason of the refusal."""
    try:
        return rules.apply(state, seat, action), None
    except IllegalAction as refused:
        return state, str(refused)
