"""What can be run on this server: session configs, rooms, currency, language (read by oTree)."""

import os
import secrets

from cardlab.games.ttt.settings_file import KEYS as TTT_KEYS
from cardlab.operations import languages

# What every session config has. docs/running-a-session.md explains each.
SESSION_CONFIG_DEFAULTS = {
    "doc": "",
    "participation_fee": 5.00,
    "real_world_currency_per_point": 0.0005,
    "seed": "drawn",  # everything random comes from it; drawn: a long one, when the session is made
    "treatments": "",  # a file in treatments/, which says what differs between participants; none
    "tutorial": "required",  # each step of the instructions is to be done; or free: they may be passed over
    "check": True,  # a comprehension check after the instructions
    "feedback": True,  # a short word on each hand when it is over
    "rules_at_hand": True,  # a button on each hand's page opens the rules
    "earnings_so_far": False,  # and one what has been earned so far
    "show_earnings": True,  # at the end, in points and money; or scores alone
    "pay_rounding": 0.01,  # what is paid in all is rounded to a multiple of this sum
    "completion_url": "off",  # the last page leads there; {label} and {code} are filled in
    "completion_code": "off",  # and tells this code
    "refused_code": "off",  # or this one to who does not agree to take part
    "screened_out_code": "off",  # to whom an app screens out
    "late_code": "off",  # to who comes too late
    "late_after_minutes": 0,  # after the first has come; 0: nobody is late
    "light_up": False,  # a card that is picked up lights the places where it may be dropped
    "time_limit_seconds": 0,  # for each hand; 0 is none
    "second_tab": "tell",  # who opens a seat that is open elsewhere is told, and may play; or refuse
    "one_browser_per_seat": True,  # the first that opened it; another when that has gone, or is let in
    "begin_signal": "title",  # for who has waited for the others: title, sound (with the title) or none
    "pay_hands": "all",  # all, or one drawn at random for each participant
    "payoff_base": 0.0,  # a paid hand earns max(floor, base + rate × score) points
    "payoff_rate": 1.0,
    "payoff_floor": 0.0,
}


# By app, the fields that a session of it has, each with its default: those that a function below writes. A
# session that lacks one, or has others, is refused (cardlab.sessions.create); an app that is not here may
# have any.
APP_FIELDS: dict[str, dict] = {}
NO_GAMES = ("consent_app", "questionnaire_app")  # of these apps; the others have the fields of every game too


def declares_fields(make):
    """Of the function that makes the session configs of a game: its apps have the fields that it writes."""
    config = make("", "", "")
    APP_FIELDS.update(dict.fromkeys(config["app_sequence"], config))
    return make


