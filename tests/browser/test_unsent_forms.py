"""Tests a form that does not reach the server: the page says so, retries, and sends the answers only once."""

import json
import re

import pytest
from playwright.sync_api import expect

LOST = "Connection lost. Reconnecting …"


class Wire:
    """Treats each form that a page sends according to the next of ``fates``, then normally."""

    def __init__(self, player, *fates, page="*"):
        self.fates, self.sent = [*fates], 0
        player.page.route(f"**/{page}/*", self._form)

    def _form(self, route):
        if route.request.method != "POST":
            route.fallback()
            return
        self.sent += 1
        fate = self.fates.pop(0) if self.fates else "arrives"
        if fate == "is lost":
            route.abort()
        elif fate == "answer is lost":
            route.fetch(max_redirects=0)
            route.abort()
        elif fate == "arrives":
            route.fallback()
        else:
            route.fulfill(status=int(fate), content_type="text/plain", body=f"sentence of {fate}\n")


def at_the_check(seat_participant):
    seat_participant.lenient = True  # the browser complains of requests that fail
    player = seat_participant.window(seat_participant(check=True)).arrive()
    player.expect_live()
    player.skip_steps()
    player.expect_page("Check")
    return player


def expect_unsent(player, sentence=LOST):
    expect(player.page.locator("#not-sent")).to_be_visible()
    expect(player.page.locator("#not-sent")).to_have_text(sentence)


def attempts(player):
    (row,) = player.export("custom_export_participants")
    return [json.loads(attempt)[1] for attempt in row["check_answers"].split(" ") if attempt]


def test_offline_answers_are_sent_when_online(seat_participant):
    player = at_the_check(seat_participant)
    player.page.context.set_offline(True)
    player.answer_check()
    expect_unsent(player)
    player.page.get_by_role("button", name="Check my answers").click()  # must not send them twice
    player.page.context.set_offline(False)
    player.expect_title("Hand 1 of 2")
    assert len(attempts(player)) == 1


def test_wrong_answers_with_lost_response_count_once(seat_participant):
    player = at_the_check(seat_participant)
    wire = Wire(player, "answer is lost")
    player.answer_check(nk_into_target="yes")
    expect(player.page.locator(".check-explanation")).to_have_count(1)
    expect(player.page.locator("#not-sent")).to_be_hidden()
    assert (wire.sent, len(attempts(player))) == (1, 1)
    player.answer_check()
    player.expect_title("Hand 1 of 2")
    assert (wire.sent, len(attempts(player))) == (2, 2)


def test_rejected_form_is_shown_with_its_errors(seat_participant):
    player = at_the_check(seat_participant)
    player.answer_check(nk_into_target="yes")
    errors = player.page.locator(".otree-form-errors")
    expect(errors).to_contain_text("Some answers are not right")
    expect(errors).to_be_focused()
    player.page.reload()  # the server's version of the page
    expect(player.page.locator(".check-explanation")).to_have_count(1)


@pytest.mark.long("the same as after other failures", only=("429", "503"))
@pytest.mark.parametrize("fate", ["is lost", "answer is lost", "503", "429"])
def test_next_hand_button_retries_without_skipping(seat_participant, fate):
    seat_participant.lenient = True
    player = seat_participant.window(seat_participant()).to_the_hand()
    player.press("c", "t", "t")
    wire = Wire(player, fate)
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    assert wire.sent == (1 if fate == "answer is lost" else 2)
    assert player.actions(2) == []


def test_refused_form_is_resent_only_by_button(seat_participant):
    player = at_the_check(seat_participant)
    wire = Wire(player, "413")
    player.answer_check()
    expect_unsent(player, "sentence of 413")
    assert wire.sent == 1
    player.page.get_by_role("button", name="Check my answers").click()
    player.expect_title("Hand 1 of 2")


def test_timed_out_page_continues_once_online(seat_participant):
    seat_participant.lenient = True
    player = seat_participant.window(seat_participant(time_limit_seconds=2)).arrive()
    player.expect_live()
    wire = Wire(player, "is lost", page="Hand")
    player.skip_steps()
    player.expect_page("Pause")
    assert wire.sent == 2
    assert player.actions(1)[-1] == ("end timeout", "1")


def test_without_scripts_the_browser_sends_the_form(seat_participant):
    player = at_the_check(seat_participant)
    player.page.route(re.compile(r"/static/(?!otree|bootstrap).*\.js"), lambda route: route.abort())
    player.page.reload()
    with player.page.expect_request(lambda request: request.method == "POST") as sent:
        player.answer_check()
    assert sent.value.is_navigation_request()
    player.expect_page("Hand")
