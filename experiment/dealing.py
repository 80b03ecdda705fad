"""The hands of a session that is made: what oTree and ``experiment.sessions`` ask every app for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from experiment.config import config_of, tell_researcher
from games.dealing import Dealt
from games.record import write_opening

Deal = Callable[[Mapping[str, Any], int], Dealt]  # the config, how many take part → the hands; BadFile


def of_session(deal: Deal, field: str = "opening", first_round: int = 1) -> tuple[Callable, Callable]:
    """An app's ``check_session`` and ``creating_session``: both deal, and the second keeps what was dealt.

    The openings of each hand are written, a line for each, to ``field`` of the subsession of its round; the
    first hand has ``first_round``.
    """

    def check_session(config: Mapping[str, Any], participants: int) -> None:
        """Asked before anything of a session is made; raises BadFile with what is wrong."""
        deal(config, participants)

    def creating_session(subsession: Any) -> None:
        """Deal every hand of the session, when oTree asks for its first round."""
        if subsession.round_number > 1:
            return
        session = subsession.session
        hands, notices = deal(config_of(subsession), session.num_participants)
        for notice in notices:
            tell_researcher(session, notice)
        rounds = subsession.in_rounds(first_round, first_round + len(hands) - 1)
        for of_hand, openings in zip(rounds, hands):
            setattr(of_hand, field, "\n".join(map(write_opening, openings)))

    return check_session, creating_session
