"""Adds sentences for the researcher to a session's comment, which the admin pages show."""

from __future__ import annotations

from otree.models import Session


def add_sentence(comment: str | None, sentence: str) -> str:
    """Returns the comment with the sentence on a new line, if it is not in the comment yet."""
    if sentence in (comment or ""):
        return comment or ""
    return f"{comment or ''}\n{sentence}".strip()


def tell_researcher(session: Session, sentence: str) -> None:
    """Adds a sentence to the session's comment; the caller commits."""
    session.comment = add_sentence(session.comment, sentence)
