"""Hypothesis strategies for hands of Target the Two under every setting, as the server meets them."""

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from games.record import Opening
from games.ttt import rules

hypothesis_settings.register_profile("unhurried", deadline=None)  # a busy machine is no failure
hypothesis_settings.load_profile("unhurried")

PACK = ["2H", "3H", "4H", "2C", "3C", "4C"]
LOOKS = ["look ck", "look nk"]
JUNK = ["u", "TT", "look up", "pick x", " P", "undo", "end solved", "end", "reconnect", "deal", "♥", "=1+1"]

options = st.fixed_dictionaries(
    {
        "MaxRounds": st.integers(1, 20),
        "ViewCard": st.sampled_from(["all", "mix", "none"]),
        "ViewCkNk": st.booleans(),
        "DragCkNk": st.booleans(),
        "ViewTarget": st.booleans(),
        "CardsBackFile": st.just("dorso1"),
        "pay_by": st.sampled_from(["moves", "time"]),
        "time_scale_seconds": st.sampled_from([1, 60]),
    }
)
actions = st.sampled_from([*"UCNTP", *"UCNTP", *LOOKS, *LOOKS, *rules.PICKS, *JUNK])
milliseconds = st.integers(0, 100_000)
traces = st.lists(st.tuples(actions, milliseconds), max_size=3).map(tuple)


@st.composite
def deals(draw):
    layout = draw(st.permutations(PACK))
    goal = draw(st.sampled_from([card for card in PACK if card != layout[3]]))
    return f"{' '.join(layout)} | {goal} | {draw(st.sampled_from(['ck', 'nk']))}"


openings = st.builds(Opening, deal=deals(), options=options)
