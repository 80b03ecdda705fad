"""Provides what the shared tests need to know of Solitario (``tests/harnesses.py``)."""

import json
import random
import re

from harnesses import Hidden
from hypothesis import strategies as st
from random_play import CREATED_MS, WORDS, Played, Table
from synthetic_actions import SCRIPT_INJECTION, hand_rows

from cardlab.games.record import Opening
from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS, Deal, format_deal, parse_deal
from cardlab.games.solitario.packs import PACKS, card_name
from cardlab.games.solitario.solver import solve, with_clicks
from cardlab.games.solitario.strategies import state_from_view
from tests.games.solitario.grammar import JUNK, PICKS, PLACED, PLAIN, options

CONFIG, PEOPLE = "solitario_briscola", 1
FIELDS = {"check": False, "hands": 20}
ASKED = {"pack": "briscola"}
ANSWERS = {
    "which_card": ("4b", "5c"),
    "empty_column": ("king", "no"),
    "next_home": ("4s", "5c"),
    "turn_over": ("points", "often"),
}

TRACES = ("pick w", "pick 3 1")
LONG = 40  # moves after which a hand that is played at random may be given up: it would never end


def seat(_view):
    return rules.SEAT


def moves(view):
    """Returns the legal moves at the visible table; no ace goes to a column under any setting."""
    seen = state_from_view(view)
    if seen.solved or view["last"] == rules.GIVE_UP:
        return []
    undo = [rules.UNDO] if view["may_undo"] else []
    return [*rules.legal_moves(seen), *undo, *([rules.GIVE_UP] if view["moves"] >= LONG else [])]


# Random hands.

sent = st.one_of(
    st.sampled_from([*rules.EXAMPLES[:-5], rules.UNDO, *JUNK]), st.sampled_from([*PLAIN, *PLACED, *PICKS])
)
openings = st.builds(
    lambda seed, chosen: Opening(rules.deal(seed, chosen), chosen, source="deals.txt"), st.text(), options
)


# Hidden cards: those face down. A card seen there earlier may be known but is not shown again.


def _revealing(seed, actions, **options):
    return Opening(rules.deal(seed, options), options), actions


REVEALING = [
    _revealing("revealing 0", ["draw", "undo", "move 4 1 1", "up 4", "undo", "undo", "draw"], undo=True),
    _revealing(
        "revealing 0", ["home 7", "undo", "draw", "undo"], pack="tarocco", draw=3, turn_up="auto", undo=True
    ),
]
# In data, a card is quoted or stands between spaces or bars; elsewhere, 1s may mean a second. The keys of a
# page's dictionary of card names do not count as cards of the table.
NAME = r"(?:(?<=[\"'\s;|])|^)(?:(?:10|[1-9VCDR])[sbcd]|(?:10|[2-9AJQK])[SCHD])(?=[\"'\s&|,]|$)"
CARD = re.compile(rf"{NAME}(?!(?:\"|&quot;):)")
SPOKEN = {str(card_name(card)): card for pack in PACKS.values() for card in pack.cards}


def named(message):
    """Returns the cards in the data and in the sentence of a refusal, except the card that a foundation needs
    next, which anybody can deduce."""
    spoken = re.sub(r"\. The .* must go first\.", "", message.get("refused", ""))
    visible = {card for name, card in SPOKEN.items() if f"The {name} " in spoken or f" the {name}." in spoken}
    return visible | set(re.findall(NAME, json.dumps({**message, "refused": ""}, ensure_ascii=False)))


def unseen(state, _seat, _done):
    """Returns the face-down cards and the waste cards beneath the last drawn ones."""
    down = {card for column in state.columns for card in column.down}
    return down | {*state.stock, *state.waste[: -state.options["draw"]]}


SETTINGS = [{"undo": True}, {"pack": "tarocco", "draw": 3, "turn_up": "auto"}]


def parted(seed, drawn, **options):
    """Returns two deals that differ in every face-down card except the first ones that are drawn."""
    deal = parse_deal(rules.deal(seed, options), PACKS[options["pack"]])
    known, beneath = deal.stock[:drawn], deal.stock[drawn:]
    pool = [card for cards in deal.columns for card in cards[:-1]] + list(beneath)
    other = iter([*pool[1:], pool[0]])
    columns = tuple((*(next(other) for _card in cards[:-1]), cards[-1]) for cards in deal.columns)
    return format_deal(deal), format_deal(Deal(columns, (*known, *other)))


def hidden(drawn, actions, refused, debug=False, **options):
    """Returns a case in which these actions uncover nothing, and draw so many cards."""

    def play(table):
        tab = table.tab(rules.SEAT)
        for action in actions:
            tab.act(action, traces=[["pick 7 1", 1]])
        for action in refused:
            tab.refused(action)

    deals = parted(HIDDEN_SEEDS[options["pack"]], drawn, **options)
    return Hidden(
        CONFIG,
        tuple(f"{deal}\n" * 2 for deal in deals),
        {"deal_file": "hidden.txt", "hands": 2, **options},
        play,
        leave=False,  # the results contain seconds, which differ between sessions
        untold=tuple(deal.rsplit("|", 1)[1][3 * drawn + 1 :] for deal in deals),
        debug=debug,
    )


