"""What participants read before they agree to take part."""

from __future__ import annotations

import pytest
import without_database  # noqa: F401

from consent_app import of_records


@pytest.mark.parametrize("label", [None, ""])
def test_without_a_label_the_records_have_a_code_alone(label):
    assert of_records(label) == "The records identify you by a code, not by your name."


def test_a_label_is_named_because_every_export_contains_it():
    told = of_records("PC_01")
    assert told == "The records identify you by a code and by your label: PC_01."
    assert "not by your name" not in told  # a label may be a name
