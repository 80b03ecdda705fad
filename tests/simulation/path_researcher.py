"""Steps of the researcher, in the browser and through the REST interface: one function for each step."""

from __future__ import annotations

import csv
import json
from decimal import Decimal
from io import StringIO
from urllib.parse import urlencode

from committed_arrivals import HOUR_SECONDS, Entry
from committed_state import PLACES
from path_lab import EARLIER_STUDY, Laboratory, Person
from path_server import REST_KEY, Request
from simulated_machine import BEGIN_NS

from cardlab.games.pay import EXCLUDED, LATE
from cardlab.sessions import study_register

BEGIN_HOUR = BEGIN_NS // 10**9 // HOUR_SECONDS
# How an earlier part can differ. Most people may continue at once, some in 3 or 63 minutes.
PARTS = ({}, {}, {}, {"hour": BEGIN_HOUR - 1}, {}, {}, {"team": ""}, {"treatment": "other"})
PARTS = (*PARTS, {"hour": BEGIN_HOUR}, {"hour": None})
INTERVENTIONS = ("pause", "go_on", "go_on", "drop_out", "come_back", "message", "release", "go_on")


def steer(lab: Laboratory, person: Person, how: int) -> str:
    if not person.code:
        return ""
    kind = INTERVENTIONS[how % len(INTERVENTIONS)]
    form = {"what": kind, "participants": person.code, "text": "Hello"}
    lab.ask("researcher", "POST", f"/cardlab/progress/{person.session}/do", _ignore, form)
    return f"gets from the researcher: {kind}"


def advance(lab: Laboratory, person: Person, _how: int) -> str:
    if not person.code:
        return ""
    form = {"participants": person.code}
    lab.ask("researcher", "POST", f"/cardlab/advance/{person.session}", _ignore, form)
    return "is moved on by the researcher"


def end_now(lab: Laboratory, person: Person, how: int) -> str:
    """Takes a participant, or now and then everybody, to the results or the end."""
    if not person.code:
        return ""
    place, is_for_all = PLACES[how % 2], how % 8 >= 6
    people = [other for other in lab.model.people if other is person or (is_for_all and other.code)]
    begun = [other for other in people if lab.index_of(other.code) > 0]

    def answered(request: Request) -> None:
        if request.status == 200:
            lab.model.tallies["ends acknowledged"] += 1
            lab.look()
            for other in begun:
                lab.check_ended(other)

    form = {"participants": " ".join(other.code for other in people), "place": place}
    lab.ask("researcher", "POST", f"/cardlab/progress/{person.session}/end", answered, form)
    return f"{'and everybody else are' if is_for_all else 'is'} taken to the {place}"


def export(lab: Laboratory, _person: Person, how: int) -> str:
    """Exports the actions of all hands; sometimes the export process dies meanwhile."""
    if lab.requests.get("exporter"):
        return ""
    lab.server.export_worker_dies = how % 8 == 7
    lab.look()
    committed = {hand: len(lab.state.lines[hand]) for hand in lab.state.begun_hands()}

    def answered(request: Request) -> None:
        if request.status == 200:
            lab.model.tallies["exports complete"] += 1
            lab.model.tallies["hands exported"] += len(committed)
            lab.look()
            lab.state.check_export(request.content.decode("utf-8"), committed)

    query = urlencode({"app": lab.app, "function_name": "custom_export"})
    path = "/api/export_app_custom"
    lab.ask("exporter", "GET", path, answered, headers=_rest(), query=query)
    return "— all hands are exported"


def withdraw(lab: Laboratory, person: Person, _how: int) -> str:
    """Withdraws a participant's data; only one participant per schedule."""
    others = [other for other in lab.model.people if other.withdrawal and other is not person]
    if others or person.withdrawal == "done" or not person.code:
        return ""
    person.withdrawal = person.withdrawal or "asked"
    lab.state.withdrawing.add(person.code)

    def answered(request: Request) -> None:
        if request.status == 200:
            person.withdrawal = "done"
            lab.model.tallies["withdrawals acknowledged"] += 1
            lab.look()
            assert person.code not in lab.state.participants, "a withdrawal is not committed"

    body = json.dumps({"participant": person.code, "paid": True}).encode()
    lab.ask("researcher", "POST", "/api/withdraw", answered, headers=_rest(), body=body)
    return "withdraws"


