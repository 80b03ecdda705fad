"""Checks that ``_locale/messages.pot`` holds every participant text, and that catalogues are complete.

    python -m tests.test_locale

rewrites the template and updates the catalogues' sentences; new ones get an empty translation. Run it after
the wording has changed. docs/how-to/translate.md explains how to translate.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cardlab.operations.languages import PLURAL, catalogues, translations

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "_locale" / "messages.pot"
HEADER = """\
# What participants of Card Lab read. Copy this file to _locale/<language>/LC_MESSAGES/messages.po and
# translate each msgid into the msgstr below it. Words in braces, like {number}, are filled in by the
# program: keep them as they are.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


def words_of_python(source: str) -> Iterator[str]:
    """Yields the sentences in ``_("…")`` and, joined by PLURAL, the two in ``ngettext("…", "…", count)``."""
    for node in ast.walk(ast.parse(source)):
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if called == "_":
            yield ast.literal_eval(node.args[0])
        elif called == "ngettext":
            yield PLURAL.join(map(ast.literal_eval, node.args[:2]))


def words_of_template(source: str) -> Iterator[str]:
    """Yields the words in ``{{ trans "…" }}``."""
    for _mark, words in re.findall(r"""{{\s*trans\s+(["'])(.*?)\1\s*}}""", source):
        yield words


@cache
def words() -> dict[str, list[str]]:
    """Returns every sentence with the files that contain it, sorted by files, then alphabetically."""
    files_by_sentence: dict[str, list[str]] = {}
    for room in sorted([ROOT / "cardlab", ROOT / "_templates", *ROOT.glob("*_app")]):
        for path in sorted([*room.rglob("*.py"), *room.rglob("*.html")]):
            reader = words_of_python if path.suffix == ".py" else words_of_template
            for sentence in reader(path.read_text(encoding="utf-8")):
                files = files_by_sentence.setdefault(sentence, [])
                files += [name for name in [path.relative_to(ROOT).as_posix()] if name not in files]
    return {
        sentence: files_by_sentence[sentence]
        for sentence in sorted(files_by_sentence, key=lambda each: (files_by_sentence[each], each))
    }


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def number_of_forms(head: str) -> int:
    """Returns the number of plural forms of a language from its catalogue's header."""
    said = re.search(r"nplurals=(\d)", head)
    return int(said[1]) if said else 2


def entry(sentence: str, translation: str, forms: int) -> str:
    """Returns the catalogue entry of a sentence; ``translation`` is "" if there is none."""
    if PLURAL not in sentence:
        return f"msgid {quoted(sentence)}\nmsgstr {quoted(translation)}\n"
    one, several = sentence.split(PLURAL)
    said = translation.split(PLURAL) if translation else [""] * forms
    lines = [f"msgstr[{number}] {quoted(form)}\n" for number, form in enumerate(said)]
    return f"msgid {quoted(one)}\nmsgid_plural {quoted(several)}\n{''.join(lines)}"


def catalogue(head: str, translated: dict[str, str]) -> str:
    """Returns the catalogue's text: ``head``, then every sentence with its translation, if any."""
    forms = number_of_forms(head)
    entries = [
        "".join(f"#: {file}\n" for file in files) + entry(sentence, translated.get(sentence, ""), forms)
        for sentence, files in words().items()
    ]
    return "\n".join([head, *entries])


def template() -> str:
    return catalogue(HEADER, {})


def read(file: Path) -> tuple[str, dict[str, str]]:
    """Returns the header of a catalogue and its translations."""
    text = file.read_text(encoding="utf-8")
    head = text.partition("\n\n")[0].rstrip() + "\n"
    return head, {sentence: said for sentence, said in translations(text, str(file)).items() if sentence}


def test_translation_template_is_current():
    assert TEMPLATE.read_text(encoding="utf-8") == template(), "run: python -m tests.test_locale"


def test_sentences_are_found_in_code_and_templates():
    assert list(words_of_python('def f():\n    return _("one " "two {n}").format(n=3)')) == ["one two {n}"]
    line = """<b>{{ trans "It's" }}</b> {{trans 'a "b"'}} {{ trans "c" }}"""
    assert list(words_of_template(line)) == ["It's", 'a "b"', "c"]


