"""Tests the languages of the server and the compilation of their catalogues."""

import gettext

import pytest

from cardlab.operations import languages
from cardlab.operations.command_line import main
from cardlab.operations.terminal import Refusal

CATALOGUE = """\
# who translated it
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n<5 ? 1 : 2);\\n"

msgid "{n} card"
msgid_plural "{n} cards"
msgstr[0] "{n} karta"
msgstr[1] "{n} karty"
msgstr[2] ""
"{n} kart"

#: cardlab/games/cards.py
msgid "red"
msgstr "rosso"

msgid ""
"One moment: "
"“{card}”"
msgstr "Un attimo: “{card}”"

#, fuzzy
msgid "black"
msgstr "bianco"

msgid "left"
msgstr ""

#~ msgid "gone"
#~ msgstr "via"
"""


@pytest.fixture
def catalogue(project):
    for folder in ("it", "pt_BR"):
        file = project / "_locale" / folder / "LC_MESSAGES" / "messages.po"
        file.parent.mkdir(parents=True)
        file.write_text(CATALOGUE, "utf-8-sig" if folder == "pt_BR" else "utf-8")
    return project / "_locale" / "it" / "LC_MESSAGES" / "messages.po"


def test_language_is_compiled_for_gettext(project, catalogue):
    assert languages.compile_language("it") == "it"
    assert languages.compile_language("pt-br") == "pt-br"
    read = gettext.translation("messages", project / "_locale", ["it"]).gettext
    assert [read(word) for word in ("red", "One moment: “{card}”")] == ["rosso", "Un attimo: “{card}”"]
    assert [read(word) for word in ("black", "left", "gone")] == ["black", "left", "gone"]


def test_plurals_follow_the_rule_of_the_catalogue(project, catalogue):
    languages.compile_language("it")
    read = gettext.translation("messages", project / "_locale", ["it"]).ngettext
    said = [read("{n} card", "{n} cards", n) for n in (1, 2, 5)]
    assert said == ["{n} karta", "{n} karty", "{n} kart"]


def test_changed_catalogue_is_compiled_again(project, catalogue):
    languages.compile_language("it")
    compiled = catalogue.with_suffix(".mo")
    before = compiled.stat().st_ino
    languages.compile_language("it")
    assert compiled.stat().st_ino == before
    catalogue.write_text(CATALOGUE.replace("rosso", "vermiglio"), "utf-8")
    languages.compile_language("it")
    assert b"vermiglio" in compiled.read_bytes()
    assert sorted(path.name for path in catalogue.parent.iterdir()) == ["messages.mo", "messages.po"]


def test_english_needs_no_catalogue(project):
    assert languages.compile_language("en") == "en"


def test_unknown_language_is_refused(project, catalogue, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab.py", "run", "--language", "fr"])
    assert main() == 2
    assert (
        "There is no translation for the language 'fr'. Available: en, it, pt-br." in capsys.readouterr().err
    )


def test_invalid_catalogue_is_named(project, catalogue):
    catalogue.write_text('msgid "red"\nmsgstr rosso\n', "utf-8")
    with pytest.raises(Refusal, match="messages.po: this line is not valid in a catalogue: msgstr rosso"):
        languages.compile_language("it")
