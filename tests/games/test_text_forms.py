"""Tests texts with variants for counts and devices, as a page's scripts receive them."""

from gettext import ngettext

from cardlab.games.text_forms import SAMPLES, by_count, by_device


def test_every_sample_count_has_its_form():
    forms = by_count(lambda count: ngettext("{count} card", "{count} cards", count))
    assert list(forms) == [str(count) for count in SAMPLES]
    assert [forms["1"], forms["0"], forms["100"]] == ["{count} card", "{count} cards", "{count} cards"]


def test_text_has_one_sentence_for_each_device():
    assert by_device("Click it.", "Tap it.") == {"mouse": "Click it.", "touch": "Tap it."}
