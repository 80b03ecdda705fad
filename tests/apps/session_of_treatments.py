"""Runs sessions with treatments in one process, for ``test_treatments_of_a_session.py``.

Its one argument is a folder for treatment files. It needs no server, browser or real waiting.
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from types import SimpleNamespace

clock = 1_800_000_000.0  # Unix seconds
time.time = lambda: clock
time.time_ns = time.monotonic_ns = lambda: round(clock * 1e9)

import otree.main  # noqa: E402

otree.main.setup()

import otree.export  # noqa: E402
import otree.session  # noqa: E402
import otree.urls  # noqa: E402 - which sets the encoding of pages
import pytest  # noqa: E402
from otree.database import db  # noqa: E402
from otree.models import Participant  # noqa: E402
from sqlalchemy import inspect  # noqa: E402

import matrix_game_app  # noqa: E402
import triangle_app  # noqa: E402
from cardlab import folders  # noqa: E402
from cardlab.games.record import read_opening  # noqa: E402
from cardlab.sessions import deal_files  # noqa: E402
from cardlab.sessions.add_participants import add_slot_for_visitor, add_slots  # noqa: E402
from cardlab.sessions.config import config_of  # noqa: E402
from cardlab.sessions.config_check import SessionRefused  # noqa: E402
from cardlab.sessions.create import create_session  # noqa: E402
from cardlab.sessions.treatments import treatment_of  # noqa: E402
from ttt_solo_app import Hand as Solo  # noqa: E402

FOLDER = Path(sys.argv[1])
deal_files.TREATMENTS = [FOLDER]
matrix_game_app.Gather._get_wait_page = lambda self: SimpleNamespace(status_code=200)  # no test uses it


def file(name: str, text: str) -> str:
    (FOLDER / name).write_text(text, "utf-8")
    return name


def made(config: str, participants: int, treatments: str, **fields):
    changed = {"seed": 5, "treatments": treatments, "check": False, **fields}
    return create_session(config, num_participants=participants, modified_session_config_fields=changed)


def table(app: str, session, function: str) -> list[dict[str, str]]:
    text = io.StringIO(newline="")
    otree.export.custom_export_app(app, text, session.code, function)
    return list(csv.DictReader(io.StringIO(text.getvalue())))


def refusal(treatments) -> str:
    with pytest.raises(SessionRefused) as refused:
        made("triangle_standard", 4, treatments)
    return str(refused.value)


def invalid_files_are_refused() -> None:
    base_fields = {
        "[a]\npayoff_base = 'ten'\n": "refused.toml [a], line 2: payoff_base must be a number, not 'ten'.",
        "[a]\nhands = 99\n": "refused.toml [a], line 2: hands must be a whole number from 1 to ",
        "[a]\n[b]\nhigh_light = true\n": "refused.toml [b], line 3: triangle_standard has no "
        "field 'high_light'. Did you mean highlight?",
        "[a]\ndeal_file = 'none.txt'\n": "refused.toml [a]: none.txt: there is no such deal file in deals/",
        "[a]\nx = \n": "refused.toml, line 2, column 5: This is not valid TOML (Invalid value).",
    }
    for text, sentence in base_fields.items():
        assert sentence in refusal(file("refused.toml", text))
    named_without = "write the name of the treatment file without a folder; the file must be in treatments/."
    assert named_without in refusal("../settings.py")
    assert "there is no such treatment file in treatments/. Available files: " in refusal("missing.toml")
    assert "session config: treatments must be the name of a file in treatments/, not '7'." in refusal(7)
    assert not otree.models.Session.objects_filter().count()


def solo_participants_keep_their_treatment() -> None:
    """Checks that hands, rounds and pages follow the treatment, even after the file has changed."""
    long = "[long]\nhands = 3\ntriangle_app.payoff_base = 7\nhighlight = false\n"
    name = file("solo.toml", f"[short]\nhands = 1\nearnings_so_far = true\n{long}")
    session = made("triangle_standard", 6, name, payoff_base=1)
    file(name, "gone = 3")
    people = session.get_participants()
    assert sorted(map(treatment_of, people)) == ["long"] * 3 + ["short"] * 3
    for person in people:
        hands = [triangle_app.Hand.opening(person.get_player("triangle_app", n)) for n in range(1, 4)]
        short = treatment_of(person) == "short"
        assert [hand is not None for hand in hands] == [True, *[not short] * 2]
        assert [hand.is_last for hand in hands if hand] == ([True] if short else [False, False, True])
        config = config_of(person.get_player("triangle_app", 1))
        fields = ("hands", "payoff_base", "earnings_so_far", "highlight")
        assert [config[key] for key in fields] == ([1, 1, True, True] if short else [3, 7, False, False])
        assert person.vars["treatment"] == person.treatment == treatment_of(person)
    first = {triangle_app.Hand.opening(one.get_player("triangle_app", 1)).deal for one in people}
    assert len(first) == 1, "deals of one seed, as the treatments do not change it"
    assert config_of(session.get_subsessions()[0])["hands"] == 3  # that of the config
    exported = table("triangle_app", session, "custom_export_participants")
    assert [row["treatment"] for row in exported] == [treatment_of(one) for one in people]

    db.commit()
    again = Participant.objects_get(code=people[0].code)
    assert treatment_of(again) == treatment_of(people[0])
    assert not inspect(again).modified, "reading a treatment is no change to be written"

    plain = made("triangle_standard", 2, "off")
    plain.get_participants()[0].vars["treatment"] = "of another app"  # not a treatment here
    player = plain.get_participants()[0].get_player("triangle_app", 1)
    assert triangle_app.Hand.opening(player)
    assert not treatment_of(player.participant)


def added_slots_have_treatments() -> None:
    name = file("more.toml", "[one]\n[two]\nhighlight = false\n")
    session = made("triangle_standard", 3, name, own_deals=True)
    before = dealt_to(session)
    file(name, "gone = 3")
    add_slots(session, 3)
    assert [treatment_of(one) for one in session.get_participants()[:3]] == [
        treatment for treatment, _deals in before
    ]
    after = dealt_to(session)
    assert after[:3] == before
    assert len({deals for _treatment, deals in after}) == 6
    assert [treatment for treatment, _deals in after].count("one") == 3


def dealt_to(session) -> list[tuple[str, str]]:
    players = [one.get_player("triangle_app", 1) for one in session.get_participants()]
    return [(treatment_of(player.participant), triangle_app.Hand.opening(player).deal) for player in players]


def labels_assign_treatments() -> None:
    file("who.csv", "label;treatment\nAnna;b\nBert;a\n")
    name = file("by_label.toml", 'assignment = "by_label"\nlabels = "who.csv"\n[a]\n[b]\nhands = 1\n')
    session = made("triangle_standard", 4, name)
    people = session.get_participants()
    assert [treatment_of(one) for one in people] == [""] * 4  # none before a participant has arrived
    for person, label in zip(people, ("Anna", "Bert", "Carl", None)):
        person.initialize(label)
    assert [treatment_of(one) for one in people[:2]] == ["b", "a"]
    assert {treatment_of(one) for one in people[2:]} <= {"a", "b"}
    carl = "who.csv does not contain the label 'Carl'. Participant 3, who arrived with it, was assigned the"
    assert f"{carl} treatment {treatment_of(people[2])}" in session.comment
    assert (
        "A participant arrived or was advanced without a label, so who.csv could not assign"
        in session.comment
    )
    before = treatment_of(people[3])
    people[3].label = "Anna" if before == "a" else "Bert"
    people[3].initialize(None)
    assert treatment_of(people[3]) == before, "once given it stays"


def wait(people) -> None:
    """Moves the participants to the waiting page, at intervals of some seconds, and polls there."""
    global clock
    for person in people:
        clock += 1
        page = person._get_page_instance()
        while not isinstance(page, (matrix_game_app.Gather, matrix_game_app.Hand)):
            person._submit_current_page()
            page = person._get_page_instance()
        if isinstance(page, matrix_game_app.Gather):
            page.request = SimpleNamespace(query_params={"here": "1"})
            page.get()


def seats(people) -> list[str]:
    return [person.get_player("matrix_game_app", 2).seat for person in people]


def labels_assign_treatments_to_groups() -> None:
    """Checks that nobody plays alone before waiting, because the treatments of late arrivals are unknown."""
    global clock
    file("pairs.csv", "label,treatment\nA,x\nB,y\nC,x\nD,x\n")
    name = file("pairs.toml", 'assignment = "by_label"\nlabels = "pairs.csv"\n[x]\n[y]\npack = "special"\n')
    session = made("matrix_two", 4, name, games=1, no_shows="robot", gather_seconds=100)
    people = session.get_participants()
    for person, label in zip(people, "ABCD"):
        person.initialize(label)
        wait([person])  # past the waiting page of the instructions
        wait([person])
    assert [seat != "" for seat in seats(people)] == [True, False, True, False]
    clock += 100
    wait(people)
    wait(people)
    assert all(seats(people))
    left_over = [
        people[1].get_player("matrix_game_app", 2).group,
        people[3].get_player("matrix_game_app", 2).group,
    ]
    assert left_over[0].id != left_over[1].id, "one of each treatment was left"
    assert [read_opening(group.opening).options["pack"] for group in left_over] == ["special", "standard"]


def groups_share_a_treatment() -> None:
    """Checks that all members of a group have one treatment in every game, with the treatment's own deals."""
    name = file("groups.toml", '[standard]\n[special]\npack = "special"\nshare = 2\n')
    session = made("matrix_two", 12, name, games=2, partners="rematched", same_deals=False, gather_seconds=0)
    people = session.get_participants()
    by_place = [treatment_of(one) for one in people]
    assert by_place[::2] == by_place[1::2]  # pairs of slots that may share a hand
    assert sorted(by_place[::2]) == ["special"] * 4 + ["standard"] * 2
    for person in people:
        person.initialize(None)
    for number in (2, 3):
        for _turn in range(3):
            wait(people)
        players = [person.get_player("matrix_game_app", number) for person in people]
        groups = {player.group_id: player.group for player in players}.values()
        assert len(groups) == 6
        deals = {"standard": [], "special": []}
        for group in groups:
            (treatment,) = {treatment_of(player.participant) for player in group.get_players()}
            assert read_opening(group.opening).options["pack"] == treatment == config_of(group)["pack"]
            deals[treatment].append(read_opening(group.opening).deal)
        assert [len({*dealt}) for dealt in deals.values()] == [2, 4]  # each group has its own
        for person in people:
            index = person._index_in_pages
            person._submit_current_page()
            assert person._index_in_pages > index


