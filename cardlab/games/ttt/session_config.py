"""The session configs of Target the Two, with one player and with two: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import GROUP_FIELDS, SessionConfig, declare_app
from cardlab.games.ttt.settings_file import KEYS

SOLO_FIELDS: SessionConfig = {
    "settings_file": "CardLab.ini",
    # The keys of the settings file, which says what each does; "ini": as the file says.
    **dict.fromkeys(KEYS, "ini"),
    "practice_file": "practice.txt",
    "practice_hands": 2,
    "pay_by": "moves",  # or time
    "time_scale_seconds": 60,  # paid by time, a hand of so many seconds is worth nothing
    # For the analysis alone: in how many hands at the beginning a route becomes familiar, and which; 0
    # and "" are what the show file says.
    "learning_hands": 0,
    "familiar_route": "",
}

PAIR_FIELDS: SessionConfig = {
    **SOLO_FIELDS,
    "ViewCard": "none",  # only the card of one's own keeper, as in the original; or mix, all
    "group_size": 2,  # participants in a pair; of 1 a robot is the partner
    "robot": "informed",  # or always_422, always_442, routinizing: in a seat without a participant
    "robot_seat": "nk",  # or ck: which keeper it has, where it is the partner from the beginning
    # Show files, one block after the other; several of a block, of which each pair gets one; and how many
    # hands of them: "game422.txt/game442.txt:16, transfer422.txt". "" is one block, with ShowFileName.
    "blocks": "",
    "partners": "kept",  # or rematched before each block; mixed: with who was trained with another file
    "roles": "kept",  # or exchanged: everybody has the other keeper from block to block
    **GROUP_FIELDS,
}

ttt_solo = declare_app("ttt_solo_app", "ttt", "Target the Two", SOLO_FIELDS, demo_participants=4)
ttt_pair = declare_app("ttt_pair_app", "ttt_pair", "Target the Two for two", PAIR_FIELDS)
