"""Tests that deal files are found by name and refused in one sentence."""

import hashlib

import pytest

from cardlab.games.contract import BadFile
from cardlab.sessions import deal_files
from cardlab.sessions.deal_files import read_deal_file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Provides a ``deals/ttt`` folder, with a file next to it that no setting may reach."""
    monkeypatch.setattr(deal_files, "DEALS", [tmp_path / "deals"])
    (tmp_path / "deals" / "ttt").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("not to be read", "utf-8")
    return tmp_path / "deals" / "ttt"


def refusal(name):
    with pytest.raises(BadFile) as refused:
        read_deal_file("ttt", name, "show file")
    return refused.value


def test_file_is_read_with_its_hash(folder):
    content = "// Größe ♥\r\n2H 3H\n".encode()
    (folder / "a.txt").write_bytes(content)
    assert read_deal_file("ttt", "a.txt", "show file") == (
        "a.txt",
        "// Größe ♥\r\n2H 3H\n",
        hashlib.sha256(content).hexdigest(),
    )


def test_byte_order_mark_is_removed(folder):
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbf2H")
    assert read_deal_file("ttt", "a.txt", "show file").text == "2H"


def test_missing_file_error_lists_existing_files(folder):
    (folder / "b.txt").write_text("", "utf-8")
    (folder / "a.txt").write_text("", "utf-8")
    assert str(refusal("c.txt")) == (
        "c.txt: there is no such show file in deals/ttt/. Available files: a.txt, b.txt."
    )


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../secret.txt",
        "../../secret.txt",
        "ttt/a.txt",
        "/etc/hostname",
        "..\\secret.txt",
        "C:\\a.txt",
        "a.txt/",
    ],
)
def test_name_with_folder_is_refused(folder, name):
    (folder / "a.txt").write_text("", "utf-8")
    assert "write the name of the show file without a folder; the file must be in deals/ttt/." in str(
        refusal(name)
    )


@pytest.mark.parametrize("name", [".", "..", ".hidden", "a\0b.txt", "x" * 300 + ".txt", "sub"])
def test_unknown_name_is_a_missing_file(folder, name):
    (folder / "sub").mkdir()
    (folder / ".hidden").write_text("", "utf-8")
    assert "there is no such show file" in str(refusal(name))


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (
            b"2H\n3H\n\xe8\n",
            (3, 1),
            "a.txt, line 3, column 1: the show file must be text in UTF-8. Save it as UTF-8.",
        ),
        (
            b"\xef\xbb\xbf2H\n3H\xe8",
            (2, 3),
            "a.txt, line 2, column 3: the show file must be text in UTF-8. Save it as UTF-8.",
        ),
        (
            "♥♥\n♥".encode() + b"\xff",
            (2, 2),
            "a.txt, line 2, column 2: the show file must be text in UTF-8. Save it as UTF-8.",
        ),
        (
            "2H 3H\n".encode("utf-16"),
            (1, 1),
            "the show file must be text in UTF-8, not in UTF-16. Save it as UTF-8.",
        ),
        (
            "2H 3H\n".encode("utf-16-le"),
            (1, 2),
            "the show file must be text in UTF-8, not in UTF-16. Save it as UTF-8.",
        ),
        (
            "2H 3H\n".encode("utf-16-be"),
            (1, 1),
            "the show file must be text in UTF-8, not in UTF-16. Save it as UTF-8.",
        ),
    ],
)
def test_invalid_text_error_has_line_and_column(folder, content, place, words):
    (folder / "a.txt").write_bytes(content)
    wrong = refusal("a.txt")
    assert ((wrong.line, wrong.column), str(wrong)[-len(words) :]) == (place, words)


def test_file_may_have_a_megabyte(folder):
    (folder / "a.txt").write_bytes(b"2H 3H\n// \n".ljust(1_000_000))
    assert len(read_deal_file("ttt", "a.txt", "show file").text) == 1_000_000
    (folder / "a.txt").write_bytes(b"2H 3H\n// \n".ljust(10_000_000))
    wrong = refusal("a.txt")
    assert str(wrong).startswith("a.txt, line 3, column ")
    assert str(wrong).endswith(": the show file is too large. The limit is 1000 kB.")


def test_long_name_is_shortened_in_error(folder):
    assert str(refusal("x" * 300 + "\n")).startswith("x" * 79 + "…: there is no such show file")
    assert len(str(refusal("a/" + "\n" * 300))) < 200


def test_unreadable_file_is_refused(folder, monkeypatch):
    (folder / "a.txt").write_text("2H", "utf-8")

    def unreadable(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(deal_files.Path, "read_bytes", unreadable)
    assert str(refusal("a.txt")) == "a.txt: the show file cannot be read (Permission denied)."