def shipped_files_create_sessions() -> None:
    deal_files.TREATMENTS = folders.both("treatments")
    seen = {}
    for config in ("ttt_familiar_422_442", "ttt_pay_moves_time"):
        session = otree.session.create_session(config, num_participants=2)
        for person in session.get_participants():
            first, last = (Solo.opening(person.get_player("ttt_solo_app", n)) for n in (1, 34))
            seen[treatment_of(person)] = (first.source, last.source, last.options["pay_by"])
    assert seen == {
        "familiar_422": ("practice.txt", "transfer422.txt", "moves"),
        "familiar_442": ("practice.txt", "familiar442.txt", "moves"),
        "pay_moves": ("practice.txt", "game422.txt", "moves"),
        "pay_time": ("practice.txt", "game422.txt", "time"),
    }


def lost_participants_are_replaced_in_their_treatment() -> None:
    """Checks that those who finish form complete blocks, although a fifth of the arrivals leave."""
    name = file("arrivals.toml", "[one]\nhands = 1\n[two]\nhands = 1\n[three]\nhands = 1\nshare = 2\n")
    for seed in range(5):
        chance = Random(seed)
        session = made("triangle_standard", 400, name, slots="on_arrival", seed=f"arrivals {seed}")
        present: list[Participant] = []
        finished: Counter[str] = Counter()
        for _arrival in range(150):
            person = add_slot_for_visitor(session)
            present.append(person)
            if len(present) > 8:
                leaver = present.pop(chance.randrange(len(present)))
                leaver.status = "left" if chance.random() < 0.2 else "finished"
                finished[treatment_of(leaver)] += leaver.status == "finished"
                db.commit()
        for person in present:
            finished[treatment_of(person)] += 1
        # The last block may be incomplete, and the last leaver is not replaced.
        assert abs(finished["one"] - finished["two"]) <= 2, finished
        assert abs(finished["three"] - finished["one"] - finished["two"]) <= 3, finished


for check in (
    invalid_files_are_refused,
    solo_participants_keep_their_treatment,
    added_slots_have_treatments,
    labels_assign_treatments,
    groups_share_a_treatment,
    labels_assign_treatments_to_groups,
    lost_participants_are_replaced_in_their_treatment,
    shipped_files_create_sessions,
):
    begun = time.perf_counter()
    check()
    print(f"{check.__name__}: {time.perf_counter() - begun:.1f} s")
