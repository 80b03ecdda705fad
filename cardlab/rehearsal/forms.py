"""Filling in the form of any page: each field by what its HTML says, questions by what was right before."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

WORDS = ("rehearsal", "1", "0.5", "30", "rehearsal@example.org")  # what is written into a text field, in turn
GUESS = "1"  # for a number without a least one

SILENT = ("submit", "button", "reset", "image", "file")  # kinds of input that hold no answer


@dataclass
class Field:
    """One field: what is asked, its kind in HTML, what may be chosen. ``value`` is what it holds."""

    name: str
    kind: str
    question: str = ""
    choices: list[str] = field(default_factory=list)
    value: str | None = None
    least: str | None = None
    numeric: bool = False
    required: bool = False


@dataclass
class Form:
    """The form of a page; ``button`` has name and value of the first that sends it, None if there is none."""

    fields: dict[str, Field] = field(default_factory=dict)
    button: tuple[str, str] | None = None


class Answers:
    """What was found to be right and wrong, shared by all participants of a rehearsal."""

    def __init__(self) -> None:
        self.right: dict[tuple[str, str], str] = {}
        self.wrong: dict[tuple[str, str], set[str]] = {}

    def chosen(self, one: Field) -> str:
        """What is known to be right, else the first choice that is not known to be wrong."""
        key = one.name, one.question
        wrong = self.wrong.get(key, set())
        return self.right.get(key) or next((c for c in one.choices if c not in wrong), one.choices[0])

    def passed(self, asked: Form, sent: dict[str, str]) -> None:
        """The page was left with these answers."""
        for one in asked.fields.values():
            if one.kind == "radio" and one.name in sent:
                self.right[one.name, one.question] = sent[one.name]

    def came_back(self, asked: Form, sent: dict[str, str], again: Form) -> None:
        """The page came again: where an answer is not kept it was wrong."""
        for one in asked.fields.values():
            if one.kind == "radio" and one.name in sent and one.name in again.fields:
                if again.fields[one.name].value == sent[one.name]:
                    self.right[one.name, one.question] = sent[one.name]
                else:
                    self.wrong.setdefault((one.name, one.question), set()).add(sent[one.name])


def filled(form: Form, answers: Answers, attempt: int = 0) -> dict[str, str]:
    """What is sent. At a further ``attempt`` other words stand in the text fields: the first were refused."""
    sent = {}
    for one in form.fields.values():
        value = _value(one, answers, attempt)
        if value is not None:
            sent[one.name] = value
    if form.button and form.button[0]:
        sent[form.button[0]] = form.button[1]
    return sent


def _value(one: Field, answers: Answers, attempt: int) -> str | None:
    if one.kind == "hidden":
        return one.value or ""
    if one.kind == "checkbox":
        return one.choices[0] if one.required or one.value is not None else None
    if one.kind == "select":
        return next(filter(None, one.choices), None)
    if one.kind == "radio":
        return one.value or answers.chosen(one)
    if one.value and not attempt:
        return one.value
    if one.kind in ("number", "range") or one.numeric:
        return one.least or GUESS
    return WORDS[attempt % len(WORDS)]


def read(text: str) -> Form:
    """The form with the id ``form``, which oTree gives that of each page."""
    reader = _Reader()
    begin = text.find('id="form"')
    reader.feed(text[text.rfind("<form", 0, begin) : text.find("</form>", begin)] if begin >= 0 else "")
    reader.close()
    return reader.form


class _Reader(HTMLParser):
    """Collects the fields; a question is the legend or label that was read last."""

    def __init__(self) -> None:
        super().__init__()
        self.form = Form()
        self._question: list[str] = []
        self._asks = False
        self._select: Field | None = None

    def handle_starttag(self, tag: str, told: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in told}
        if tag == "legend":
            self._question, self._asks = [], True
        elif tag == "input":
            self._input(said)
        elif tag == "textarea":
            self._field(said, "text")
        elif tag == "select":
            self._select = self._field(said, "select")
        elif tag == "option" and self._select:
            self._select.choices.append(said.get("value", ""))
        elif tag == "button" and said.get("type", "submit") == "submit" and self.form.button is None:
            self.form.button = said.get("name", ""), said.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "legend":
            self._asks = False
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._asks:
            self._question.append(data)

    def _input(self, said: dict[str, str]) -> None:
        kind = said.get("type", "text")
        if kind in ("submit", "image") and self.form.button is None:
            self.form.button = said.get("name", ""), said.get("value", "")
        if kind in SILENT or "disabled" in said:
            return
        one = self._field(said, kind)
        if kind in ("radio", "checkbox"):
            one.choices.append(said.get("value", "on"))
            if "checked" in said:
                one.value = said.get("value", "on")
        else:
            one.value = said.get("value")

    def _field(self, said: dict[str, str], kind: str) -> Field:
        question = " ".join("".join(self._question).split()) if kind == "radio" else ""
        one = self.form.fields.setdefault(said.get("name", ""), Field(said.get("name", ""), kind, question))
        one.least = said.get("min") or one.least
        one.numeric = said.get("inputmode") in ("numeric", "decimal")
        one.required |= "required" in said
        if not one.name:
            del self.form.fields[""]
        return one
