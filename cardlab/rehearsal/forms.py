"""Fills in the form of any page: fields by their HTML types, questions by answers known to be right."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

TEXTS = ("rehearsal", "1", "0.5", "30", "rehearsal@example.org")  # for a text field, one for each attempt
NUMBER = "1"  # for a number field without a minimum

NO_ANSWER = ("submit", "button", "reset", "image", "file")  # types of input without an answer


@dataclass
class Field:
    """A field: its HTML type, the question, the choices, and its current value."""

    name: str
    kind: str
    question: str = ""
    choices: list[str] = field(default_factory=list)
    value: str | None = None
    minimum: str | None = None
    numeric: bool = False
    required: bool = False


@dataclass
class Form:
    """The form of a page; ``button`` is the name and value of its first submit button, None without one."""

    fields: dict[str, Field] = field(default_factory=dict)
    button: tuple[str, str] | None = None


class Answers:
    """The answers known to be right or wrong, shared by all participants of a rehearsal."""

    def __init__(self) -> None:
        self.right: dict[tuple[str, str], str] = {}
        self.wrong: dict[tuple[str, str], set[str]] = {}

    def choose(self, form_field: Field) -> str:
        """Returns the answer known to be right, else the first choice not known to be wrong."""
        key = form_field.name, form_field.question
        possible = [choice for choice in form_field.choices if choice not in self.wrong.get(key, ())]
        return self.right.get(key) or [*possible, *form_field.choices][0]

    def record_accepted(self, form: Form, values: dict[str, str]) -> None:
        """Records that the answers were right."""
        for form_field in form.fields.values():
            if form_field.kind == "radio" and form_field.name in values:
                self.right[form_field.name, form_field.question] = values[form_field.name]

    def record_returned(self, form: Form, values: dict[str, str], returned: Form) -> None:
        """Records answers of a rejected form: right if the page shows them again, else wrong."""
        for form_field in form.fields.values():
            if (
                form_field.kind == "radio"
                and form_field.name in values
                and form_field.name in returned.fields
            ):
                if returned.fields[form_field.name].value == values[form_field.name]:
                    self.right[form_field.name, form_field.question] = values[form_field.name]
                else:
                    self.wrong.setdefault((form_field.name, form_field.question), set()).add(
                        values[form_field.name]
                    )


def fill_in(form: Form, answers: Answers, attempt: int = 0) -> dict[str, str]:
    """Returns the data to send. Each ``attempt`` has other texts, because the page rejected the last ones."""
    values = {}
    for form_field in form.fields.values():
        value = _value(form_field, answers, attempt)
        if value is not None:
            values[form_field.name] = value
    if form.button and form.button[0]:
        values[form.button[0]] = form.button[1]
    return values


def _value(form_field: Field, answers: Answers, attempt: int) -> str | None:
    if form_field.kind == "hidden":
        return form_field.value or ""
    if form_field.kind == "checkbox":
        return form_field.choices[0] if form_field.required or form_field.value is not None else None
    if form_field.kind == "select":
        return next(filter(None, form_field.choices), None)
    if form_field.kind == "radio":
        return form_field.value or answers.choose(form_field)
    if form_field.value and not attempt:
        return form_field.value
    if form_field.kind in ("number", "range") or form_field.numeric:
        return form_field.minimum or NUMBER
    return TEXTS[attempt % len(TEXTS)]


def parse_form(text: str) -> Form:
    """Parses the form with the id ``form``, which oTree gives the form of each page."""
    parser = _FormParser()
    begin = text.find('id="form"')
    parser.feed(text[text.rfind("<form", 0, begin) : text.find("</form>", begin)] if begin >= 0 else "")
    parser.close()
    return parser.form


class _FormParser(HTMLParser):
    """Collects the fields; the question of a radio button is the legend before it."""

    def __init__(self) -> None:
        super().__init__()
        self.form = Form()
        self._legend: list[str] = []
        self._in_legend = False
        self._select: Field | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handles the start of fields, buttons and legends."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "legend":
            self._legend, self._in_legend = [], True
        elif tag == "input":
            self._add_input(attributes)
        elif tag == "textarea":
            self._add_field(attributes, "text")
        elif tag == "select":
            self._select = self._add_field(attributes, "select")
        elif tag == "option" and self._select:
            self._select.choices.append(attributes.get("value", ""))
        elif tag == "button" and attributes.get("type", "submit") == "submit":
            self._set_button(attributes)

    def handle_endtag(self, tag: str) -> None:
        """Handles the end of a legend or a select."""
        if tag == "legend":
            self._in_legend = False
        elif tag == "select":
            self._select = None

    def handle_data(self, data: str) -> None:
        """Collects the text of a legend."""
        if self._in_legend:
            self._legend.append(data)

    def _set_button(self, attributes: dict[str, str]) -> None:
        if self.form.button is None:
            self.form.button = attributes.get("name", ""), attributes.get("value", "")

    def _add_input(self, attributes: dict[str, str]) -> None:
        kind = attributes.get("type", "text")
        if kind in ("submit", "image"):
            self._set_button(attributes)
        if kind in NO_ANSWER or "disabled" in attributes:
            return
        form_field = self._add_field(attributes, kind)
        if kind in ("radio", "checkbox"):
            choice = attributes.get("value", "on")
            form_field.choices.append(choice)
            if "checked" in attributes:
                form_field.value = choice
        else:
            form_field.value = attributes.get("value")

    def _add_field(self, attributes: dict[str, str], kind: str) -> Field:
        question = " ".join("".join(self._legend).split()) if kind == "radio" else ""
        name = attributes.get("name", "")
        form_field = self.form.fields.setdefault(name, Field(name, kind, question))
        form_field.minimum = attributes.get("min") or form_field.minimum
        form_field.numeric = attributes.get("inputmode") in ("numeric", "decimal")
        form_field.required |= "required" in attributes
        if not name:
            del self.form.fields[""]
        return form_field