HIDDEN_SEEDS = {"briscola": "hidden order 18", "tarocco": "hidden order 25"}
HIDDEN = {
    "one at a time": hidden(
        6,
        [*["draw"] * 3, "home w", *["draw"] * 2, "move w 5", "draw", "move w 4", "home 4", "move 5 6 1"]
        + ["back d 4"],
        ["turn", "up 3", "undo", "home 7", "home w", "move 7 1 7", "move w 7", "back d 7"],
        pack="briscola",
        debug=True,
    ),
    "three at a time": hidden(
        9,
        ["home 1", "draw", "move w 2", "draw", "undo", "draw", "home w", "move w 1", "move 2 6 1", "draw"]
        + ["home w", "move w 6", "undo"],
        ["turn", "up 3", "home 5", "home 7", "move 7 1 7", "move w 5"],
        **{"pack": "tarocco", "draw": 3, "turn_up": "auto", "undo": True},
    ),
}


# Input of the tests of the analysis.

SIMULATED = {
    "": {"mix": "random:1,greedy:1", "hands": 2},
    "solved": {"strategy": "solver", "hands": 1, "settings": {"which_deals": "solvable"}},
    "tarocco by threes": {
        "strategy": "careful",
        "hands": 1,
        "settings": {"pack": "tarocco", "draw": "3", "turn_up": "auto", "undo": "true"},
    },
}
REPORTED = ["--mix", "greedy:1,solver:1", "--participants", "4", "--hands", "2"]


def replayed(number=1, seed=19):
    """Returns a hand of half a solution, with pick-ups, refusals and undone moves, that is given up."""
    chance = random.Random(seed)
    options = {"pack": "briscola", "draw": 3, "ace_on_two": False, "turn_up": "click", "undo": True}
    deal = rules.deal(f"replayed {seed}", options)
    state, ms, done = rules.start(deal, options), 0, []

    def do(action):
        nonlocal state, ms
        ms += chance.choice([800, 2500])
        done.append((ms, rules.SEAT, action))
        state = rules.apply(state, rules.SEAT, action)

    line = solve(state.position, PACKS["briscola"], draw=3).line
    for step, action in enumerate(with_clicks(line, state.position)[:45]):
        if step % 12 == 1:
            done += [
                (ms, rules.SEAT, SCRIPT_INJECTION),
                (ms, rules.SEAT, "home 1 5"),
                (ms, rules.SEAT, "reconnect"),
            ]
        aces = [suit for suit in state.foundations if suit and state.home_of(suit) == 1]
        ways = [f"home {suit} 4" for suit in aces if not state.foundations[3]]
        ways += [move for move in rules.legal_moves(state) if move.startswith(("back", "move"))]
        if step % 8 == 3 and ways:
            do("pick w")
            do(ways[0])
            do(rules.UNDO)
        do(action)
    do(rules.GIVE_UP)
    return hand_rows("solitario", deal, options, done, number)


# Deals that the solver decides quickly at any point of play.
DECIDED = {"briscola": (10, 80, 114), "tarocco": (63, 89, 125), "french": (8, 89, 141)}


def rounds(seed):
    """Returns a session of few hands; only the last hand of each participant may stay open."""
    people, count = 1 + seed % 2, 1 + seed // 2 % 2
    return [
        [
            Played(random_hand(100 * seed + 10 * n + who, n == count - 1), {rules.SEAT: who})
            for who in range(1, people + 1)
        ]
        for n in range(count)
    ]


def random_hand(seed, last):
    """Returns a random hand with refusals, pick-ups and reconnects, which may stay open if it is the last."""
    chance = random.Random(seed)
    options = {name: chance.choice(allowed) for name, allowed in ALLOWED_OPTIONS.items()}
    practice = chance.random() < 0.2
    deal = rules.deal(f"random {chance.choice(DECIDED[options['pack']])}", options)
    opening = Opening(deal, options, 1, 2, 3, practice, "random.txt", "0" * 64)
    shown = None if chance.random() < 0.1 else CREATED_MS + chance.randint(100, 100_000)
    table, wrong = Table(rules, opening, shown, chance), chance.choice([0, 0.3])
    for _move in range(chance.choice([0, 5, 40]) if shown else 0):
        table.now += chance.randint(0, 4_000)
        if chance.random() < wrong:
            aside(table)
        table.send_action(
            rules.SEAT, chance.choice(list(rules.legal_moves(table.hand.state)) or [rules.GIVE_UP])
        )
        if table.hand.is_over:
            break
    table.now += chance.randint(0, 3_000)
    if shown and not table.hand.is_over and chance.random() < 0.3:
        table.send_action(rules.SEAT, rules.GIVE_UP)
    if not shown or not last or chance.random() < 0.5:
        table.close(chance.choice(["timeout", "gave_up", "advanced"]))
    return table.record


def aside(table):
    what = table.chance.randrange(4)
    if what == 0:
        table.note(rules.SEAT, "reconnect")
    elif what == 1:
        table.send_action(rules.SEAT, table.chance.choice([*WORDS, rules.UNDO, *PICKS]))
    else:
        table.send_action(rules.SEAT, table.chance.choice([*PLAIN, *PLACED]), table.chance.choice([-1, 0, 4]))


def in_sight(view):
    columns = [card for column in view["columns"] for card in column["up"]]
    return sorted([*columns, *filter(None, view["foundations"]), *view["waste"]])
