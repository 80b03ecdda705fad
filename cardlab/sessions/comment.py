"""The comment of a session, in which the researcher reads on the admin pages what happened in it."""

from __future__ import annotations

from otree.models import Session


def add_sentence(comment: str | None, sentence: str) -> str:
    """Returns the comment with the sentence on a new line, unless the comment contains it."""
    if sentence in (comment or ""):
        return comment or ""
    return f"{comment or ''}\n{sentence}".strip()


def tell_researcher(session: Session, sentence: str) -> None:
    """Adds a sentence to the session's comment; the caller commits."""
    session.comment = add_sentence(session.comment, sentence)
