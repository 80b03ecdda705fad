"""Declares the settings of a session config of Challenge."""

from cardlab.games.challenge.options import NUMBERS
from cardlab.games.session_config import About, declare_app
from cardlab.games.setting import (
    ADVANCED,
    DESIGN,
    DISPLAY,
    GROUPS,
    PAY,
    SWITCH,
    Setting,
    Text,
    file_name,
    one_of,
    whole_number,
)
from cardlab.games.shared_settings import GROUP, SHARED

SETTINGS = {
    "group_size": Setting(
        1,
        GROUPS,
        "Participants at the table",
        whole_number(1, 2),
        "1: against the computer. 2: two participants against each other; their number must be even.",
        unit="participants",
    ),
    "games": Setting(4, DESIGN, "Games", whole_number(1, 20), "How many games count.", unit="games"),
    "size": Setting(
        8,
        DESIGN,
        "Cards of each suit",
        whole_number(*NUMBERS["size"]),
        "The highest cards of each suit: 8 gives 32 cards. Up to 6 the leader can win; up to 5, `claims` "
        "may grant this at once.",
        unit="cards",
    ),
    "computer": Setting(
        "fixed",
        DESIGN,
        "Strength of the computer",
        one_of(fixed="the same in all games", adaptive="follows the participant's results"),
        "`adaptive`: the level, at first `level` or 5, rises after a win and falls after a loss or draw: by "
        "5 after the first game, later by 1. About half of the games are won (42 to 60 % in simulations of "
        "four games; 16 % by participants who mostly pick up).",
    ),
    "level": Setting(
        0,
        DESIGN,
        "Level of the computer",
        whole_number(*NUMBERS["level"]),
        "From 1, the easiest, to 10: a search depth with a rate of deliberate errors, mostly pick-ups. 0 "
        "is no level: `depth` alone decides.",
    ),
    "depth": Setting(
        4,
        DESIGN,
        "Search depth of the computer",
        whole_number(*NUMBERS["depth"]),
        "How many actions the computer looks ahead: 0 is easy to beat, 8 strong. With a level, only for "
        "advice, claims and draw offers.",
        unit="actions",
    ),
    "nodes": Setting(
        200_000,
        ADVANCED,
        "Positions searched",
        whole_number(*NUMBERS["nodes"]),
        "The most positions to search for an action, which limits the time.",
        unit="positions",
    ),
    "deal_file": Setting(
        "seed",
        DESIGN,
        "Deals",
        file_name("deals/challenge/"),
        "`seed`, or a deal file, which also says who leads.",
    ),
    "same_deals": Setting(
        True,
        ADVANCED,
        "Same deals for all tables",
        SWITCH,
        "All tables play the same deals, game by game. If off, each has its own.",
    ),
    "dealer": Setting(
        "alternate",
        DESIGN,
        "Dealer",
        one_of(
            alternate="in turn, the computer first", computer="the computer", participant="the participant"
        ),
        "Who deals. The other side leads, which is an advantage.",
    ),
    "trumps": Setting(
        "SH",
        DESIGN,
        "Trump suits",
        Text("two different suits of S H C D, such as SH"),
        "The computer's trump suit, then the participant's, of `S` `H` `C` `D`.",
    ),
    "after_pickup": Setting(
        "opponent",
        DESIGN,
        "Leader after a pick-up",
        one_of(opponent="the opponent", picker="the player who picked up"),
        "Who leads after the table is picked up.",
    ),
    "after_better": Setting(
        "pass",
        DESIGN,
        "After a better card",
        one_of(**{"pass": "the turn ends", "lead": "the player leads another card"}),
        "What follows a better card. The Cambridge form is `picker` with `lead`. `picker` with `pass` is "
        "rejected: small deals are draws.",
    ),
    "show": Setting(
        "all",
        DISPLAY,
        "Cards participants see",
        one_of(all="both hands and all cards on the table", own="their own hand and the top card"),
        "The cards that participants see.",
    ),
    "computer_sees": Setting(
        "all",
        DESIGN,
        "Cards the computer sees",
        one_of(all="all cards", own="its own hand and the top card"),
        "With `own`, the computer guesses the others.",
    ),
    "highlight": Setting(
        True,
        DISPLAY,
        "Mark playable cards",
        SWITCH,
        "Marks playable cards. Participants can turn the marks on and off.",
    ),
    "commands": Setting(
        False,
        DISPLAY,
        "Command line",
        SWITCH,
        "Shows the line for typed moves. If off, it appears when the keyboard or a screen reader reaches it.",
    ),
    "hints": Setting(False, DESIGN, "Hints", SWITCH, "Participants may ask the computer what it would play."),
    "lessons": Setting(
        False,
        DESIGN,
        "Lessons",
        SWITCH,
        "Adds four optional positions to the instructions: trumps, picking up, tempo, a forced win.",
    ),
    "draw_offers": Setting(
        False,
        DESIGN,
        "Draw offers",
        SWITCH,
        "Draws may be offered. The computer accepts if it is not ahead: note this if you pay for draws.",
    ),
    "claims": Setting(
        True,
        DESIGN,
        "Claims of a win",
        SWITCH,
        "A player may claim a forced win; the computer grants what it can prove.",
    ),
    "claims_limit": Setting(
        3,
        DESIGN,
        "Failed claims per game",
        whole_number(*NUMBERS["claims_limit"]),
        "After this many failed claims in a game, no more are possible. 0 is no limit: claims then reveal "
        "whether a position is won.",
        unit="claims",
    ),
    "analysing": Setting(
        False,
        DESIGN,
        "Review after each game",
        SWITCH,
        "Adds an unpaid page after each game, to take moves back, try others, set up a position and ask "
        "the computer. With two participants it ends after three minutes.",
    ),
    "max_actions": Setting(
        240,
        DESIGN,
        "Actions before a draw",
        whole_number(*NUMBERS["max_actions"]),
        "A game is drawn after this many plays and pick-ups; 240 take under eight minutes.",
        unit="actions",
    ),
    "win": Setting(
        2, PAY, "Score of a win", whole_number(*NUMBERS["win"]), "The score of a won game.", unit="points"
    ),
    "draw": Setting(
        1, PAY, "Score of a draw", whole_number(*NUMBERS["draw"]), "The score of a drawn game.", unit="points"
    ),
    "loss": Setting(
        0,
        PAY,
        "Score of a loss",
        whole_number(*NUMBERS["loss"]),
        "The score of a game that is lost, or ended by a time limit or the researcher.",
        unit="points",
    ),
    "partners": Setting(
        "kept",
        GROUPS,
        "Partners",
        one_of(kept="stay together for all games", rematched="are drawn again before each game"),
        "Who plays against whom in later games of two participants.",
    ),
    **GROUP,
    "no_shows": GROUP["no_shows"].with_default("robot"),
    "turn_limit_seconds": GROUP["turn_limit_seconds"].with_default(
        0, "Here it plays the lowest card that beats, or picks up."
    ),
    "real_world_currency_per_point": SHARED["real_world_currency_per_point"].with_default(
        1.0, "A game earns a point or two here."
    ),
}

challenge = declare_app(
    "challenge_app",
    "challenge",
    "Challenge",
    SETTINGS,
    about=About(
        "Two players with open cards beat the top card or pick up the table. The first without cards wins.",
        "Depth of planning against a computer of adjustable strength, and quality of moves.",
        (2, 8),
        "1 against the computer, or 2",
        "challenge/demo.webp",
        "Two open hands of cards, with the cards played so far between them.",
        "game",
    ),
)
