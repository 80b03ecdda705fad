"""The hands of a session that is made: what oTree and ``cardlab.sessions.create`` ask every app for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from otree.common import get_models_module
from otree.models import Session

from cardlab.games.dealing import DealtSession
from cardlab.games.record import Opening, is_opening_line, read_opening, write_opening
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.treatments import config_in, names_in, of_row

Deal = Callable[[Mapping[str, Any], int], DealtSession]  # the config, how many take part → the hands; BadFile


def of_session(deal: Deal, field: str = "opening", first_round: int = 1) -> tuple[Callable, Callable]:
    """An app's ``check_session`` and ``creating_session``: both deal, and the second keeps what was dealt.

    The openings of each hand are written, a line for each, to ``field`` of the subsession of its round; the
    first hand has ``first_round``. Where the session has treatments, each is dealt by itself, and its lines
    stand below its name (:func:`lines_of`). ``creating_session.deal_again`` tells what they would be if more
    took part (``cardlab.sessions.add_participants``).
    """

    def check_session(config: Mapping[str, Any], participants: int) -> None:
        """Asked before anything of a session is made; raises BadFile with what is wrong."""
        deal(config, participants)

    def creating_session(subsession: Any) -> None:
        """Deal every hand of the session, when oTree asks for its first round."""
        if subsession.round_number > 1:
            return
        dealt, notices = by_round(subsession, subsession.session.num_participants)
        for notice in notices:
            tell_researcher(subsession.session, notice)
        for of_hand, fields in dealt:
            for name, text in fields.items():
                setattr(of_hand, name, text)

    def by_round(subsession: Any, participants: int) -> tuple[list[tuple[Any, dict[str, str]]], list[str]]:
        session, app = subsession.session, subsession.get_folder_name()
        texts: dict[int, str] = defaultdict(str)
        told: list[str] = []
        for treatment in names_in(session):
            hands, notices = deal(config_in(session, app, treatment), participants)
            told += notices
            for number, openings in enumerate(hands, first_round):
                heading = f"[{treatment}]\n" if treatment else ""
                texts[number] += ("\n" if texts[number] else "") + heading
                texts[number] += "\n".join(map(write_opening, openings))
        rounds = subsession.in_rounds(min(texts), max(texts)) if texts else []
        return [(of_hand, {field: texts[of_hand.round_number]}) for of_hand in rounds], told

    creating_session.deal_again = lambda subsession, participants: by_round(subsession, participants)[0]
    return check_session, creating_session


def lines_of(text: str, treatment: str = "") -> list[str]:
    """The openings of a round that are a treatment's, a line each, as ``creating_session`` wrote them."""
    lines: list[str] = []
    own = not treatment
    for line in text.split("\n"):  # splitlines would part at U+2028 too
        if line and not is_opening_line(line):
            own = line == f"[{treatment}]"
        elif line and own:
            lines.append(line)
    return lines


@lru_cache(maxsize=4096)
def openings_of_round(
    app: str, session_code: str, round_number: int, treatment: str = ""
) -> tuple[Opening, ...]:
    """The hand that a treatment of a session has in a round: one for all, or one for each participant; none
    if it has none.

    Fixed when the session is created, so it is read and parsed once and not at every page: pages
    wait for one another, and thirty participants load theirs at the same moment.
    """
    models = get_models_module(app)
    round_of_hand = (
        models.Subsession.objects_filter(round_number=round_number)
        .join(Session)
        .filter(Session.code == session_code)
        .one()
    )
    return tuple(map(read_opening, lines_of(round_of_hand.opening, treatment)))


def openings_for(player: Any, round_number: int) -> tuple[Opening, ...]:
    """The same for a player of the app, in their treatment."""
    app, session_code = player.get_folder_name(), player.participant._session_code
    return openings_of_round(app, session_code, round_number, of_row(player))
