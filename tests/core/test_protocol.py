"""Tests that every message of a browser is either parsed or refused with a sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.core.protocol import (
    MAX_ACTION_LENGTH,
    MAX_MESSAGE_LENGTH,
    MAX_MS,
    MAX_TRACES,
    Malformed,
    Message,
    parse,
)
from cardlab.games.events import ABSENCE_CHOICES

GOOD = {"hand": 3, "number": 7, "action": "T", "ms": 12_345, "traces": [["pick nk", 11_000], ["pick t", 0]]}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
whole = st.integers(0, MAX_MS)
words = st.text(
    st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=MAX_ACTION_LENGTH
)  # printable
messages = st.builds(
    Message,
    hand=whole,
    number=whole,
    action=words,
    ms=whole,
    traces=st.lists(st.tuples(words, whole), max_size=MAX_TRACES).map(tuple),
    again=st.just(False),
    note=st.just(""),
    choice=st.just(""),
)
notes = st.builds(lambda hand, note, ms: Message(hand, ms=ms, note=note), whole, words, whole)


def message_text(**changes):
    return json.dumps({**GOOD, **changes})


def outcome(text):
    """Returns the message, or the sentence that refuses it. Any exception but Malformed is a failure."""
    try:
        message = parse(text)
    except Malformed as malformed:
        return str(malformed)
    assert_valid(message)
    return message


def is_refused(text):
    sentence = outcome(text)
    return isinstance(sentence, str) and sentence.endswith(".")


def assert_valid(message):
    assert all(
        type(value) is int and 0 <= value <= MAX_MS for value in (message.hand, message.number, message.ms)
    )
    assert message.again or 0 < len(message.action or message.note or message.choice) <= MAX_ACTION_LENGTH
    assert len(message.traces) <= MAX_TRACES
    for action, ms in message.traces:
        assert action.isprintable()
        assert 0 < len(action) <= MAX_ACTION_LENGTH
        assert type(ms) is int
        assert 0 <= ms <= MAX_MS


@given(anything)
def test_any_json_is_parsed_or_refused_in_words(value):
    outcome(json.dumps(value))


@given(st.text() | st.binary() | anything)
def test_any_text_is_refused_in_words(value):
    outcome(value)


@given(st.sampled_from([*GOOD, "again", "note", "else"]), anything)
def test_message_with_any_field_replaced_is_handled(field, value):
    outcome(message_text(**{field: value}))


@given(st.lists(st.one_of(anything, st.tuples(anything, anything)), min_size=1, max_size=3))
def test_any_traces_are_handled(value):
    outcome(message_text(traces=value))


@given(messages)
def test_every_message_of_a_page_is_parsed(message):
    fields = {name: getattr(message, name) for name in (*GOOD, "again", "early")}
    text = json.dumps({**fields, "traces": list(message.traces)})
    if len(text) <= MAX_MESSAGE_LENGTH:
        assert parse(text) == message


@given(notes)
def test_every_note_of_a_page_is_parsed(message):
    assert parse(json.dumps({"hand": message.hand, "note": message.note, "ms": message.ms})) == message


@given(anything)
def test_unknown_choice_is_refused(value):
    text = json.dumps({"hand": 3, "choice": value})
    if value in ABSENCE_CHOICES:
        assert parse(text) == Message(3, choice=value)
    else:
        with pytest.raises(Malformed):
            parse(text)


@pytest.mark.parametrize("choice", ABSENCE_CHOICES)
def test_every_choice_is_parsed(choice):
    assert parse(json.dumps({"hand": 3, "choice": choice})) == Message(3, choice=choice)


def test_move_and_restart_messages_are_parsed():
    assert parse(message_text()) == Message(3, 7, "T", 12_345, (("pick nk", 11_000), ("pick t", 0)))
    assert parse(message_text(early=True)).early
    assert parse('{"hand": 0, "again": true}') == Message(0, again=True)
    without = {key: value for key, value in GOOD.items() if key != "traces"}
    assert parse(json.dumps(without)).traces == ()


@pytest.mark.parametrize(
    "text",
    [
        None,
        b'{"hand": 1, "again": true}',
        "",
        "null",
        "[]",
        "7",
        '"T"',
        "{",
        message_text() + "x",
        "[" * 9_999,
        '{"hand":' * 1_000,
        '{"hand": NaN, "again": true}',
        '{"hand": Infinity, "again": true}',
        '{"hand": 1e3, "again": true}',
        '{"hand": ' + "9" * 9_000 + "}",
        '{"again": true}',
        message_text(hand=True),
        message_text(hand=-1),
        message_text(hand="3"),
        message_text(hand=3.0),
        message_text(hand=None),
        message_text(number=False),
        message_text(number=MAX_MS + 1),
        message_text(number=10**400),
        message_text(ms=True),
        message_text(ms=-1),
        message_text(ms=1.5),
        message_text(ms=MAX_MS + 1),
        message_text(action=None),
        message_text(action=""),
        message_text(action="P" * (MAX_ACTION_LENGTH + 1)),
        message_text(action="P\n"),
        message_text(action="P\u2028"),
        message_text(action="P\x00"),
        message_text(action="\ud800"),  # a lone surrogate, which no database accepts
        message_text(action=["P"]),
        message_text(note=""),
        message_text(note=None),
        message_text(note="rules\n"),
        message_text(note="r" * (MAX_ACTION_LENGTH + 1)),
        message_text(traces=None),
        message_text(traces="pick c"),
        message_text(traces={}),
        message_text(traces=[[]]),
        message_text(traces=[["pick c"]]),
        message_text(traces=[["pick c", 1, 2]]),
        message_text(traces=[{"pick c": 1}]),
        message_text(traces=["pi"]),
        message_text(traces=[["pick c", True]]),
        message_text(traces=[["pick c", -1]]),
        message_text(traces=[["", 1]]),
        message_text(traces=[["\ud800", 1]]),
        message_text(traces=[["pick c", 1]] * (MAX_TRACES + 1)),
    ],
)
def test_malformed_messages_are_rejected(text):
    assert is_refused(text)


def test_only_true_asks_for_a_fresh_deal():
    assert [parse(message_text(again=value)).again for value in ("true", 1, None, False, [])] == [False] * 5
    assert parse(message_text(again=True)) == Message(3, again=True)


def test_values_at_the_limits_are_allowed():
    assert parse(message_text(action="P" * MAX_ACTION_LENGTH)).action == "P" * MAX_ACTION_LENGTH
    assert len(parse(message_text(traces=[["pick c", MAX_MS]] * MAX_TRACES)).traces) == MAX_TRACES
    assert parse(message_text(number=MAX_MS, ms=0)).number == MAX_MS
    padding = " " * (MAX_MESSAGE_LENGTH - len(message_text()))
    assert parse(message_text() + padding).action == "T"
    assert is_refused(message_text() + padding + " ")
