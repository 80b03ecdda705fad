"""Declares the settings of a session config of the matrix card game."""

from cardlab.games import setting
from cardlab.games.session_config import About, declare_app
from cardlab.games.shared_settings import GROUP, SHARED

SETTINGS = {
    "players": setting.Setting(
        2,
        setting.GROUPS,
        "Seats at the table",
        setting.one_value_of({2: "two seats, next to each other", 4: "four seats, two play each turn"}),
        "With four seats, S and W play a turn, then N and E, and nobody turns a cross.",
        unit="seats",
    ),
    "group_size": setting.Setting(
        *(2, setting.GROUPS, "Participants at the table", setting.whole_number(1, 4)),
        "At most `players`; robots take the other seats. The number of participants must be a multiple of "
        "it.",
        unit="participants",
    ),
    "robot": setting.Setting(
        "best_response",
        setting.GROUPS,
        "Robot",
        setting.one_of(
            random="plays at random",
            greedy="hopes for its highest payoff",
            best_response="plays best against a random partner",
            minimax="secures the most on average",
        ),
        "The robot for a seat without a participant.",
    ),
    "games": setting.Setting(
        *(2, setting.DESIGN, "Games", setting.whole_number(1, 10)),
        "How many games count.",
        unit="games",
    ),
    "pack": setting.Setting(
        "standard",
        setting.DESIGN,
        "Pack",
        setting.one_of(standard="52 cards, 22 turns", special="40 cards from −10 to +10, 16 turns"),
        "Which cards are used.",
    ),
    "court": setting.Setting(
        "10",
        setting.DESIGN,
        "Value of J, Q, K",
        setting.one_of(**{"10": "10 each", "ladder": "11, 12 and 13"}),
        "The value of jack, queen and king, which the special pack lacks.",
        unit="points",
    ),
    "change_choice": setting.Setting(
        *(False, setting.DESIGN, "Change a choice", setting.SWITCH),
        "A choice may be changed until the other player has chosen too.",
    ),
    "deal_file": setting.Setting(
        *("seed", setting.DESIGN, "Deals", setting.file_name("deals/matrix/")),
        "`seed`, or a deal file.",
    ),
    "same_deals": setting.Setting(
        *(True, setting.ADVANCED, "Same deals for all groups", setting.SWITCH),
        "All groups play the same deals, game by game. If off, each has its own; those of a file are used "
        "in turn.",
    ),
    "partners": setting.Setting(
        "kept",
        setting.GROUPS,
        "Partners",
        setting.one_of(kept="stay together for all games", rematched="are drawn again before each game"),
        "Who plays with whom in later games.",
    ),
    "rotate_dealer": setting.Setting(
        *(True, setting.GROUPS, "Rotate the dealer", setting.SWITCH),
        "Everybody moves on by one seat with each game, so each is the dealer, S, in turn. At tables of "
        "four this changes who plays together.",
    ),
    **GROUP,
    "turn_limit_seconds": GROUP["turn_limit_seconds"].with_default(
        0, "Here it plays a card drawn from the hand, or turns no cross."
    ),
    "payoff_base": SHARED["payoff_base"].with_default(50.0, "Scores can be negative."),
    "real_world_currency_per_point": SHARED["real_world_currency_per_point"].with_default(
        0.05, "A game earns tens of points here."
    ),
}

matrix_game = declare_app(
    "matrix_game_app",
    "matrix",
    "Matrix card game",
    SETTINGS,
    about=About(
        "Two players choose a card each in secret. The cards on the table form a new 2×2 game in every turn.",
        "Strategic thinking in many 2×2 games: level of reasoning, cooperation, and learning.",
        (5, 10),
        "2 or 4, or 1 with a robot",
        "matrix/demo.webp",
        "A table with crosses of cards, and the player's own cards below.",
        "game",
    ),
)
