"""The settings that oTree reads: session configs, rooms, currency and language."""

import os
import secrets
from functools import partial

from cardlab.games import session_config
from cardlab.games.challenge.session_config import challenge
from cardlab.games.matrix.session_config import matrix_game
from cardlab.games.session_config import APP_FIELDS  # noqa: F401 - cardlab reads it
from cardlab.games.solitario.session_config import solitario
from cardlab.games.study_apps import consent, questionnaire
from cardlab.games.triangle.session_config import triangle
from cardlab.games.ttt.session_config import ttt_pair, ttt_solo
from cardlab.operations import languages

# The defaults of all session configs. Change them here; docs/reference/settings.md explains each setting.
SESSION_CONFIG_DEFAULTS = {
    **session_config.DEFAULTS,
    "participation_fee": 5.00,
    "real_world_currency_per_point": 0.0005,
}

sequence = partial(session_config.sequence, SESSION_CONFIG_DEFAULTS)  # several apps, one after another

# A function of the game makes each config from name, display name, description, and the fields that differ
# from the defaults. The module session_config of the game's folder in cardlab/games declares these fields.
SESSION_CONFIGS = [
    ttt_solo(
        "demo",
        "short demo",
        "Three hands with the keepers face up; no check, no practice.",
        ShowFileName="demo.txt",
        practice_hands=0,
        tutorial="free",
        check=False,
        light_up=True,
    ),
    ttt_solo(
        "static_422",
        "static, route 422",
        "Forty hands, goal 2♥, Ck first. The first eight are the original ones; the others favour route 422.",
        ShowFileName="game422.txt",
    ),
    ttt_solo(
        "static_442",
        "static, route 442",
        "Forty hands, goal 2♥, Ck first; all favour route 442.",
        ShowFileName="game442.txt",
    ),
    ttt_solo(
        "transfer",
        "transfer",
        "Sixteen hands that favour route 422, then sixteen that favour either route, after the design of "
        "Attanasi, Egidi and Manzoni. For the other group, choose transfer442.txt as ShowFileName.",
        ShowFileName="transfer422.txt",
    ),
    ttt_solo(
        "dynamic",
        "dynamic, goal shown",
        "The ten original hands: goal and first mover change from hand to hand. Keepers face up.",
        ShowFileName="DynamicExample.txt",
    ),
    ttt_solo(
        "dynamic_face_down",
        "dynamic, keepers face down",
        "The same ten hands with the original settings file: players turn up a keeper's card to see it.",
        settings_file="TTT_Solo.ini",
    ),
    ttt_solo(
        "familiar_422_442",
        "two treatments, used to 422 or to 442",
        "Half of the participants play sixteen hands that favour route 422, the others sixteen that favour "
        "442; then all play the same sixteen that favour either (treatments/familiar_422_442.toml).",
        treatments="familiar_422_442.toml",
        num_demo_participants=2,
    ),
    ttt_solo(
        "pay_moves_time",
        "two treatments, paid by moves or by time",
        "The forty hands of the static game; half of the participants are paid by moves, the others by time "
        "(treatments/pay_moves_time.toml).",
        ShowFileName="game422.txt",
        treatments="pay_moves_time.toml",
        num_demo_participants=2,
    ),
    ttt_pair(
        "demo",
        "short demo",
        "Three hands, both keepers face up for both players; no check, no practice.",
        ShowFileName="demo.txt",
        ViewCard="all",
        practice_hands=0,
        tutorial="free",
        check=False,
        light_up=True,
    ),
    ttt_pair(
        "transfer_422",
        "422, then transfer",
        "Sixteen hands that favour route 422, then sixteen that favour either, with the same partner.",
        blocks="transfer422.txt:16, mixed.txt",
    ),
    ttt_pair(
        "transfer_442",
        "442, then transfer",
        "Sixteen hands that favour route 442, then the same sixteen that favour either.",
        blocks="familiar442.txt:16, mixed.txt",
    ),
    ttt_pair(
        "rematched",
        "new partners with the other training",
        "Half of the pairs play sixteen hands that favour route 422, the others sixteen that favour 442; "
        "then everybody plays sixteen that favour either, with a partner who trained on the other route.",
        blocks="transfer422.txt/familiar442.txt:16, mixed.txt",
        partners="mixed",
        num_demo_participants=4,
    ),
    ttt_pair(
        "by_time",
        "paid by time",
        "The forty hands of the static game; pairs are paid by time, after Garapin and Hollard.",
        ShowFileName="game422.txt",
        pay_by="time",
    ),
    ttt_pair(
        "robot",
        "one participant and a robot",
        "Sixteen hands that favour route 422, then sixteen that favour either, with a robot that takes "
        "route 422 wherever it can.",
        group_size=1,
        robot="always_422",
        blocks="transfer422.txt:16, mixed.txt",
        num_demo_participants=1,
    ),
    matrix_game("two", "two players", "Two games of 22 turns with the standard pack; the dealer alternates."),
    matrix_game(
        "two_special",
        "two players, special pack",
        "Two games of 16 turns with the 40 cards of the special pack, from −10 to +10.",
        pack="special",
        deal_file="two_players_special.txt",
    ),
    matrix_game(
        "four",
        "four players",
        "One game of 22 turns: two adjacent players choose, then the other two; nobody turns a cross.",
        players=4,
        group_size=4,
        games=1,
        num_demo_participants=4,
    ),
    matrix_game(
        "robot",
        "one participant and a robot",
        "Two games against a robot, which plays the best response to a partner who chooses at random.",
        group_size=1,
        num_demo_participants=1,
    ),
    triangle(
        "learning",
        "learning game",
        "Two easy hands; the places that fit are marked, and the remaining cards are shown.",
        hands=2,
        deal_file="learning.txt",
        show_left=True,
    ),
    triangle("standard", "standard", "Three hands of the basic game; the places that fit are marked."),
    triangle(
        "variation_1",
        "variation 1",
        "Three hands; 5 places hold two Singles, and a card must match both.",
        doubled=5,
    ),
    triangle("variation_2", "variation 2", "Three hands; 5 Singles are shuffled into the deck.", mixed_in=5),
    triangle(
        "hard",
        "hard, both variations",
        "Three hands; two Singles on 4 places, 5 Singles in the deck, no places marked.",
        doubled=4,
        mixed_in=5,
        highlight=False,
    ),
    solitario(
        "briscola", "Briscola", "Two hands with the 40 cards of Briscola, one card of the stock at a time."
    ),
    solitario(
        "tarocco",
        "Tarocco",
        "Two hands with the 56 cards of the Tarocco Piemontese, one card of the stock at a time.",
        pack="tarocco",
    ),
    solitario(
        "ten_minutes",
        "Briscola, ten minutes",
        "Two hands with the 40 cards of Briscola, at most ten minutes each.",
        time_limit_seconds=600,
    ),
    solitario(
        "solvable",
        "solvable deals only",
        "Two solvable hands with the 40 cards of Briscola; uncovered cards turn up automatically.",
        which_deals="solvable",
        turn_up="auto",
    ),
    challenge(
        "tutorial",
        "learning game",
        "Two small games with twelve cards, against a computer that follows the participant's results and "
        "gives advice on request.",
        games=2,
        size=3,
        computer="adaptive",
        hints=True,
        draw_offers=True,
    ),
    challenge(
        "standard",
        "standard",
        "Four games with 32 cards against a computer that follows the participant's results; the sides lead "
        "in turn.",
        computer="adaptive",
        claims=False,
    ),
    challenge("hard", "hard", "Four games with 32 cards against a computer that looks far ahead.", depth=8),
    challenge(
        "own",
        "hidden cards",
        "Two games against the computer. Each side sees only its own cards and the top card.",
        games=2,
        show="own",
        computer_sees="own",
    ),
    challenge(
        "analysing",
        "with analysis",
        "Two games against the computer; after each one, participants can review it and ask the computer.",
        games=2,
        analysing=True,
    ),
    challenge(
        "two",
        "two participants",
        "Two games with 20 cards, two participants against each other.",
        size=5,
        max_actions=120,
        group_size=2,
        games=2,
        draw_offers=True,
        turn_limit_seconds=120,
    ),
    sequence(
        "two_games",
        "Consent, two games, questionnaire",
        "Consent, three hands of Target the Two, one of Triangle Solitaire, and a few questions.",
        consent(),
        ttt_solo(ShowFileName="demo.txt", practice_hands=0),
        triangle(hands=1),
        questionnaire(),
    ),
]