def create_session(lab: Laboratory, _person: Person | None, _how: int) -> str:
    if lab.model.sessions_asked >= 3:
        return ""
    lab.model.sessions_asked += 1

    def answered(request: Request) -> None:
        if request.status == 200:
            lab.model.acknowledged_sessions.add(json.loads(request.content)["code"])
            lab.model.tallies["sessions acknowledged"] += 1
            lab.look()

    room = "open" if lab.kind.visitors and lab.model.sessions_asked == 1 else None
    fields = {"session_config_name": lab.kind.config, "num_participants": lab.kind.size, "room_name": room}
    body = json.dumps({**fields, "modified_session_config_fields": lab.kind.fields}).encode()
    lab.ask("researcher", "POST", "/api/sessions", answered, headers=_rest(), body=body)
    return "— a session is created"


def register(lab: Laboratory, person: Person, how: int) -> str:
    """Imports the label of an earlier participant, often one who is about to arrive."""
    arriving = [each for each in lab.model.people if each.label and each.code and not each.acknowledged_page]
    person = arriving[0] if arriving and how % 4 else person
    if not person.label or lab.state.configs[min(lab.state.configs)]["exclude_studies"] == "off":
        return ""
    import_parts(lab, [earlier_part(person.label, how)])
    return f"— the researcher imports that {person.name} took part before"


def earlier_part(label: str, how: int) -> Entry:
    """Returns an entry of the earlier study, where label1 played with label2, and so on."""
    pair = (int(label.removeprefix("label")) + 1) // 2
    treatment = ("pay_moves", "pay_time")[pair % 2]
    entry = Entry(
        *(EARLIER_STUDY, "earlier", study_register.hash_label(label), treatment),
        *(f"earlier {pair}", BEGIN_HOUR - 2),
    )
    return entry._replace(**PARTS[how % len(PARTS)])


def import_parts(lab: Laboratory, entries: list[Entry]) -> None:
    """Imports entries of the earlier study into the register of labels."""

    def answered(request: Request) -> None:
        if request.status == 200:
            lab.model.acknowledged_entries.update(entries)
            lab.model.tallies["labels acknowledged"] += len(entries)
            lab.look()

    key = study_register.key_name()
    rows = [study_register.Entry(**entry._asdict(), key=key) for entry in entries]
    lines = [",".join(str("" if cell is None else cell) for cell in row) for row in rows]
    lines = [",".join(study_register.Entry._fields), *lines]
    body = json.dumps({"entries": "\n".join(lines)}).encode()
    lab.ask("researcher", "POST", "/api/labels", answered, headers=_rest(), body=body)


def pay(lab: Laboratory, person: Person, _how: int) -> str:
    """Reads the table of payments, and checks that excluded participants get nothing."""
    kept_out = {row.code for row in lab.state.participants.values() if row.status in (LATE, EXCLUDED)}

    def answered(request: Request) -> None:
        if request.status == 200:
            lab.model.tallies["payments read"] += 1
            rows = csv.DictReader(StringIO(request.content.decode("utf-8"), newline=""))
            totals = {row["participant_code"]: Decimal(row["total"]) for row in rows}
            paid = {code: total for code, total in totals.items() if code in kept_out and total}
            assert not paid, f"these participants were kept out, and are paid: {paid}"

    lab.ask("researcher", "GET", f"/api/payments/{person.session}", answered, headers=_rest())
    return "— the payments are read"


def _rest() -> dict[str, str]:
    return {"otree-rest-key": REST_KEY, "content-type": "application/json"}


def _ignore(_request: Request) -> None:
    """Ignores the response."""
