"""The exception by which the guard rejects a request."""

from __future__ import annotations


class Refused(Exception):
    """Raised to answer a request with an HTTP ``status`` and a ``sentence`` that says what is wrong."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
