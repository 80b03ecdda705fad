"""Deals the hands of a session when it is created, and reads them later."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from otree.common import get_models_module
from otree.models import Session

from cardlab.games.dealing import Config, DealtSession
from cardlab.games.record import Opening, is_opening_line, read_shared_opening, write_opening
from cardlab.sessions.comment import tell_researcher
from cardlab.sessions.treatments import config_in_treatment, row_treatment, treatment_names

Deal = Callable[[Config, int], DealtSession]  # gets a config and the number of participants; raises BadFile
Fields = list[tuple[Any, dict[str, str]]]  # subsessions, with the values of their fields


class CreatingSession:
    """An app's ``creating_session``: deals all hands of the session and stores the deals.

    The openings of a hand are the lines of ``field`` in the subsession of its round; the first hand is in
    ``first_round``. Each treatment is dealt separately, and its lines follow its name (:func:`lines_of`).
    """

    def __init__(self, deal: Deal, field: str, first_round: int) -> None:
        self._deal, self.field, self._first_round = deal, field, first_round

    def __call__(self, subsession: Any) -> None:
        """Deals all hands when an app's own ``creating_session`` calls this for the first round."""
        if subsession.round_number > 1:
            return
        session = subsession.session
        texts = self.deal(session, subsession.get_folder_name(), session.num_participants)
        write_fields(self._fields(subsession, texts))

    def deal(self, session: Session, app: str, participants: int) -> dict[int, str]:
        """Deals all hands, and shows the game's notices about them to the researcher.

        Returns the text of each round that has a hand.
        """
        texts, notices = self._texts(session, app, participants)
        for notice in notices:
            tell_researcher(session, notice)
        return texts

    def deal_again(self, subsession: Any, participants: int) -> Fields:
        """Returns the fields for another number of participants (``cardlab.sessions.add_participants``)."""
        texts, _notices = self._texts(subsession.session, subsession.get_folder_name(), participants)
        return self._fields(subsession, texts)

    def _texts(self, session: Session, app: str, participants: int) -> tuple[dict[int, str], list[str]]:
        texts: dict[int, str] = defaultdict(str)
        notices: list[str] = []
        for treatment in treatment_names(session):
            deal = self._deal(config_in_treatment(session, app, treatment), participants)
            notices += deal.notices
            for number, openings in enumerate(deal.hands, self._first_round):
                heading = f"[{treatment}]\n" if treatment else ""
                texts[number] += ("\n" if texts[number] else "") + heading
                texts[number] += "\n".join(map(write_opening, openings))
        return texts, notices

    def _fields(self, subsession: Any, texts: dict[int, str]) -> Fields:
        rounds = subsession.in_rounds(min(texts), max(texts)) if texts else []
        return [(each_round, {self.field: texts[each_round.round_number]}) for each_round in rounds]


def write_fields(fields: Fields) -> None:
    """Writes values to the fields of subsessions."""
    for subsession, values in fields:
        for name, text in values.items():
            setattr(subsession, name, text)


def session_hooks(
    deal: Deal, field: str = "opening", first_round: int = 1
) -> tuple[Callable[[Config, int], None], CreatingSession]:
    """Returns an app's ``check_session`` and ``creating_session``: both deal, only the second stores."""

    def check_session(config: Config, participants: int) -> None:
        deal(config, participants)

    return check_session, CreatingSession(deal, field, first_round)


def lines_of(text: str, treatment: str = "") -> list[str]:
    """Returns the lines of a treatment's openings in a round's field."""
    lines: list[str] = []
    is_config_itself = not treatment
    for line in text.split("\n"):  # splitlines would split at U+2028 too
        if line and not is_opening_line(line):
            is_config_itself = line == f"[{treatment}]"
        elif line and is_config_itself:
            lines.append(line)
    return lines


@lru_cache(maxsize=512)  # rounds of the sessions under way; each may take some 10 kB
def openings_of_round(
    app: str, session_code: str, round_number: int, treatment: str = ""
) -> tuple[Opening, ...]:
    """Returns a treatment's openings in a round: one for all, one for each participant, or none.

    They never change, so they are parsed once instead of for every page.
    """
    models = get_models_module(app)
    subsession = (
        models.Subsession.objects_filter(round_number=round_number)
        .join(Session)
        .filter(Session.code == session_code)
        .one()
    )
    return tuple(map(read_shared_opening, lines_of(_openings_text(subsession), treatment)))


def lines_by_round(app: str, session_code: str, treatment: str) -> list[list[str]]:
    """Returns the lines of a treatment's openings in each round of a session, in order."""
    model = get_models_module(app).Subsession
    rounds = model.objects_filter().join(Session).filter(Session.code == session_code)
    return [lines_of(_openings_text(subsession), treatment) for subsession in rounds.order_by("round_number")]


def openings_of_session(player: Any) -> tuple[Opening, ...]:
    """Returns the openings of all rounds in the player's treatment."""
    return _openings_of_session(*_session_of(player))


@lru_cache(maxsize=64)
def _openings_of_session(app: str, session_code: str, treatment: str) -> tuple[Opening, ...]:
    rounds = lines_by_round(app, session_code, treatment)
    return tuple(read_shared_opening(line) for lines in rounds for line in lines)


def openings_for(player: Any, round_number: int) -> tuple[Opening, ...]:
    """Returns the openings of a round for a player, in their treatment."""
    app, session_code, treatment = _session_of(player)
    return openings_of_round(app, session_code, round_number, treatment)


def _session_of(player: Any) -> tuple[str, str, str]:
    return player.get_folder_name(), player.participant._session_code, row_treatment(player)


def _openings_text(subsession: Any) -> str:
    """Returns the text that ``creating_session`` wrote; its column depends on whether groups are dealt."""
    text: str = subsession.openings if hasattr(subsession, "openings") else subsession.opening
    return text
