"""The languages that participants may read: English, and each that has a catalogue in ``_locale/``.

A catalogue is GNU gettext's text file, which any editor of translations writes. Its binary form, which Python
reads, is made when a server of that language starts, so that nobody needs the tools of gettext.
"""

from __future__ import annotations

import ast
import os
import re
import struct
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.terminal import Refusal

ENGLISH = "en"  # the language of the code, which needs no catalogue
VARIABLE = "CARD_LAB_LANGUAGE"  # of the environment; settings.py reads it
_FIELD = re.compile(r'(msgid|msgstr)?\s*(".*")')


def catalogues() -> dict[str, Path]:
    """The catalogues by language, as oTree spells languages: ``it``, ``pt-br`` for the folder ``pt_BR``."""
    files = sorted((project.FOLDER / "_locale").glob("*/LC_MESSAGES/messages.po"))
    return {file.parts[-3].replace("_", "-").lower(): file for file in files}


def known(language: str) -> str:
    """The language, if participants can read it; refuses others and names those that there are."""
    there = [ENGLISH, *catalogues()]
    if language not in there:
        raise Refusal(
            f"There is no language '{language}' here, only {', '.join(there)}. "
            "How to add one stands in docs/translating.md."
        )
    return language


def ready(language: str) -> str:
    """The language, known and ready to be read by gettext."""
    if known(language) != ENGLISH:
        file = catalogues()[language]
        compiled, made = file.with_suffix(".mo"), binary(translations(file.read_text("utf-8"), file.name))
        if not compiled.exists() or compiled.read_bytes() != made:
            beside = compiled.with_suffix(f".{os.getpid()}")  # another process may read the old one just now
            beside.write_bytes(made)
            beside.replace(compiled)
    return language


def translations(text: str, name: str) -> dict[str, str]:
    """What the text of a catalogue translates; what is empty or marked as fuzzy stays English."""
    found = {}
    for entry in re.split(r"\n\s*\n", text):
        said, field = {"msgid": "", "msgstr": ""}, "msgid"
        lines = entry.splitlines()
        for line in (line.strip() for line in lines if line.strip() and not line.startswith("#")):
            match = _FIELD.fullmatch(line)
            if not match:
                raise Refusal(f"{name}: this is neither msgid nor msgstr: {line}")
            field = match[1] or field
            said[field] += ast.literal_eval(match[2])
        fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
        if said["msgstr"] and not fuzzy:
            found[said["msgid"]] = said["msgstr"]
    return found


def binary(translated: dict[str, str]) -> bytes:
    """The catalogue in the form that gettext reads (GNU gettext manual, "The Format of GNU MO Files")."""
    pairs = sorted((sentence.encode(), said.encode()) for sentence, said in translated.items())
    tables, texts = [b"", b""], b""
    begin = 7 * 4 + 2 * 8 * len(pairs)
    for which in (0, 1):
        for pair in pairs:
            tables[which] += struct.pack("<2I", len(pair[which]), begin + len(texts))
            texts += pair[which] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, begin)
    return head + b"".join(tables) + texts
