"""Tests the sentences that participants read before they agree to take part."""

import pytest
import without_database  # noqa: F401

from consent_app.pages import records_sentence


@pytest.mark.parametrize("label", [None, ""])
def test_records_without_label_have_only_a_code(label):
    assert records_sentence(label) == "We store your data under a code, not under your name."


def test_records_name_the_label():
    sentence = records_sentence("PC_01")
    assert sentence == "We store your data under a code and your label: PC_01."
    assert "not your name" not in sentence  # a label may be a name
