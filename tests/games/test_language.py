"""Tests the language of a context: concurrent tasks and threads each keep their own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from gettext import gettext

import pytest
import without_database  # noqa: F401 - the catalogues
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.language import SERVERS, cached_by_language, current_language, in_language, set_language
from cardlab.games.number_format import plain
from cardlab.games.sentence import sentence
from cardlab.games.ttt.texts import board_texts
from cardlab.live.client import start_task
from cardlab.operations import languages
from cardlab.sessions.money import format_money
from cardlab.sessions.participant_language import available, choices, valid_language

languages.compile_languages("en")  # as settings.py does


def made():
    return board_texts()["passed"], plain(0.5), sentence("Time is up.").translated


def test_texts_follow_the_language():
    with in_language("it"):
        italian = made()
        with in_language("de"):
            german = made()
        assert made() == italian
    assert made()[:2] == ("Passed.", "0.5")
    assert italian[1] == german[1] == "0,5"
    assert len({italian[0], german[0], "Passed."}) == len({italian[2], german[2], "Time is up."}) == 3
    assert current_language() == SERVERS


def test_money_follows_the_language():
    shown = {}
    for language in ("", "en", "it", "de"):
        with in_language(language):
            shown[language] = format_money(3.2)
    assert shown[""] == shown["en"] == "€3.20"
    assert shown["de"] == shown["it"] == "3,20\N{NO-BREAK SPACE}€"


@given(st.lists(st.sampled_from(["", "en", "it", "de"]), min_size=2, max_size=8))
def test_concurrent_tasks_keep_their_languages(spoken):
    with in_language("it"):
        italian = made()
    with in_language("de"):
        german = made()
    wanted = {"it": italian, "de": german, "": made(), "en": made()}

    async def participant(language):
        set_language(language)
        seen = []
        for _turn in range(3):
            await asyncio.sleep(0)
            seen.append(made() == wanted[language])
            seen.append(await start_task(of_server()) == wanted[""])
        return all(seen)

    async def of_server():
        return made()

    async def together():
        return await asyncio.gather(*(participant(language) for language in spoken))

    assert all(asyncio.run(together()))
    with ThreadPoolExecutor(4) as threads:
        contexts = []
        for language in spoken:
            context = copy_context()
            context.run(set_language, language)
            contexts.append(context)
        found = list(threads.map(lambda context: context.run(made), contexts))
    assert found == [wanted[language] for language in spoken]


def test_cache_has_a_result_for_each_language():
    calls = []

    @cached_by_language
    def text():
        calls.append(current_language())
        return gettext("Hand")

    for language in ("it", "", "it", ""):
        with in_language(language):
            text()
    assert calls == ["it", ""]


def test_cache_keeps_arguments_apart():
    said = cached_by_language(lambda text: gettext(text))
    with in_language("it"):
        assert [said("left"), said("right")] == ["sinistra", "destra"]
    assert [said("left"), said("right")] == ["left", "right"]


def test_languages_have_their_own_names():
    assert dict(choices()) == {"en": "English", "it": "Italiano", "de": "Deutsch"}
    assert {*available()} == {"en", "it", "de"}


@pytest.mark.parametrize("unknown", ["", "fr", "IT", "it-IT", "../it", None, 1, ["it"], "it\n"])
def test_unknown_languages_are_the_servers(unknown):
    assert valid_language(unknown) == SERVERS
