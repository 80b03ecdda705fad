"""Tests the checks of REST requests before oTree: key, then body, then fields."""

import pytest
from guard_client import EchoApp, send_request

KEY = (b"otree-rest-key", b"right")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OTREE_REST_KEY", "right")


def sent(content, path="/api/sessions", given=(KEY,)):
    return send_request(path=path, pieces=[content], given=given)


@pytest.mark.parametrize(
    "path", ["/api/sessions", "/api/slots/abc", "/api/any", "/create_browser_bots_session"]
)
@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "Send the server's REST key in the header otree-rest-key.\n"),
        ([(b"otree-rest-key", b"")], "The key in the header otree-rest-key is wrong.\n"),
        (
            [(b"otree-rest-key", b"\xff")],
            "The key in the header otree-rest-key is wrong.\n",
        ),
    ],
)
def test_the_rest_key_is_checked_first(path, given, sentence):
    inner = EchoApp()
    got = send_request(inner, path=path, pieces=[b"no JSON"], given=given)
    assert (got.status, got.text, inner.bodies) == (403, sentence, [])


def test_rest_is_closed_without_a_key(monkeypatch):
    monkeypatch.setenv("OTREE_REST_KEY", "")
    assert sent(b"{}", given=[(b"otree-rest-key", b"")]).status == 403


@pytest.mark.parametrize("content", [b"{}", b'{"vars": {"a": [1, 2.5, null, "\xc3\xbc"]}}', b'{"any": true}'])
def test_a_json_object_is_passed_on_unchanged(content):
    inner = EchoApp()
    assert send_request(inner, path="/api/session_vars/abc", pieces=[content], given=[KEY]).status == 200
    assert inner.bodies == [content]


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"no JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        b"{}{}",
        b'{"a": \xff}',
    ],
)
def test_invalid_json_is_refused(content):
    assert sent(content).text == "The request body is not valid JSON in UTF-8.\n"
    assert sent(content).status == 400


@pytest.mark.parametrize("content", [b"[]", b"1", b"null", b'"text"', b"true"])
def test_json_must_be_an_object(content):
    assert (sent(content).status, sent(content).text) == (
        400,
        "The request body must be a JSON object.\n",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'{"vars": []}', "vars must be an object."),
        (b'{"vars": null}', "vars must be an object."),
        (b'{"participant_labels": "PC1"}', "participant_labels must be a list of strings."),
        (b'{"participant_vars": [1]}', "participant_vars must be a list of strings."),
        (b'{"case_number": true}', "case_number must be a whole number."),
        (b'{"session_config_name": {}}', "session_config_name must be a string."),
        (b'{"vars": {"a": "\\ud800"}}', "A string in the request contains characters that cannot be stored."),
        (b'{"vars": {"\\u0000": 1}}', "A string in the request contains characters that cannot be stored."),
        (
            b'{"vars": ' + b'{"a":' * 60 + b"1" + b"}" * 61,
            "Lists and objects in the request are nested more than 50 levels deep.",
        ),
    ],
)
def test_fields_of_a_wrong_kind_are_refused(content, sentence):
    assert (sent(content).status, sent(content).text) == (400, sentence + "\n")


def test_optional_fields_may_be_null():
    assert sent(b'{"participant_labels": null, "session_vars": null, "case_number": null}').status == 200
