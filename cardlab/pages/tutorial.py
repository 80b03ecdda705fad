"""The instructions: the rules step by step, with a board to try."""

from __future__ import annotations

from collections.abc import Callable
from gettext import gettext as _
from typing import Any

from cardlab.core.clock import now_ms
from cardlab.games.dealing import Config
from cardlab.games.events import TUTORIAL_STEP
from cardlab.games.hand import Hand
from cardlab.games.record import Opening, is_opening_line, read_event
from cardlab.games.shared_settings import REQUIRED
from cardlab.live.lab import LAB
from cardlab.live.seat import hand_id
from cardlab.pages.board import BoardPage
from cardlab.sessions.config import config_of


class TutorialPage(BoardPage):
    """The instructions, in the first round: steps with a board to try, which can be restarted.

    A step is a task on the board (``_static/<game>/pages.js``), which the part of that name in the app's
    ``Rules.html`` explains. The page reports completed steps, which are notes in the board's record.
    Subclasses set ``STEPS``, the names of all steps; the last has no task. They set ``practice_opening``,
    which returns the hand to try, given the config and the session's first hand; one of its seats has no
    robot. The player needs ``instructions_done_ms``.
    """

    template_name = "cardlab/Instructions.html"
    repeatable = True
    STEPS: tuple[str, ...]
    OPTIONAL: tuple[str, ...] = ()  # steps that may be left out even where the tutorial is required
    practice_opening: Callable[[Config, Opening], Opening]

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the opening of the hand to try."""
        return cls.practice_opening(config_of(player), cls.first_opening(player))

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the seat without a robot."""
        (seat,) = Hand(cls.rules, cls.opening(player)).human_seats
        return seat

    @classmethod
    def steps(cls, player: Any) -> tuple[str, ...]:
        """Returns the steps in this session's instructions."""
        return cls.STEPS

    @classmethod
    def can_note(cls, name: str) -> bool:
        """Returns whether ``name`` is a step."""
        return name.startswith(TUTORIAL_STEP) and name[len(TUTORIAL_STEP) :] in cls.STEPS

    @classmethod
    def steps_done(cls, player: Any) -> list[str]:
        """Returns the steps that the participant has completed; none if the record is damaged."""
        if cls.hand(player) is None:
            return []
        lines = [line.text for line in LAB.page_records.lines(cls.hand_id(player))]
        noted = [read_event(line).tutorial_step for line in lines if not is_opening_line(line)]
        return list(dict.fromkeys(name for name in noted if name))

    @classmethod
    def hand_id(cls, player: Any) -> str:
        """Returns the id of the board's record, one for each participant."""
        return hand_id(player, player.participant.code, "tutorial")

    @classmethod
    def hand_number(cls, player: Any) -> int:
        """Returns 0, which no hand of the session has."""
        return 0

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether it is the first round."""
        return bool(player.round_number == 1)

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the completed steps and the coach's texts."""
        board = super().js_vars(player)
        return {
            **board,
            "required": config_of(player)["tutorial"] == REQUIRED,
            "steps": cls.steps(player),
            "done": cls.steps_done(player),
            "words": {**board["words"], **cls.texts.coach_texts(cls.options(player))},
        }

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the rules, the board and its keys."""
        return {
            **cls.template_vars(player),
            "keys": cls.texts.keys_sentence(cls.options(player)),
        }

    @classmethod
    def error_message(cls, player: Any, values: dict[str, Any]) -> str | None:
        """Refuses to go on before every step is done, if the session requires it.

        Optional steps, and the board to try, need not be done.
        """
        if config_of(player)["tutorial"] == REQUIRED:
            missing = {*cls.steps(player)[:-1]} - {*cls.OPTIONAL, *cls.steps_done(player)}
            if missing:
                return _("Please finish all steps of the instructions first.")
        return None

    @classmethod
    def before_next_page(cls, player: Any, timeout_happened: bool) -> None:
        """Records when the participant finished the instructions by themselves."""
        if not timeout_happened:
            player.instructions_done_ms = now_ms()
