"""Writes hands as one HTML file that shows step by step what a participant could see.

``choice`` selects hands of the sources, ``steps`` makes the steps of a hand from a table (a game's module
``logs`` makes those of its logs), and ``page`` renders the file with the participants' boards.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TextIO

from cardlab.analysis.browser_events import Person, Reported
from cardlab.analysis.folding import reject_malformed_settings
from cardlab.analysis.games import module
from cardlab.analysis.hands import find_game
from cardlab.analysis.replay import choice, page
from cardlab.analysis.replay.steps import JsonObject, replay_hand
from cardlab.analysis.source_hand import SourceHand


def write_page(
    hands: Iterable[SourceHand],
    file: TextIO,
    *,
    hand_id: str | None = None,
    participant: str | None = None,
    seat: str | None = None,
    reported: Mapping[Person, Reported] = MappingProxyType({}),
) -> int:
    """Writes the page of the hand ``hand_id``, or of all hands of ``participant``; returns their number.

    The hands are shown from ``seat``, by default that of the participant, or of the first who acted, with the
    path of the pointer if it was ``reported``. Raises BadFile if there is no such hand, participant or seat,
    or if a hand breaks the rules.
    """
    replays = []
    for hand in choice.select_hands(hands, hand_id, participant):
        steps = _replay_hand(hand, seat or choice.choose_seat(hand, participant), hand_id is not None)
        path = _pointer_path(hand, reported.get((hand.cells["session_code"], steps["participant"])))
        replays.append({**steps, "pointer": path} if path else steps)
    file.write(page.render_page(replays))
    return len(replays)


def _pointer_path(hand: SourceHand, reported: Reported | None) -> list[tuple[int, int, int]]:
    if reported is None or hand.shown_ms is None or not hand.events:
        return []
    return reported.pointer_path(hand.shown_ms, hand.events[-1].server_ms)


def _replay_hand(hand: SourceHand, seat: str | None, is_single: bool) -> JsonObject:
    """Returns a hand step by step. Only a single hand gets notes that need a search."""
    game = find_game(hand)
    if hand.row_source:
        replay = hand.row_source.replay(seat)
    else:
        with reject_malformed_settings(hand):
            notes_module = module(game.name, "replay_notes")
            annotate = (
                notes_module.action_notes
                if notes_module and (is_single or not notes_module.SEARCHES)
                else None
            )
            replay = replay_hand(hand, seat, game.rules, annotate)
    return {"id": hand.hand_id, "game": game.name, "title": game.title, **replay}