@declares_fields
def ttt_solo(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Target the Two Solo.

    Every key of the settings file has a field of its own; its value ``ini`` means "as the settings
    file says" (``cardlab.games.ttt.settings_file.KEYS`` tells what each key does).
    """
    return {
        "name": f"ttt_{name}",
        "display_name": f"Target the Two: {display_name}",
        "doc": doc,
        "app_sequence": ["ttt_solo_app"],
        "num_demo_participants": 4,
        "settings_file": "CardLab.ini",
        **dict.fromkeys(TTT_KEYS, "ini"),
        "practice_file": "practice.txt",
        "practice_hands": 2,
        "pay_by": "moves",  # or time
        "time_scale_seconds": 60,  # paid by time, a hand of so many seconds is worth nothing
        # For the analysis alone: in how many hands at the beginning a route becomes familiar, and which; 0
        # and "" are what the show file says.
        "learning_hands": 0,
        "familiar_route": "",
        **fields,
    }


@declares_fields
def ttt_pair(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Target the Two for two. It has all fields of the solo game, and these."""
    return {
        **ttt_solo(),
        "name": f"ttt_pair_{name}",
        "display_name": f"Target the Two for two: {display_name}",
        "doc": doc,
        "app_sequence": ["ttt_pair_app"],
        "num_demo_participants": 2,
        "ViewCard": "none",  # only the card of one's own keeper, as in the original; or mix, all
        "group_size": 2,  # participants in a pair; of 1 a robot is the partner
        "robot": "informed",  # or always_422, always_442, routinizing: in a seat without a participant
        "robot_seat": "nk",  # or ck: which keeper it has, where it is the partner from the beginning
        # Show files, one block after the other; several of a block, of which each pair gets one; and how many
        # hands of them: "game422.txt/game442.txt:16, transfer422.txt". "" is one block, with ShowFileName.
        "blocks": "",
        "partners": "kept",  # or rematched before each block; mixed: with who was trained with another file
        "roles": "kept",  # or exchanged: everybody has the other keeper from block to block
        "no_shows": "leave_out",  # or robot: for who finds nobody to play with
        "gather_seconds": 180,  # how long the partner is waited for; 0 is without end
        "gone_after_seconds": 30,  # without a connection somebody is not waited for, until they return
        "turn_limit_seconds": 0,  # after it a pass is made for who stays away; 0 is none
        "absent_after": 2,  # limits missed in a row after which who has gone is not waited for; 0 is never
        # After it a player may stop waiting for a co-player without a connection; 0 is never.
        "partner_away_seconds": 60,
        **fields,
    }


@declares_fields
def matrix_game(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of the matrix card game."""
    return {
        "name": f"matrix_{name}",
        "display_name": f"Matrix card game: {display_name}",
        "doc": doc,
        "app_sequence": ["matrix_game_app"],
        "num_demo_participants": 2,
        "players": 2,  # seats at the table: 2 or 4
        "group_size": 2,  # participants at the table; robots have the other seats
        "robot": "best_response",  # or random, greedy, minimax: in a seat without a participant
        "games": 2,
        "pack": "standard",  # or special
        "court": "10",  # what J, Q and K are worth: 10, or ladder for 11, 12, 13
        "change_choice": False,  # a choice may be changed until the other has chosen
        "deal_file": "seed",  # or a file in deals/matrix/
        "same_deals": True,  # for every group
        "partners": "kept",  # or rematched before each game
        "rotate_dealer": True,
        "no_shows": "leave_out",  # or robot: for who finds nobody to play with
        "gather_seconds": 180,  # how long others are waited for; 0 is without end
        "gone_after_seconds": 30,  # without a connection somebody is not waited for, until they return
        "turn_limit_seconds": 0,  # after it a card is played for who stays away; 0 is none
        "absent_after": 2,  # limits missed in a row after which who has gone is not waited for; 0 is never
        # After it a player may stop waiting for a co-player without a connection; 0 is never.
        "partner_away_seconds": 60,
        # A score is a sum of positive and negative cards, so there is something to lose.
        "payoff_base": 50.0,
        "real_world_currency_per_point": 0.05,
        **fields,
    }


@declares_fields
def triangle(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Triangle Solitaire."""
    return {
        "name": f"triangle_{name}",
        "display_name": f"Triangle Solitaire: {display_name}",
        "doc": doc,
        "app_sequence": ["triangle_app"],
        "num_demo_participants": 2,
        "hands": 3,
        "practice_hands": 0,
        "deal_file": "seed",  # or a file in deals/triangle/
        "own_deals": False,  # each participant has deals of their own; else all have the same
        "doubled": 0,  # variation 1: places on which two Singles lie, 0 to 9
        "mixed_in": 0,  # variation 2: Singles shuffled into the deck, 0 to 9; both together at most 9
        "highlight": True,  # mark the places that the card fits
        "show_left": False,  # show which Completes are still to come
        # A score goes from 18 down far below 0, so there is something to lose.
        "payoff_base": 30.0,
        "real_world_currency_per_point": 0.1,
        **fields,
    }


@declares_fields
def solitario(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Solitario."""
    return {
        "name": f"solitario_{name}",
        "display_name": f"Solitario: {display_name}",
        "doc": doc,
        "app_sequence": ["solitario_app"],
        "num_demo_participants": 2,
        "hands": 2,
        "practice_hands": 0,
        "deal_file": "seed",  # or a file in deals/solitario/
        "which_deals": "any",  # or solvable: those that somebody could solve who knows all cards
        "own_deals": False,  # each participant has deals of their own; else all have the same
        "pack": "briscola",  # 40 cards; or tarocco, 56, or french, 52
        "draw": 1,  # cards of the stock that come at a time: 1 or 3
        "ace_on_two": "pack",  # an ace may lie on a two: as usual with the pack (french alone), on or off
        "turn_up": "click",  # an uncovered card is turned up by a click; or auto
        "undo": False,  # moves can be taken back
        "ten_best": "numbers",  # the best hands of the session: with numbers or labels of who played, or off
        **fields,
    }


@declares_fields
def challenge(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Challenge."""
    return {
        "name": f"challenge_{name}",
        "display_name": f"Challenge: {display_name}",
        "doc": doc,
        "app_sequence": ["challenge_app"],
        "num_demo_participants": 2,
        "group_size": 1,  # participants at the table: 1, against the computer, or 2
        "games": 4,
        "size": 8,  # cards of each suit, the highest: 1 to 13
        "depth": 4,  # how many actions the computer looks ahead, from 0, which is very simple to play against
        "nodes": 200_000,  # positions that it looks at for an action, at most
        "deal_file": "seed",  # or a file in deals/challenge/
        "same_deals": True,  # for every group
        "dealer": "alternate",  # the computer first; or computer, or participant: who does not deal leads
        "trumps": "SH",  # the computer's suit, then the participant's
        "after_pickup": "opponent",  # who leads then; or picker, with after_better lead
        "after_better": "pass",  # a better card ends the turn; or lead: one leads another at once
        "show": "all",  # or own: one's own hand and the card on top alone
        "computer_sees": "all",  # or own, as the participant does
        "highlight": True,  # the cards that may be played are marked, until somebody turns that off
        "hints": False,  # the computer may be asked what it would play
        "draw_offers": False,  # the computer takes every draw where it sees nothing better for itself
        "claims": True,  # that one has a forced win may be said
        "claims_limit": 3,  # unproved claims in a game, after which a player can make no more; 0 is no limit
        "analysing": False,  # a game that is over may be taken apart with the computer
        "max_actions": 400,  # cards played and pick-ups after which a game is drawn
        "win": 2,  # what a game scores
        "draw": 1,
        "loss": 0,
        "partners": "kept",  # or rematched before each game
        "no_shows": "robot",  # who finds nobody plays against the computer; or leave_out
        "gather_seconds": 180,  # how long the other is waited for; 0 is without end
        "gone_after_seconds": 30,  # without a connection somebody is not waited for, until they return
        "turn_limit_seconds": 0,  # after it is played for who stays away; 0 is none
        "absent_after": 2,  # limits missed in a row after which who has gone is not waited for; 0 is never
        # After it a player may stop waiting for a co-player without a connection; 0 is never.
        "partner_away_seconds": 60,
        "real_world_currency_per_point": 1.0,
        **fields,
    }


@declares_fields
def consent(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """The page on which participants agree to take part, or do not."""
    return {
        "name": f"consent_{name}",
        "display_name": f"Consent: {display_name}",
        "doc": doc,
        "app_sequence": ["consent_app"],
        "num_demo_participants": 1,
        "consent_text": "Text.html",  # a template in consent_app/
        **fields,
    }


@declares_fields
def questionnaire(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A page of questions about the participant and what they have thought."""
    return {
        "name": f"questionnaire_{name}",
        "display_name": f"Questionnaire: {display_name}",
        "doc": doc,
        "app_sequence": ["questionnaire_app"],
        "num_demo_participants": 1,
        "questions": "age gender field_of_study difficulty strategy",  # those that are asked
        "answers": "required",  # or free: a question may be left empty
        **fields,
    }


def sequence(name: str, display_name: str, doc: str, *parts: dict | str, **fields) -> dict:
    """A session of several apps, one after the other; a name alone is an app of your own.

    A point is worth the same in the whole session, so the games' payoffs are written as earn what they earn
    by themselves. A field in which the parts differ stands in the config once for each: ``APP.field``.
    """
    rate = "real_world_currency_per_point"
    scaled = ("payoff_base", "payoff_rate", "payoff_floor")
    of_one = ("name", "display_name", "doc", "app_sequence", "num_demo_participants", rate)
    parts = [{"app_sequence": [part]} if isinstance(part, str) else part for part in parts]
    own: dict[str, dict] = {}  # by app, what it has
    for part in parts:
        (app,) = part["app_sequence"]
        own[app] = {key: value for key, value in part.items() if key not in of_one}
        if rate in part:
            times = part[rate] / SESSION_CONFIG_DEFAULTS[rate]
            own[app] |= {key: round(times * {**SESSION_CONFIG_DEFAULTS, **part}[key], 6) for key in scaled}
    config = {
        "name": name,
        "display_name": display_name,
        "doc": doc,
        "app_sequence": list(own),
        "num_demo_participants": max(part.get("num_demo_participants", 1) for part in parts),
    }
    common = dict.fromkeys(
        (app for app in own if app in APP_FIELDS and app not in NO_GAMES), SESSION_CONFIG_DEFAULTS
    )
    for app, own_fields in own.items():
        for key, value in own_fields.items():
            having = [{**common.get(name, {}), **theirs} for name, theirs in own.items()]
            alike = all(theirs[key] == value for theirs in having if key in theirs)
            config[key if alike else f"{app}.{key}"] = value
    return {**config, **fields}


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
        "Forty hands, goal 2♥, Ck first. The first eight are the source's; the others favour route 422.",
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
        "Sixteen hands that favour one route, then sixteen that favour either, after the design of "
        "Attanasi, Egidi and Manzoni. For the other group choose transfer442.txt as ShowFileName.",
        ShowFileName="transfer422.txt",
    ),
    ttt_solo(
        "dynamic",
        "dynamic, goal shown",
        "The source's ten hands: goal and first mover change from hand to hand. Keepers face up.",
        ShowFileName="DynamicExample.txt",
    ),
    ttt_solo(
        "dynamic_face_down",
        "dynamic, keepers face down",
        "The same ten hands with the source's own settings file: keepers' cards must be looked at.",
        settings_file="TTT_Solo.ini",
    ),
    ttt_solo(
        "familiar_422_442",
        "two treatments, used to 422 or to 442",
        "Half of the participants play sixteen hands that favour route 422, the others sixteen that favour "
        "442; then all the same sixteen that favour either (treatments/familiar_422_442.toml).",
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
        "Three hands, the cards of both keepers face up for both; no check, no practice.",
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
        "rematched between differently trained",
        "Half of the pairs play sixteen hands that favour route 422, the others sixteen that favour 442; "
        "then everybody plays sixteen that favour either with a partner who was trained otherwise.",
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
        "Sixteen hands that favour route 422, then sixteen that favour either, with a robot that goes by "
        "route 422 wherever it can.",
        group_size=1,
        robot="always_422",
        blocks="transfer422.txt:16, mixed.txt",
        num_demo_participants=1,
    ),
    matrix_game("two", "two players", "Two games of 22 turns with the standard pack; the deal passes on."),
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
        "One game of 22 turns: two adjacent players choose, then the two others; nobody rotates.",
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
        "Two hands that go well with a little care; what fits is marked, what is still to come is shown.",
        hands=2,
        deal_file="learning.txt",
        show_left=True,
    ),
    triangle("standard", "standard", "Three hands of the game as it is; the places that fit are marked."),
    triangle(
        "variation_1",
        "variation 1",
        "Three hands; on 5 places lie two Singles, and a card must match both.",
        doubled=5,
    ),
    triangle("variation_2", "variation 2", "Three hands; 5 Singles are shuffled into the deck.", mixed_in=5),
    triangle(
        "hard",
        "hard, both variations",
        "Three hands; two Singles on 4 places, 5 Singles in the deck, and no place is marked.",
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
        "Two hands with the 40 cards of Briscola; each may last ten minutes.",
        time_limit_seconds=600,
    ),
    solitario(
        "solvable",
        "solvable deals only",
        "Two hands with the 40 cards of Briscola, both of which can be solved; uncovered cards turn up by "
        "themselves.",
        which_deals="solvable",
        turn_up="auto",
    ),
    challenge(
        "tutorial",
        "learning game",
        "Two small games with twelve cards, against a computer that hardly looks ahead and may be asked for "
        "advice.",
        games=2,
        size=3,
        depth=1,
        hints=True,
        draw_offers=True,
    ),
    challenge("standard", "standard", "Four games with 32 cards against the computer, who leads by turns."),
    challenge("hard", "hard", "Four games with 32 cards against a computer that looks far ahead.", depth=8),
    challenge(
        "own",
        "as people play it",
        "Two games against the computer; one sees one's own hand and the card on top, and so does the "
        "computer.",
        games=2,
        show="own",
        computer_sees="own",
    ),
    challenge(
        "analysing",
        "with analysis",
        "Two games against the computer; after each one may take it apart, and ask what the computer thinks.",
        games=2,
        analysing=True,
    ),
    challenge(
        "two",
        "two participants",
        "Two games with 32 cards, two participants against each other.",
        group_size=2,
        games=2,
        draw_offers=True,
        turn_limit_seconds=120,
    ),
    sequence(
        "two_games",
        "Consent, two games, questionnaire",
        "The consent, three hands of Target the Two, one of Triangle Solitaire, and a few questions.",
        consent(),
        ttt_solo(ShowFileName="demo.txt", practice_hands=0),
        triangle(hands=1),
        questionnaire(),
    ),
]

ROOMS = [
    {
        "name": "lab",
        "display_name": "Laboratory (a link of its own for each PC)",
        "participant_label_file": "_rooms/lab.txt",
        "use_secure_urls": True,
    },
    {
        "name": "typed",
        "display_name": "Typed labels (who types another's label sits in their place)",
        "participant_label_file": "_rooms/lab.txt",
    },
    {"name": "open", "display_name": "Open room (anyone with the link takes a place)"},
]

# Whether they reached the end (cardlab.sessions.arrival), which REST tells to others, and their treatment.
PARTICIPANT_FIELDS = ["finished", "treatment"]
SESSION_FIELDS: list[str] = []

# The largest form that a participant may send: in bytes of its text, and in fields. An app of your own with
# longer pages needs more; while a large form is stored, the others wait.
FORM_BYTES = 10_000
FORM_FIELDS = 60

# The language of participants, one for the whole server: `lab.py run --language it` sets the variable.
LANGUAGE_CODE = languages.compile_language(os.environ.get(languages.VARIABLE) or languages.ENGLISH)
REAL_WORLD_CURRENCY_CODE = "EUR"
USE_POINTS = True
POINTS_DECIMAL_PLACES = 2

ADMIN_USERNAME = "admin"
ADMIN_PASSWORD = os.environ.get("OTREE_ADMIN_PASSWORD")
if not (ADMIN_PASSWORD or "").strip():
    ADMIN_PASSWORD = None  # a blank one would let everybody in; with none nobody can log in

# `lab.py run` makes one key per installation and passes it on. Without it (bots, oTree's own
# commands) a key of the moment will do: nothing signed with it needs to outlive the process.
SECRET_KEY = os.environ.get("OTREE_SECRET_KEY") or secrets.token_urlsafe(32)
os.environ["OTREE_SECRET_KEY"] = SECRET_KEY  # for the timeout worker, which signs its requests with it

# The browser of `otree browser_bots` (docs/bots.md), if it is not Google Chrome.
BROWSER_COMMAND = os.environ.get("CARD_LAB_CHROMIUM")

DEMO_PAGE_TITLE = "Card Lab"
DEMO_PAGE_INTRO_HTML = "Card games as laboratory experiments. Pick a session to try it."
