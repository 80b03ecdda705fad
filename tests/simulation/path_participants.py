"""Steps of participants and their browsers: one function for each kind of step.

Each takes the run of the server, the participant, and a byte that varies the step. It returns what happened
as a sentence without its subject; "" if nothing happened.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode

from path_background import engine_answers
from path_lab import ROOM, SECOND_NS, TAKEN, Laboratory, Person

from cardlab.games.events import ABSENCE_CHOICES

AWAY_NS = 60 * SECOND_NS
SURRENDERS = ("resign", "give up")
SPOKEN = (
    {"back": True},
    {"help": "How?"},
    {"no_help": True},
    {"hidden": True},
    {"hidden": False},
    {"beat": 1},
    {"leave": True},
)


def go_on(lab: Laboratory, person: Person, how: int) -> str:
    """Does what is next on the participant's page."""
    waiting = lab.requests.get(person.name)
    if waiting and how % 8:
        return ""
    if not person.code:
        return arrive(lab, person, how)
    if lab.model.machine.steady_ns < person.away_until_ns:
        return ""
    if person.page in ("", TAKEN):
        lab.open_start_link(person)
        return "opens the start link"
    lab.keep_presence(person)
    if person.page_name == "Hand":
        return play(lab, person, how)
    if person.page_name == "Gather":
        lab.browse(person, "GET", person.page, "here=1")
        return "waits for a group"
    if not person.page.startswith("/p/"):
        return ""
    times = 2 if how % 16 == 7 else 1
    for _time in range(times):
        lab.browse(person, "POST", person.page, form={"x": "1"})
    return f"sends page {person.index}" + (" twice at once" if times == 2 else "")


def arrive(lab: Laboratory, person: Person, how: int) -> str:
    """Opens the room's link; with a label, sometimes twice at once or again."""
    if not person.label and lab.requests.get(person.name):
        return ""  # without label and cookie, the server would see another person
    if lab.kind.fields.get("lost_after_minutes") and how % 8 > 1:
        return ""  # visitors arrive one by one, so that some disappear before the next
    query = {"welcome_page_ok": "1", **({"participant_label": person.label} if person.label else {})}
    times = 2 if person.label and how % 4 == 0 else 1
    person.stops_after_room = how % 4 == 3
    for _time in range(times):
        lab.browse(person, "GET", ROOM, urlencode(query))
    return "comes to the room" + (
        " twice at once" if times == 2 else ", and hesitates" * person.stops_after_room
    )


def play(lab: Laboratory, person: Person, how: int) -> str:
    socket = lab.sockets.get(person.name)
    if socket is None or not socket.is_open:
        lab.sit_down(person)
        return f"sits down at page {person.index}"
    if not person.board:
        return ""
    if person.board["over"]:
        lab.browse(person, "POST", person.page, form={"x": "1"})
        return f"leaves the hand on page {person.index}"
    if person.board.get("wait", {}).get("choice") and how % 2:
        choice = ABSENCE_CHOICES[how // 2 % len(ABSENCE_CHOICES)]
        socket.send_text(json.dumps({"hand": person.board["hand"], "choice": choice}))
        return f"chooses about an absent partner: {choice}"
    fold, seat = lab.fold_of(person)
    if fold is None or fold.hand is None:
        return ""
    legal = lab.state.rules.legal_actions(fold.hand.state, seat)
    if how % 32 != 30:  # rare, because it ends the hand
        legal = [each for each in legal if each not in SURRENDERS]
    if not legal and fold.hand.engine_questions:
        return engine_answers(lab, person, how)
    action = legal[how % len(legal)] if legal and how % 32 != 31 else "nonsense"
    number = max(0, person.board["next"] + (how % 5 - 2 if how % 13 == 12 else 0))
    lab.model.messages += 1
    fields = {"hand": person.board["hand"], "number": number, "action": action, "ms": lab.model.messages}
    text = json.dumps({**fields, "traces": []})
    person.sent = [*person.sent[-5:], text]
    person.waits_for = (person.board["hand"], number, lab.model.messages)
    socket.send_text(text)
    if how % 16 == 9:
        socket.send_text(text)
    return f"sends {text}" + (" twice at once" if how % 16 == 9 else "")


def send_again(lab: Laboratory, person: Person, how: int) -> str:
    socket = lab.sockets.get(person.name)
    if socket is None or not socket.is_open or not person.sent:
        return ""
    text = person.sent[-1 - how % len(person.sent)]
    socket.send_text(text)
    return f"sends again {text}"


def speak(lab: Laboratory, person: Person, how: int) -> str:
    """Sends a message over the page's presence connection."""
    socket = lab.presence.get(person.name)
    if socket is None or not socket.is_open:
        return ""
    fields = SPOKEN[how % len(SPOKEN)]
    socket.send_text(json.dumps(fields))
    return f"says {fields}"


def reload(lab: Laboratory, person: Person, how: int) -> str:
    lab.leave_page(person)
    person.page = ""
    if not person.code or (lab.kind.visitors and how % 2 and not person.withdrawal):
        return arrive(lab, person, how)
    lab.open_start_link(person)
    return "loads the page again"


def vanish(lab: Laboratory, person: Person, _how: int) -> str:
    """The participant closes the page; for a while, if somebody else may get their treatment."""
    lab.leave_page(person)
    if lab.kind.fields.get("lost_after_minutes"):
        person.away_until_ns = lab.model.machine.steady_ns + AWAY_NS
    return "closes the connection"


def slow_down(lab: Laboratory, person: Person, how: int) -> str:
    socket = lab.sockets.get(person.name)
    if socket is None:
        return ""
    if how % 2:
        socket.slow_down()
        return "receives nothing for a while"
    socket.release()
    return "receives what had to wait"


def fall_silent(lab: Laboratory, person: Person, how: int) -> str:
    if how % 2:
        lab.silent.add(person.name)
        return "answers no ping"
    lab.silent.discard(person.name)
    return "answers pings again"


def second_tab(lab: Laboratory, person: Person, how: int) -> str:
    if person.page_name != "Hand" if person.page else True:
        return ""
    lab.sit_down(person, f"second tab {how % 3}")
    return "opens a second tab"
