"""The languages of the participants' pages: English, and each with a catalogue in ``_locale/``.

A catalogue is a gettext PO file. Python reads the binary form (MO), which is compiled when a server
starts, so that the gettext tools are not needed. Participants may have other languages than the server.
"""

import ast
import os
import re
import struct
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.terminal import Refusal

ENGLISH = "en"  # the language of the code, which needs no catalogue
VARIABLE = "CARD_LAB_LANGUAGE"  # of the environment; settings.py reads it
_FIELD = re.compile(r'(msgid|msgid_plural|msgstr|msgstr\[\d\])?\s*(".*")')
PLURAL = "\0"  # separates the plural forms of a text, as in gettext's binary catalogue


def catalogues() -> dict[str, Path]:
    """Returns the catalogues by language, in oTree's spelling: ``pt-br`` for the folder ``pt_BR``."""
    files = sorted((project.own_files() / "_locale").glob("*/LC_MESSAGES/messages.po"))
    return {file.parts[-3].replace("_", "-").lower(): file for file in files}


def check_language(language: str) -> str:
    """Returns the language. Raises Refusal if there is no catalogue for it."""
    available = [ENGLISH, *catalogues()]
    if language not in available:
        raise Refusal(
            f"There is no translation for the language '{language}'. Available: {', '.join(available)}. "
            "To add one, see docs/how-to/translate.md."
        )
    return language


def check_project_language(language: str | None) -> None:
    """Raises Refusal if a language is given for a project whose ``settings.py`` does not read it."""
    if not language or not project.IS_INSTALLED:
        return
    if VARIABLE not in (project.FOLDER / "settings.py").read_text("utf-8"):
        raise Refusal(
            "In this project, settings.py decides the language of all pages. Write there: "
            f"LANGUAGE_CODE = '{language}', and omit --language."
        )


def compile_language(language: str) -> str:
    """Compiles the language's catalogue for gettext if it has changed; returns the language."""
    if check_language(language) != ENGLISH:
        file = catalogues()[language]
        compiled = file.with_suffix(".mo")
        content = compile_catalogue(translations(file.read_text("utf-8-sig"), file.name))
        if not compiled.exists() or compiled.read_bytes() != content:
            temporary = compiled.with_suffix(f".{os.getpid()}")  # another process may be reading the old one
            temporary.write_bytes(content)
            temporary.replace(compiled)
    return language


def compile_languages(language: str) -> str:
    """Compiles all catalogues that have changed, because participants may have other languages.

    Returns ``language``, the server's.
    """
    for name, file in catalogues().items():
        compiled = file.with_suffix(".mo")
        if not compiled.exists() or compiled.stat().st_mtime <= file.stat().st_mtime:
            compile_language(name)
    return compile_language(language)


def translations(text: str, name: str) -> dict[str, str]:
    """Returns the translations in a catalogue by English text, without empty and fuzzy ones.

    The plural forms of a text are joined by ``PLURAL``, in English (msgid, msgid_plural) and in the language
    (msgstr[0], msgstr[1] …).
    """
    translated = {}
    for entry in re.split(r"\n\s*\n", text):
        texts: dict[str, str] = {}
        field = "msgid"
        lines = entry.splitlines()
        for line in (line.strip() for line in lines if line.strip() and not line.startswith("#")):
            match = _FIELD.fullmatch(line)
            if not match:
                raise Refusal(f"{name}: this line is not valid in a catalogue: {line}")
            field = match[1] or field
            texts[field] = texts.get(field, "") + ast.literal_eval(match[2])
        fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
        english = [texts[key] for key in ("msgid", "msgid_plural") if key in texts]
        forms = [text for key, text in sorted(texts.items()) if key.startswith("msgstr")]
        if forms and all(forms) and not fuzzy:
            translated[PLURAL.join(english)] = PLURAL.join(forms)
    return translated


def compile_catalogue(translated: dict[str, str]) -> bytes:
    """Returns the binary catalogue (GNU gettext manual, "The Format of GNU MO Files")."""
    pairs = sorted((english.encode(), text.encode()) for english, text in translated.items())
    tables, texts = [b"", b""], b""
    begin = 7 * 4 + 2 * 8 * len(pairs)
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<2I", len(pair[column]), begin + len(texts))
            texts += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, begin)
    return head + b"".join(tables) + texts
