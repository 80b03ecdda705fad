"""Checks for plain English as far as a program can: short sentences and no odd phrases.

    python -m tests.test_wording

lists every place that a test in this file would report, with the figures of each page.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages_of_docs import ROOT, paths

MEDIAN_WORDS = 18  # of the sentences of a page
MAX_WORDS = 40  # of a sentence
HOW_TO_WORDS = 900
ALL_WORDS = 53_500
FEWEST_SENTENCES = 8  # a median of fewer says little

# Phrases that are hardly ever English, with their usual replacements. Each pattern is narrow, so that
# ordinary sentences pass; test_ordinary_english_passes has examples.
BEFORE_HEADLESS = "of|for|from|with|to|by|than|that"
BANNED = {
    r"(?<!-)\bbesides(?=[.,;:!?)])": "also",
    r"\bto be seen to\b": "needs attention",
    r"\bnothing hinders\b|\bwhat hinders\b": "ready to; what prevents",
    r"\bto be had\b": "available",
    r"\b(?:goes|go) on by itself\b": "continues automatically",
    r"\bof itself\b|\bby itself\b(?= (?:after|when|in|as|if)\b)": "automatically",
    r"\banew\b": "again",
    r"\btime (?:is|was) over\b": "time is up",
    (
        r"\b(?:this|it) is no (?!longer|more|less|way|use\b|need\b|doubt|better|worse|different|problem)"
        r"[a-z]+\b(?! than)"
    ): "is not a; unknown",
    r"\btoo much was tried\b": "you have used all tries",
    r"\bwhat becomes of\b": "what happens to",
    r"\bnow as it stands\b": "the current",
    r"\bless \d+ (?:points )?(?:for|a|per)\b": "minus",
    r"\bnot at hand\b|\bis at hand\b|\bare at hand\b": "available",
    r"\b(?:place|seat|slot|participant)s? too many\b": "surplus",
    r"\bnobody's but\b": "belongs to",
    r"\bsearch for garbage\b|\bsearches for garbage\b": "garbage collection",
    r"\brefers? to itself\b|\brefers? to themselves\b": "reference cycle",
    r"\bby the clock\b(?! of)": "on a timer",
    r"\bone in (?:ten|twenty|a hundred|two hundred) (?:took|takes|waited|waits)\b": "95th percentile",
    r"\b(?:is|are) told (?:of|so)\b": "is notified",
    r"\btried anew\b|\bhave it tried\b|\bto have it\b": "retry",
    r"\b(?:stood|stands|stand) (?:in|above|below|beside) (?:the|a|an|it|its|docs|its own)\b": "is in",
    r"\bwhat is asked of the database\b": "query",
    r"\brefuse[sd]? in words\b": "reject",
    r"\bput into words\b": "described",
    r"\bhow sure one may be\b": "confidence interval",
    r"\bis an other's\b|\bare an other's\b": "belongs to another",
    r"\byou stand better\b|\bstands better\b": "is ahead",
    r"\bnot the game any more\b": "the game is over",
    r"\bpays? a look\b|\bto be looked at\b": "needs a check",
    r"\b(?:on )?Debian's kin\b|\band its kin\b": "Debian and similar systems",
    r"\bfrom nothing to\b": "from scratch",
    r"\bpasses included\b": "a pass is a move",
    r"\bfor taking part you receive\b": "you also receive … for taking part",
    r"\bback one turn\b": "undo",
    r"\bpass the lead\b": "let the other lead",
    r"\bfits nowhere any more\b": "fits nowhere",
    r"\bplaying one's\b": "playing your",
    r"\bperhaps the goal lies\b": "the goal card may be there",
    r"\bleads the study\b": "the person running the study",
    r"\bmost moves in a hand\b": "you have at most … moves",
    r"\blooks for other people\b": "you do not fit this study's criteria",
    r"\bnobody left to play\b": "no partner was available",
    r"\bcall for help\b": "ask for help",
    r"\bis over then\b": "ends",
    r"\bin vain\b": "without success; failed",
    r"\ba process of its own\b(?= that| which)": "a subprocess",
    r"\ball that is left of\b": "the data of",
    r"\bbeside the server\b": "in a subprocess",
    r"\bhow (?:many|much) one (?:can|may|must)\b": "how many you can",
}
# "Who leaves loses the points.": a relative clause without its noun.
VERBS = "has|had|does|did|was|plays|leaves|comes|came|stays|reads|reaches|refuses|waits"
HEADLESS = rf"\b(?:{BEFORE_HEADLESS}) who (?:{VERBS})\b"
HEADLESS_START = r"(?:^|[.!?:] )Who (?!are you\b)[a-z]+ [^.?!]*[.!]"
# Names that are meaningless out of context; the modules that once had them are renamed.
BANNED_MODULES = {
    *("beside", "apart", "company", "one_of_several", "turns", "here", "garbage", "together", "prepared"),
    *("gathering", "told_hand", "parts", "words", "alike", "folds", "lines"),
}
BANNED_FUNCTIONS = {"said", "asked", "there", "found", "told", "who_plays", "beside", "apart", "gone"}

PAGES = paths()
READ_BY_PEOPLE = [*ROOT.glob("*.md"), *PAGES]
HOW_TOS = [path for path in paths() if path.parent.name == "how-to" and path.name != "index.md"]


# ------------------------------------------------------------------ sentences of a page


def prose(text: str) -> str:
    """Returns the running text of a page: no code, tables, comments, headings, directives and addresses."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    notes = r"\{(?:note|warning|tip|important|admonition|seealso|hint|glossary)"
    text = re.sub(rf"^ *(`{{3,}})(?!{notes}).*?^ *\1`* *$", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *(?:`{3,}|:{3,}).*$", "\n", text, flags=re.M)  # fences of notes and glossaries
    text = re.sub(r"^ *:[\w-]+:.*$", "", text, flags=re.M)  # options of directives
    text = re.sub(r"^ *\|.*$", "", text, flags=re.M)
    text = re.sub(r"^#+ .*$", "", text, flags=re.M)
    text = re.sub(r"^(?:    |\t)(?! *(?:[-*]|\d+\.) ).*$", keep_continued, text, flags=re.M)
    text = re.sub(r"^\([\w-]+\)=$", "", text, flags=re.M)  # link targets
    return without_marks(text)


def keep_continued(line: re.Match[str]) -> str:
    """Returns "" for an indented code line, which follows an empty line; keeps list continuation lines."""
    before = line.string[: line.start()].rstrip("\n")
    after_gap = line.string[len(before) : line.start()].count("\n") > 1
    in_item = re.search(r"^ *(?:[-*]|\d+\.) .*\Z", before.rpartition("\n\n")[2] or before, re.M | re.S)
    return "" if after_gap and not in_item else line[0]


def without_marks(text: str) -> str:
    """Returns a text as readers see it: links by their text, code as one word, no emphasis."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"<img[^>]*>", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\{(?:term|doc|ref|numref)\}`([^`<]*?)(?: *<[^`]*>)?`", r"\1", text)
    text = re.sub(r"(?:\{[\w:]+\})?(`+)(?!`).+?\1", "Code", text, flags=re.S)
    text = re.sub(r"<https?://[^>]+>|https?://\S+", "Address", text)
    text = re.sub(r"</?[a-z]+[^>]*>", "", text)
    return re.sub(r"\*{1,3}|(?<!\w)_|_(?!\w)", "", text)


SENTENCE_END = r"(?<=[.!?]) +(?=[\"'“(\[]*[A-Z0-9€])|(?<=[.!?][\"'”)\]]) +(?=[A-Z])"


def sentences(text: str) -> Iterator[str]:
    """Yields the sentences of running text; a list item begins a new one, and an empty line ends one."""
    for paragraph in re.split(r"\n\s*\n|\n(?= *(?:[-*+]|\d+\.) )|\n(?= *: )", prose(text)):
        joined = " ".join(re.sub(r"^ *(?:[-*+>:]|\d+\.) ", "", paragraph).split())
        joined = re.sub(r"\b(e\.g|i\.e|etc|cf|vs|No|Dr|p|pp|al|J)\.(?= )", r"\1", joined)
        for sentence in re.split(SENTENCE_END, joined):
            if len(words(sentence)) > 1:
                yield sentence


def words(text: str) -> list[str]:
    return [word for word in text.split() if re.search(r"\w", word)]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


# ------------------------------------------------------------------ pages


@pytest.mark.parametrize("path", READ_BY_PEOPLE, ids=name_of)
def test_sentences_are_short(path):
    found = list(sentences(path.read_text("utf-8")))
    long = [sentence for sentence in found if len(words(sentence)) > MAX_WORDS]
    assert long == [], f"sentences over {MAX_WORDS} words"
    lengths = [len(words(sentence)) for sentence in found]
    if len(lengths) >= FEWEST_SENTENCES:
        assert statistics.median(lengths) <= MEDIAN_WORDS


@pytest.mark.parametrize("path", HOW_TOS, ids=name_of)
def test_guides_are_short_and_have_numbered_steps(path):
    text = path.read_text("utf-8")
    assert len(words(text)) <= HOW_TO_WORDS
    assert re.search(r"^ *1\. .*?^ *(?:2|1)\. ", text, re.M | re.S), "a guide has numbered steps"


def test_documentation_is_short():
    pages = [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
    assert sum(len(words(path.read_text("utf-8"))) for path in pages) <= ALL_WORDS


# ------------------------------------------------------------------ phrases


def odd_phrases(text: str) -> list[str]:
    """Returns the banned phrases in a text, each with its replacement."""
    found = [
        f"“{match[0]}” ({instead})"
        for pattern, instead in BANNED.items()
        for match in re.finditer(pattern, text, re.I)
    ]
    found += [f"“{match[0]}” (the participant who …)" for match in re.finditer(HEADLESS, text)]
    return found + [f"“{match[0].strip()}” (A player who …)" for match in re.finditer(HEADLESS_START, text)]


@pytest.mark.parametrize("path", READ_BY_PEOPLE, ids=name_of)
def test_pages_have_no_odd_phrases(path):
    assert odd_phrases(" ".join(path.read_text("utf-8").split())) == []


SOURCES = (".py", ".html", ".js", ".css")


def code_files() -> list[Path]:
    """Returns the product's Python files, templates and scripts."""
    rooms = [ROOT / "cardlab", ROOT / "_templates", ROOT / "_static", *ROOT.glob("*_app")]
    files = [path for room in rooms for path in room.rglob("*") if path.suffix in SOURCES]
    return sorted([*files, ROOT / "settings.py", ROOT / "lab.py"])


def text_of_code(path: Path) -> str:
    """Returns the text of a file, with the lines of each comment or message joined."""
    text = path.read_text("utf-8")
    return " ".join(re.sub(r'"\n\s*f?"', "", re.sub(r"\n\s*(?:#|//|\*)+ ", " ", text)).split())


def messages() -> list[str]:
    """Returns the English messages that go through gettext."""
    entries = (ROOT / "_locale" / "messages.pot").read_text("utf-8").split("\n\n")[1:]
    found = []
    for entry in entries:
        for part in re.findall(r'^msgid(?:_plural)? ((?:".*"\n?)+)', entry, re.M):
            found.append("".join(re.findall(r'"(.*)"', part)).replace("\\n", " ").replace('\\"', '"'))
    return found


def complaints_about_code() -> list[str]:
    return [
        f"{name_of(path)}: {phrase}" for path in code_files() for phrase in odd_phrases(text_of_code(path))
    ]


def complaints_about_messages() -> list[str]:
    return [f"{message}: {phrase}" for message in messages() for phrase in odd_phrases(message)]


def complaints_about_names() -> list[str]:
    modules = [
        f"{name_of(path)}: a module named {path.stem}"
        for path in (ROOT / "cardlab").rglob("*.py")
        if path.stem in BANNED_MODULES
    ]
    functions = [
        f"{name_of(path)}: a function named {name}"
        for path in code_files()
        if path.suffix == ".py"
        for name in re.findall(r"^\s*(?:async )?def (\w+)\(", path.read_text("utf-8"), re.M)
        if name in BANNED_FUNCTIONS
    ]
    return [*modules, *functions]


def test_code_has_no_odd_phrases():
    assert complaints_about_code() == []


def test_messages_have_no_odd_phrases():
    assert complaints_about_messages() == []


def test_names_describe_what_is_inside():
    assert complaints_about_names() == []


# ------------------------------------------------------------------ the rules themselves


ORDINARY = """
Besides the score, the table has the time. Who are you? Who sees the report? Whoever picks up leads.
The person who leads the session decides. Participants who leave are not paid. It runs by itself.
There is no such file. This is no longer needed. It is no different from before. The order stands
for a game. Tell the participants who have finished that they can go. Ask those who are still
playing to wait. A list of who is present. Minus 50 for each move. It takes less time than 50 moves.
The card is on hand. The limit was over 60 seconds. Code as it stands.
"""
ODD = (
    "You receive €5.00 besides.",
    "Who plays their last card wins at once.",
    "The hand goes on by itself in 2 minutes.",
    "This is no command.",
    "A seat for who has left.",
    "The time is over.",
    "The score is 1000 less 50 for each move.",
    "The board is dealt anew.",
    "What becomes of the cards?",
)


def test_ordinary_english_passes():
    assert odd_phrases(" ".join(ORDINARY.split())) == []


@pytest.mark.parametrize("sentence", ODD)
def test_odd_phrases_are_found(sentence):
    assert odd_phrases(sentence)


def test_page_text_is_split_into_sentences():
    page = """# A heading that is not counted

    an indented block of code

First one, e.g. with `code that has. Dots` in it. Second [one](a.md#b) at 3.5 points!

1. Press **Start**.

   The page opens.
2. Wait until
   the page changes.

| A table | is left. Out |
|---|---|

```bash
python3 lab.py run
```

:::{note}
A note is prose.
:::
"""
    assert list(sentences(page)) == [
        "First one, e.g with Code in it.",
        "Second one at 3.5 points!",
        "Press Start.",
        "The page opens.",
        "Wait until the page changes.",
        "A note is prose.",
    ]


if __name__ == "__main__":
    total = 0
    for path in READ_BY_PEOPLE:
        text = path.read_text("utf-8")
        lengths = [len(words(sentence)) for sentence in sentences(text)] or [0]
        total += len(words(text))
        print(
            f"{name_of(path)}: {len(words(text))} words; sentences: median {statistics.median(lengths):.0f}, "
            f"longest {max(lengths)}"
        )
        for sentence in sentences(text):
            if len(words(sentence)) > MAX_WORDS:
                print(f"    long: {sentence}")
        for phrase in odd_phrases(" ".join(text.split())):
            print(f"    odd: {phrase}")
    print(f"all pages: {total} words")
    for found in (complaints_about_names(), complaints_about_messages(), complaints_about_code()):
        print(*found, f"{len(found)} in all", "", sep="\n")
