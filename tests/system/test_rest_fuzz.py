"""Tests that no request to the REST interface fails, with or without the key."""

import json
import random

import pytest
import requests
from server_fixture import REST_KEY

METHODS = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"]
ADDRESSES = [
    *(
        "otree_version",
        "session_configs",
        "rooms",
        "apps",
        "sessions",
        "sessions/{code}",
        "get_session/{code}",
    ),
    *(
        "participant_vars/{code}",
        "participant_vars",
        "session_vars/{code}",
        "places/{code}",
        "payments/{code}",
    ),
    *(
        "notices/{code}",
        "export_wide",
        "export_page_times",
        "export_browser_events",
        "export_page_texts",
        "export_chat",
        "export_app",
        "export_app_custom",
        "no",
    ),
]
FIELDS = {
    "session_config_name": ["ttt_demo", "none"],
    "num_participants": [1, 2, 0, -1],
    "room_name": ["lab", "open", "none"],
    "participant_label": ["PC01", "<b>"],
    "label": ["Monday"],
    "modified_session_config_fields": [{"seed": 1}, {"seed": []}, {"none": 1}, {"check": "perhaps"}],
    "vars": [{"a": 1}, {}, {"": None}],
    "places": [1, 0, -5, 10**9],
    "participant_labels": [["PC01"], []],
    "participant_vars": [["a"], ["cardlab"]],
    "session_vars": [["a"]],
    "is_demo": [True, False],
    "unknown": [1],
}
ANY = [
    None,
    True,
    0,
    -1,
    1.5,
    2**40,
    10**400,
    1e308,
    "",
    "text",
    "é😀",
    [],
    [[]],
    [1, "a", None],
    {},
    {"a": {"b": 1}},
]
BROKEN = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b"[" * 5000,
    b'{"a": NaN}',
    b'{"vars": "\\ud800"}',
    b"a=1&b=2",
]
QUERIES = [
    "",
    "app=ttt_solo_app",
    "session_code={code}",
    "app=none&session_code=none",
    "function_name=custom_export",
]
QUERIES += ["app=ttt_solo_app&session_code={code}&function_name=none", "format=%00&app=%ff", "app=&app=[]"]


def requests_of(dice, code):
    """Yields random requests endlessly: method, address, body and headers."""
    while True:
        codes = [code, code, "none", "a'b", "%00", "é", "-" * 300]
        where = dice.choice(ADDRESSES).format(code=dice.choice(codes))
        query = "&".join(dice.sample(QUERIES, dice.randrange(3))).format(code=code)
        names = dice.sample([*FIELDS], dice.randrange(5))
        fields = {name: dice.choice(FIELDS[name] if dice.random() < 0.7 else ANY) for name in names}
        body = json.dumps(fields).encode() if dice.random() < 0.7 else dice.choice(BROKEN)
        key = dice.choice([REST_KEY, REST_KEY, REST_KEY, "wrong", None])
        kind = dice.choice(
            ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "x"]
        )
        headers = {"Content-Type": kind, **({"otree-rest-key": key} if key else {})}
        yield dice.choice([*METHODS, "POST", "POST", "GET"]), f"/api/{where}?{query}", body, headers


@pytest.mark.parametrize("seed", range(3))
def test_random_requests_never_fail(server, seed):
    code = server.create_session("ttt_demo", participants=2).code
    dice, answers = random.Random(seed), set()
    stream = requests_of(dice, code)
    with requests.Session() as http:
        http.trust_env = False
        for _ in range(200):
            method, path, body, headers = next(stream)
            answer = http.request(method, server.url + path, data=body, headers=headers, timeout=60)
            request = (method, path, body, headers, answer.status_code, answer.text[:300])
            assert answer.status_code < 500, request
            if headers.get("otree-rest-key") != REST_KEY:
                assert answer.status_code in (403, 404), request
            answers.add(answer.status_code)
    assert {200, 400, 403, 404, 405} <= answers
