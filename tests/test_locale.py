"""``_locale/messages.pot`` holds every word that a participant reads, so that a language is one file.

    python -m tests.test_locale

writes it anew; run it after words have changed. docs/running-a-session.md says how a lab translates.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

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
"""


def words_of_python(source: str) -> Iterator[str]:
    """The sentences in ``_("…")``."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_":
            yield ast.literal_eval(node.args[0])


def words_of_template(source: str) -> Iterator[str]:
    """The words in ``{{ trans "…" }}``."""
    for _mark, words in re.findall(r"""{{\s*trans\s+(["'])(.*?)\1\s*}}""", source):
        yield words


def words() -> dict[str, list[str]]:
    """Every sentence with the files that say it, in the order of files and then of the alphabet."""
    found: dict[str, list[str]] = {}
    for room in sorted([ROOT / "games", ROOT / "experiment", ROOT / "_templates", *ROOT.glob("*_app")]):
        for path in sorted([*room.rglob("*.py"), *room.rglob("*.html")]):
            reader = words_of_python if path.suffix == ".py" else words_of_template
            for sentence in reader(path.read_text(encoding="utf-8")):
                files = found.setdefault(sentence, [])
                files += [name for name in [path.relative_to(ROOT).as_posix()] if name not in files]
    return {sentence: found[sentence] for sentence in sorted(found, key=lambda each: (found[each], each))}


def template() -> str:
    entries = [
        "".join(f"#: {file}\n" for file in files)
        + f'msgid {json.dumps(sentence, ensure_ascii=False)}\nmsgstr ""\n'
        for sentence, files in words().items()
    ]
    return "\n".join([HEADER, *entries])


def test_the_template_of_translations_holds_every_word():
    assert TEMPLATE.read_text(encoding="utf-8") == template(), "run: python -m tests.test_locale"


def test_words_are_found_in_code_and_in_templates():
    assert list(words_of_python('def f():\n    return _("one " "two {n}").format(n=3)')) == ["one two {n}"]
    line = """<b>{{ trans "It's" }}</b> {{trans 'a "b"'}} {{ trans "c" }}"""
    assert list(words_of_template(line)) == ["It's", 'a "b"', "c"]


def test_every_translated_word_in_the_rooms_is_a_text_of_its_own():
    """gettext looks a sentence up as a whole, so it must stand in the code as a whole."""
    for sentence in words():
        assert sentence.strip() == sentence != ""


if __name__ == "__main__":
    TEMPLATE.parent.mkdir(exist_ok=True)
    TEMPLATE.write_text(template(), encoding="utf-8", newline="\n")
