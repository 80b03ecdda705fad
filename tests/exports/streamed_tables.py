"""Writes all tables of a few sessions at once and block by block: the program of ``test_streamed_tables.py``.

Blocks are so small that every table needs several of them.
"""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace

import otree.main

otree.main.setup()

import otree.export  # noqa: E402
from otree.common import get_models_module  # noqa: E402
from otree.database import db, dbq  # noqa: E402
from otree.models import Session  # noqa: E402
from otree.models_concrete import PageTimeBatch  # noqa: E402

from cardlab.core.record_chain import HandKey, RecordEnd, chain  # noqa: E402
from cardlab.core.transitions import Draft, end_hand  # noqa: E402
from cardlab.exports import otree_tables, players  # noqa: E402
from cardlab.games.events import ARRIVE, TUTORIAL_STEP, Event  # noqa: E402
from cardlab.games.hand import Hand  # noqa: E402
from cardlab.games.record import write_event, write_opening  # noqa: E402
from cardlab.live.lab import LAB  # noqa: E402
from cardlab.sessions.apps import games_of  # noqa: E402
from cardlab.sessions.create import create_session  # noqa: E402

START_MS = 1_800_000_000_000
CONFIGS = {"ttt_demo": 3, "matrix_two": 6, "ttt_pair_demo": 4, "two_games": 3}
SEATS = {"matrix_game_app": ("S", "W"), "ttt_pair_app": ("ck", "nk")}

players.BLOCK_PLAYERS, players.BLOCK_PARTICIPANTS, otree_tables.BLOCK_ROWS = 4, 2, 3
otree_tables.BLOCK_PARTICIPANTS = 2


def record(rules, opening, moves: int) -> list[str]:
    """Returns the record of a hand of first legal moves; it ends by timeout if ``moves`` is odd."""
    draft = Draft(Hand(rules, replace(opening, shown_ms=START_MS)))
    for seat in draft.hand.human_seats if len(draft.hand.seats) > 1 else ():
        draft.add(Event(None, seat, ARRIVE, None, START_MS, None))
    while draft.hand.event_count < moves and not rules.is_over(draft.hand.state):
        seat = rules.waiting_for(draft.hand.state)[0]
        action = rules.legal_actions(draft.hand.state, seat)[0]
        number = draft.hand.next_number
        draft.add(Event(number, seat, action, 0, START_MS + 1000 * number))
    if moves % 2:
        end_hand(draft, "timeout", START_MS + 8000)
    draft.add(Event(None, draft.hand.human_seats[0], f"{TUTORIAL_STEP}look", 0, START_MS + 9000, None))
    return [write_opening(draft.hand.opening), *map(write_event, draft.events)]


def match_groups(app: str, session: Session) -> None:
    """Matches the first participant with the last, and so on, for all rounds with hands."""
    models = get_models_module(app)
    openings = [hand[0] for hand in app_deal(app, session)]
    for subsession in models.Subsession.objects_filter(session=session).order_by("round_number"):
        if subsession.round_number == 1 or subsession.round_number > len(openings) + 1:
            continue
        members = subsession.get_players()
        pairs = [members[n : n + 1] + members[-1 - n :][:1] for n in range(len(members) // 2)]
        subsession.set_group_matrix(pairs)
        for pair in pairs:
            pair[0].group.opening = write_opening(openings[subsession.round_number - 2])
            for player, seat in zip(pair, SEATS[app]):
                player.seat = seat


def app_deal(app: str, session: Session):
    return get_models_module(app).deal({**session.config, "group_size": 2}, 2).hands


def play(app: str, session: Session) -> None:
    """Records every second hand of the app."""
    module = get_models_module(app)
    for page in {module.Hand, module.Instructions}:
        seen = set()
        for player in module.Player.objects_filter(session=session).order_by("id"):
            opening, hand_id = page.opening(player), page.hand_id(player)
            if opening and hand_id not in seen:
                seen.add(hand_id)
                if len(seen) % 3:
                    lines = chain(hand_id, "", record(page.rules, opening, 2 + len(seen) % 4))
                    LAB.page_records.append(
                        HandKey(hand_id, session.id, player.participant_id), RecordEnd(), lines
                    )


def written(write, *arguments) -> str:
    """Returns the text that an oTree function writes; its first argument after any app is the file."""
    text = io.StringIO(newline="")
    place = 1 if write in (otree.export.export_app, otree.export.custom_export_app) else 0
    write(*arguments[:place], text, *arguments[place:])
    return text.getvalue()


def compare(name: str, at_once: str, streamed: str) -> None:
    assert at_once.count("\n") > 1, f"{name} has no rows"
    differences = [
        (old, new)
        for rows in zip(csv.reader(io.StringIO(at_once)), csv.reader(io.StringIO(streamed)))
        for old, new in zip(*rows)
        if old != new
    ]
    assert at_once == streamed, f"{name} differs: {differences[:3]}"
    print(name, at_once.count("\n"))


def custom_rows(app: str, function: str, session_code: str | None) -> str:
    """Returns a custom export of a list of all players, as oTree would write it."""
    model = get_models_module(app).Player
    query = dbq(model).order_by("id")
    found = query.filter(model.session.has(code=session_code)).all() if session_code else query.all()
    for player in found:
        player._is_frozen = False
    rows = getattr(get_models_module(app), function)(found)
    cells = [[otree.export.sanitize_for_csv(cell) for cell in row] for row in rows]
    return written(otree.export._export_csv, cells)


def wide_at_once(session_code: str | None) -> str:
    """Returns oTree's wide table without the columns of apps that are empty."""
    heading, *rows = otree.export.get_rows_for_wide_csv(session_code)
    kept = [
        column
        for column, name in enumerate(heading)
        if not name.split(".")[0].endswith("_app") or any(row[column] != "" for row in rows)
    ]
    return written(otree.export._export_csv, [[row[column] for column in kept] for row in (heading, *rows)])


def compare_app(app: str, session_code: str | None) -> None:
    export = otree.export
    for function in export.get_custom_export_functions(app):
        at_once = custom_rows(app, function, session_code)
        compare(f"{app} {function}", at_once, written(export.custom_export_app, app, session_code, function))
    rows = export.get_rows_for_csv(app, session_code)
    compare(app, written(export._export_csv, rows), written(export.export_app, app, session_code))


def compare_wide(session_code: str | None) -> None:
    at_once = wide_at_once(session_code)
    compare(
        f"wide of {session_code and 'one' or 'all'}", at_once, written(otree.export.export_wide, session_code)
    )


def main() -> None:
    sessions = {}
    for config, participants in CONFIGS.items():
        session = create_session(
            config, num_participants=participants, modified_session_config_fields={"seed": 3}
        )
        sessions[session.code] = session.config["app_sequence"]
        for app in games_of(session.config):
            if app in SEATS:
                match_groups(app, session)
            db.commit()
            play(app, session)
    for number in range(8):
        db.add(PageTimeBatch(text=f"code,{number},page\n"))
    db.commit()
    for code, apps in sessions.items():
        for app in apps:
            compare_app(app, code)
            compare_app(app, None)
        compare_wide(code)
    compare_wide(None)
    page_times = written(otree.export.export_page_times).splitlines()
    assert [line for line in page_times if line.startswith("code,")] == [f"code,{n},page" for n in range(8)]


if __name__ == "__main__":
    sys.exit(main())
