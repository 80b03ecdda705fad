"""A request that is answered before oTree sees it: a status and one sentence."""

from __future__ import annotations


class Refused(Exception):
    """``status`` is the HTTP status; ``sentence`` says what is wrong."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