ROOMS = [
    {
        "name": "lab",
        "display_name": "Laboratory (one link for each computer)",
        "participant_label_file": "_rooms/lab.txt",
        "use_secure_urls": True,
    },
    {
        "name": "typed",
        "display_name": "Typed labels (participants type their label)",
        "participant_label_file": "_rooms/lab.txt",
    },
    {"name": "open", "display_name": "Open room (anyone with the link can join)"},
]

# Whether a participant reached the end (cardlab.sessions.arrival), which REST reports, and their treatment.
PARTICIPANT_FIELDS = ["finished", "treatment"]
SESSION_FIELDS: list[str] = []

# The largest form that a participant may send: in bytes of its text, and in fields. Raise the limits for an
# app of your own with longer forms. While a large form is stored, other participants wait.
FORM_BYTES = 10_000
FORM_FIELDS = 60

# The language of participants who have none of their own: `lab.py run --language it` sets the variable.
LANGUAGE_CODE = languages.compile_languages(os.environ.get(languages.VARIABLE) or languages.ENGLISH)
REAL_WORLD_CURRENCY_CODE = "EUR"
USE_POINTS = True
POINTS_DECIMAL_PLACES = 2

ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = os.environ.get("OTREE_ADMIN_PASSWORD")
if not (ADMIN_PASSWORD or "").strip():
    ADMIN_PASSWORD = None  # a blank one would admit everybody; without one, nobody can log in

# `lab.py run` creates one key per installation and passes it on. Otherwise (bots, oTree's commands) a
# temporary key suffices, because nothing signed with it needs to outlive the process.
SECRET_KEY = os.environ.get("OTREE_SECRET_KEY") or secrets.token_urlsafe(32)
os.environ["OTREE_SECRET_KEY"] = SECRET_KEY  # for the timeout worker, which signs its requests with it

# The browser of `otree browser_bots` (docs/how-to/run-bots.md), if it is not Google Chrome.
BROWSER_COMMAND = os.environ.get("CARD_LAB_CHROMIUM")

DEMO_PAGE_TITLE = "Card Lab"
DEMO_PAGE_INTRO_HTML = "Card games as laboratory experiments. Choose a session to try it."