def test_plurals_are_found_and_keep_their_translations():
    source = 'ngettext("{n} card", "{n} cards", n)'
    assert list(words_of_python(source)) == ["{n} card\0{n} cards"]
    written = entry("{n} card\0{n} cards", "{n} carta\0{n} carte", 2)
    lines = ['msgid "{n} card"', 'msgid_plural "{n} cards"', 'msgstr[0] "{n} carta"', 'msgstr[1] "{n} carte"']
    assert written.splitlines() == lines
    assert translations(written, "messages.po") == {"{n} card\0{n} cards": "{n} carta\0{n} carte"}
    assert entry("{n} card\0{n} cards", "", 3).count('""') == 3


def test_sentences_have_no_outer_spaces():
    """gettext looks up whole sentences, so the code must contain them whole."""
    for sentence in words():
        for form in sentence.split(PLURAL):
            assert form.strip() == form != ""


def marks(text: str) -> list[str]:
    """Returns the placeholders and HTML that a translation must keep."""
    return sorted(re.findall(r"\{\w*\}|</?\w+[^>]*>", text))


def keeps_marks(sentence: str, translation: str) -> bool:
    """Returns whether a translation keeps the marks; only the last plural form must have the count."""
    english = [marks(form) for form in sentence.split(PLURAL)]
    forms = [marks(form) for form in translation.split(PLURAL)]
    return forms[-1] == english[-1] and all(form in english for form in forms)


@pytest.mark.parametrize("language", catalogues())
def test_catalogues_are_complete(language):
    _head, translated = read(catalogues()[language])
    lacking = [f"{', '.join(files)}: {text}" for text, files in words().items() if text not in translated]
    assert not lacking, f"not in {language}, run python -m tests.test_locale and translate: {lacking}"
    assert not translated.keys() - words().keys(), "run: python -m tests.test_locale"


@pytest.mark.parametrize("language", catalogues())
def test_translations_keep_placeholders_and_html(language):
    _head, translated = read(catalogues()[language])
    assert {text: said for text, said in translated.items() if not keeps_marks(text, said)} == {}
    forms = [form for said in translated.values() for form in said.split(PLURAL)]
    assert [form for form in forms if form != form.strip()] == []


@pytest.mark.parametrize("language", catalogues())
def test_catalogues_name_the_glossary(language):
    head, _translated = read(catalogues()[language])
    [page] = re.findall(r"\bdocs/\S+\.md\b", head)
    assert (ROOT / page).exists()


@pytest.mark.parametrize("language", catalogues())
def test_plurals_have_as_many_forms_as_the_language(language):
    head, translated = read(catalogues()[language])
    assert "Plural-Forms: nplurals=" in head
    plurals = [said for text, said in translated.items() if PLURAL in text]
    assert [said for said in plurals if len(said.split(PLURAL)) != number_of_forms(head)] == []


COLLECT = {"de": r"(?i)\b(?:nehm|nimm|genommen)", "it": r"(?i)\b(?:prend|pres[aeio]\b)"}


@pytest.mark.parametrize("language", COLLECT)
def test_collecting_has_one_word_per_language(language):
    """The words are those of docs/reference/translation-glossary.md."""
    _head, translated = read(catalogues()[language])
    said = {text: translated[text] for text in words() if re.search("[Cc]ollect", text)}
    assert len(said) > 30
    assert [form for form in said.values() if not re.search(COLLECT[language], form)] == []


def test_german_addresses_readers_with_du():
    """Within a sentence, a capital letter marks the formal address."""
    _head, translated = read(catalogues()["de"])
    formal = re.compile(r"[\w,] (?:Sie|Ihnen|Ihr\w{0,2})\b")
    assert formal.search("Öffnen Sie")
    assert [text for text in translated.values() if formal.search(text)] == []


if __name__ == "__main__":
    TEMPLATE.parent.mkdir(exist_ok=True)
    TEMPLATE.write_text(template(), encoding="utf-8", newline="\n")
    for file in catalogues().values():
        file.write_text(catalogue(*read(file)), encoding="utf-8", newline="\n")
