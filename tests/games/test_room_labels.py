"""Tests the label files of rooms: lists of labels, and CSV files with languages."""

import pytest

from cardlab.games.dealing import DealFile
from cardlab.games.label_file import read_room_labels

KNOWN = ("en", "de", "it")
LANGUAGES = "Write one of en, de, it, or leave the cell empty."
CHARACTERS = "Use only the characters a–z, A–Z, 0–9 and _."


def read(text):
    """Returns the labels with their languages, and the errors as text."""
    found = read_room_labels(DealFile("lab.txt", text, ""), KNOWN)
    return found.languages, [*map(str, found.faults)]


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("PC01\r\nPC02\r\n\r\n", {"PC01": "", "PC02": ""}),
        ("\ufeff PC01\n\tPC02", {"PC01": "", "PC02": ""}),
        ("label\n", {"label": ""}),
        ("label,language\nPC01,it\nPC02,\n\nPC03, DE\n", {"PC01": "it", "PC02": "", "PC03": "de"}),
        ("\ufeffseat;language;label\r\n1;en;a\r\n2;it;b\r\n", {"a": "en", "b": "it"}),
        ('"label"\t"language"\n"PC01"\t"it"\n', {"PC01": "it"}),
    ],
)
def test_labels_and_languages_are_read(text, languages):
    assert read(text) == (languages, [])
    assert [*read(text)[0]] == [*languages], "in the order of the file"


@pytest.mark.parametrize(
    ("text", "languages", "faults"),
    [
        ("a\nb\n a\n", "ab", ["lab.txt, line 3, column 2: a is already in line 1. Delete one of the two."]),
        (
            "a\nb  c\n",
            "abc",
            [
                "lab.txt, line 2, column 1: 'b' is not alone on its line. Write one label per line.",
                "lab.txt, line 2, column 4: 'c' is not alone on its line. Write one label per line.",
            ],
        ),
        ("Jürgen\nb\n", "b", [f"lab.txt, line 1, column 1: 'Jürgen' is not a valid label. {CHARACTERS}"]),
        (
            "a,it\n",
            "",
            [
                f"lab.txt, line 1, column 1: 'a,it' is not a valid label. {CHARACTERS} "
                "For a file with more columns, write label,language in the first line."
            ],
        ),
        (
            f"a\n{'x' * 101}\n",
            "a",
            ["lab.txt, line 2, column 1: The label has 101 characters. The limit is 100."],
        ),
        (
            " \n\n",
            "",
            ["lab.txt: This file has no labels, so nobody can enter the room. Write one label per line."],
        ),
        (
            "label,language\na,it\nb,xx\nc d,it\n",
            "ab",
            [
                "lab.txt, line 3: Column language: 'xx' is not a language of this server. " + LANGUAGES,
                f"lab.txt, line 4: Column label: 'c d' is not a valid label. {CHARACTERS}",
            ],
        ),
        (
            "label,langauge\na,it\n",
            "",
            [
                "lab.txt, line 1: The first line must name exactly one column language. "
                "It has label, langauge."
            ],
        ),
        (
            "label,language\na,it\na,de\nb,de\n",
            "a",
            ["lab.txt, line 3: The label 'a' is also in line 2. Each label may appear only once."],
        ),
    ],
)
def test_label_file_faults_are_found(text, languages, faults):
    labels, found = read(text)
    assert "".join(labels) == languages
    assert found == faults
