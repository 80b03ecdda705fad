"""Tests that the server logs no participant code, because a code gives access to a seat."""

import io
import logging

import pytest
import sqlalchemy
import without_database  # noqa: F401
from otree.models import Participant
from sqlalchemy.orm import Session

from cardlab.guard import log_masking
from cardlab.guard.log import RepetitionFilter

CODE = "ab12cd34"
NAMED = "participant 3 of session s1s2s3s4"


@pytest.fixture(autouse=True)
def known_participant():
    """Provides a participant whose row has been read from a database."""
    log_masking.mask_codes()
    engine = sqlalchemy.create_engine("sqlite://")
    table = Participant.__table__
    table.metadata.create_all(engine, [table.metadata.tables["otree_session"], table])
    session = Session(bind=engine)
    session.execute(table.insert().values(id=1, code=CODE, id_in_session=3, _session_code="s1s2s3s4"))
    assert session.query(Participant).one().code == CODE
    yield
    session.close()


@pytest.fixture
def log():
    """Returns the output of a handler that is set up like the server's."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(log_masking.CodeMaskingFormatter(logging.Formatter("%(message)s")))
    handler.addFilter(RepetitionFilter(handler))
    logger = logging.getLogger("cardlab.masking")
    logger.addHandler(handler)
    yield lambda: handler.stream.getvalue()
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    ("text", "written"),
    {
        f'127.0.0.1:4711 - "GET /p/{CODE}/ttt/Hand/7 HTTP/1.1" 200': f"/p/{NAMED}/ttt/Hand/7 ",
        f"/InitializeParticipant/{CODE}?participant_label=PC7": f"/InitializeParticipant/{NAMED}?",
        f"hand ttt_solo_app-s1s2s3s4-{CODE}-1: damaged": f"hand ttt_solo_app-s1s2s3s4-{NAMED}-1: damaged",
        f"logs/lab/ck231126_{CODE}.txt": f"logs/lab/ck231126_{NAMED}.txt",
        f"[parameters: ('{CODE}',)]": f"('{NAMED}',)",
        # Codes whose row was never read:
        "/hand/zz99zz99/7": "/hand/unknown participant/7",
        "/live?participant_code=zz99zz99&page=3": "participant_code=unknown participant&page=3",
        '{"participant_code": "zz99zz99"}': '"participant_code": "unknown participant"}',
    }.items(),
)
def test_codes_are_replaced_by_numbers(text, written):
    assert written in log_masking.without_codes(text)


def test_other_words_are_not_masked():
    text = (
        "The database of session s1s2s3s4 is finished: /SessionMonitor/s1s2s3s4, database.py, page 12345678"
    )
    assert log_masking.without_codes(text) == text


def test_the_text_of_an_exception_is_masked(log):
    try:
        raise KeyError(CODE)
    except KeyError:
        logging.getLogger("cardlab.masking").exception("of %s", CODE)
    assert log().splitlines()[0] == f"of {NAMED}"
    assert log().splitlines()[-1] == f"KeyError: '{NAMED}'"


def test_codes_in_omitted_lines_are_masked(log):
    for _number in range(25):
        logging.getLogger("cardlab.masking").error("of %s", CODE)
    assert (log().count(NAMED), log().count(CODE)) == (20, 0)


def test_a_code_has_a_name_for_messages():
    assert log_masking.name_of(CODE) == NAMED
    assert log_masking.name_of("\r\nforged") == "unknown participant"


def test_every_handler_masks_codes():
    loggers = [logging.getLogger(name) for name in (None, "uvicorn", "uvicorn.access")]
    handlers = [logging.lastResort, *(each for logger in loggers for each in logger.handlers)]
    unmasked = [each for each in handlers if not isinstance(each.formatter, log_masking.CodeMaskingFormatter)]
    assert [each for each in unmasked if "pytest" not in type(each).__module__] == []
