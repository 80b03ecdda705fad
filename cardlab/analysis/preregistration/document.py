"""Writes the preregistration of a study as Markdown, and reads it again.

The document follows the headings of the Open Science Framework. It ends with the frozen plan as JSON, the
design file, and a SHA-256 of all text above the last line. The hash ignores line ends and blanks at the end
of lines, which editors change.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from cardlab import __version__
from cardlab.analysis.design import Design
from cardlab.analysis.preregistration.plan import DIFFERENT, EQUIVALENT, GREATER, LESS, Hypothesis, Plan
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name

SHA_256 = "SHA-256 of all text above this line:"
_PLAN, _END = "```json\n", "\n```\n"
_RELATIONS = {
    GREATER: "{first} has a greater mean than {second}",
    LESS: "{first} has a smaller mean than {second}",
    DIFFERENT: "{first} and {second} differ",
    EQUIVALENT: "{first} and {second} differ by less than {bound:g}",
}


class Document(NamedTuple):
    """A preregistration that was read.

    ``version`` is that of Card Lab, ``frozen_utc`` the time. ``sha256`` is the hash in the document, and
    ``is_unchanged`` whether its text still has this hash.
    """

    plan: Plan
    version: str
    frozen_utc: str
    sha256: str
    is_unchanged: bool


def write_document(plan: Plan, design_text: str, frozen_utc: str) -> str:
    """Returns the text of the document."""
    text = "\n".join([*_write_sections(plan, frozen_utc), *_write_appendix(plan, design_text, frozen_utc)])
    return f"{text}\n{SHA_256} {hash_text(text)}\n"


def hash_text(text: str) -> str:
    """Returns the SHA-256 of a text without the blanks at the ends of its lines."""
    return hashlib.sha256(_strip_lines(text).strip().encode()).hexdigest()


def _strip_lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def read_document(path: Path) -> Document:
    """Reads a preregistration. Raises BadFile if the file is not one, or if its plan cannot be read."""
    if not path.is_file():
        raise BadFile(str(path), "There is no such file.")
    text = _strip_lines(path.read_text("utf-8-sig", errors="replace"))
    above, mark, sha256 = text.rpartition(SHA_256)
    match = re.search(f"^{_PLAN}(.*?){_END}", text, re.M | re.S)
    if not match:
        raise BadFile(
            str(path), "This is not a preregistration by Card Lab. Name a file that preregister has written."
        )
    try:
        values = json.loads(match[1])
        plan = Plan.from_json(values["plan"])
        version, frozen_utc = str(values["card_lab"]), str(values["frozen_utc"])
    except (ValueError, KeyError, TypeError):
        line = text[: match.start()].count("\n") + 1
        raise BadFile(
            str(path),
            "The frozen plan below was changed and cannot be read. Use the original document.",
            line,
        ) from None
    is_unchanged = bool(mark) and hash_text(above) == sha256.strip()
    return Document(plan, version, frozen_utc, sha256.strip(), is_unchanged)


def describe_prediction(hypothesis: Hypothesis, equivalence: Mapping[str, float]) -> str:
    """Returns what a hypothesis predicts, as a clause."""
    return _RELATIONS[hypothesis.relation].format(
        first=hypothesis.first, second=hypothesis.second, bound=equivalence.get(hypothesis.measure, 0)
    )


def _write_sections(plan: Plan, frozen_utc: str) -> Iterator[str]:
    yield f"# {plan.title}\n"
    yield f"Frozen by Card Lab {__version__} on {frozen_utc} (UTC).\n"
    yield "## Hypotheses\n"
    for number, one in enumerate(plan.hypotheses, 1):
        prediction = describe_prediction(one, plan.equivalence)
        yield f"{number}. {one.text} Prediction: in `{one.measure}`, {prediction}."
    yield "\n## Design\n"
    yield from _write_design(plan)
    yield "\n## Sampling plan\n"
    for condition in plan.conditions:
        participants = f"{condition.participants} participants"
        yield f"- {condition.name}: {participants} with {condition.hands} hands that count."
    yield "\nThese are the participants who are left after the exclusions."
    if plan.sessions > 1:
        yield f"Each participant takes part in {plan.sessions} sessions."
    yield f"\nStopping rule: {plan.stopping}\n"
    yield "## Variables\n"
    yield from _write_variables(plan)
    yield "\n## Analysis plan\n"
    yield from _write_analysis(plan)
    yield "\n## Exclusions\n"
    yield from [f"- From the {rule.table}: `{rule}`. {rule.reason}" for rule in plan.exclusions] or [
        "Nobody is excluded."
    ]
    yield "\n## Power\n"
    yield from _write_power(plan)


def _write_design(plan: Plan) -> Iterator[str]:
    yield f"Game: {games_by_name()[plan.game].title}. The treatments are:\n"
    differing = {
        key
        for one in plan.conditions
        for key, values in one.settings.items()
        if any(other.settings.get(key) != values for other in plan.conditions)
    }
    for one in plan.conditions:
        files = ", ".join(f"{name} (SHA-256 {sha})" if sha else name for name, sha in one.deal_files.items())
        own = ", ".join(
            f"{key} = {' or '.join(one.settings[key])}" for key in sorted(differing & {*one.settings})
        )
        yield f"- {one.name}: deals from {files}{f'; {own}' if own else ''}."
    for name, sha in plan.files.items():
        yield f"- File {name}: SHA-256 {sha}."


def _write_variables(plan: Plan) -> Iterator[str]:
    meanings = {
        one.__name__: one.__doc__ for one in games_by_name()[plan.game].performance.participant_measures
    }
    for measure in plan.measures:
        yield f"- Primary measure `{measure}`: {' '.join((meanings[measure] or '').split())}."
    for name, value in plan.thresholds.items():
        yield f"- Threshold `{name}`: {value:g}."


def _write_analysis(plan: Plan) -> Iterator[str]:
    if plan.within:
        yield f"Each person's hands are compared between the values of `{plan.within}`, by the paired t."
    else:
        column = f"`{plan.by}`" if plan.by else "the treatment"
        yield f"Participants are compared between the values of {column}, by permutations of Welch's t."
    yield (
        "The t is corrected for skewness. Participants who met are one observation. "
        "The p values of all primary tests are adjusted by Holm's method. A "
        f"difference is found if the adjusted p is at most {plan.level:g}. Secondary measures are adjusted "
        f"within their family ({plan.adjust})."
    )
    if plan.same_deals:
        yield "Only hands count whose deals were played in every condition."
    if plan.person:
        yield f"The same `{plan.person}` in several sessions is one person."
    for measure, bound in plan.equivalence.items():
        yield (
            f"`{measure}` is equivalent if two one-sided tests reject an effect of {bound:g} or more, "
            f"with p at most {plan.level:g}."
        )


def _write_power(plan: Plan) -> Iterator[str]:
    if plan.power:
        yield plan.power
        return
    repeats = plan.power_rows[0]["repeats"]
    yield (
        f"Power was simulated with {repeats} experiments and this analysis. {_describe_exclusions(plan)} "
        "The table has the share of experiments that support each hypothesis, by the number of participants "
        "before exclusions.\n"
    )
    sizes = list(dict.fromkeys(row["participants"] for row in plan.power_rows))
    yield f"| Hypothesis | {' | '.join(f'{size} per treatment' for size in sizes)} |"
    yield f"| --- |{' --- |' * len(sizes)}"
    for number, _one in enumerate(plan.hypotheses, 1):
        shares = [row["power"] for row in plan.power_rows if row["hypothesis"] == number]
        yield f"| {number} | {' | '.join(f'{share:.3f}' for share in shares)} |"


def _describe_exclusions(plan: Plan) -> str:
    rules = ", ".join(f"`{rule}`" for rule in plan.simulated_exclusions)
    text = f"These exclusions were simulated: {rules}." if rules else "No rule of exclusion was simulated."
    if plan.excluded:
        text += f" A share of {plan.excluded:g} of the participants, drawn at random, was left out."
    return text


def _write_appendix(plan: Plan, design_text: str, frozen_utc: str) -> Iterator[str]:
    values = {"card_lab": __version__, "frozen_utc": frozen_utc, "plan": plan.to_json()}
    yield "\n## Frozen plan\n"
    yield "`python -m cardlab.analysis report --preregistration` reruns this plan.\n"
    yield f"{_PLAN}{json.dumps(values, indent=1, ensure_ascii=False, sort_keys=True)}{_END}"
    yield "## Design file\n"
    yield f"````toml\n{design_text.strip()}\n````\n"


def add_power(plan: Plan, design: Design, rows: Sequence[Mapping[str, Any]]) -> Plan:
    """Returns the plan with the power of each hypothesis, from the rows of the table of power of a design.

    Raises BadFile if no row compares both sides of a hypothesis.
    """
    found = []
    per_size = len(rows) // len(design.participants)
    for place, size in enumerate(design.participants):
        own = rows[place * per_size : (place + 1) * per_size]
        for number, hypothesis in enumerate(plan.hypotheses, 1):
            power, repeats = _power_of(hypothesis, own)
            cells = {"participants": size, "hypothesis": number, "power": power, "repeats": repeats}
            found.append(cells)
    simulated = tuple(map(str, design.exclusions))
    return replace(plan, power_rows=found, simulated_exclusions=simulated, excluded=design.excluded)


def _power_of(hypothesis: Hypothesis, rows: Sequence[Mapping[str, Any]]) -> tuple[float, int]:
    sides = {hypothesis.first, hypothesis.second}
    for row in rows:
        if row["measure"] != hypothesis.measure or {row["first"], row["second"]} != sides:
            continue
        if hypothesis.relation == EQUIVALENT:
            return row["power_equivalence"], row["repeats"]
        if hypothesis.relation == DIFFERENT:
            return row["power"], row["repeats"]
        expects_first = (hypothesis.relation == GREATER) == (row["first"] == hypothesis.first)
        share = row["first_greater"] if expects_first else row["power"] - row["first_greater"]
        return round(share, 6), row["repeats"]
    names = sorted({row[side] for row in rows for side in ("first", "second")})
    raise BadFile(
        hypothesis.expect,
        f"No simulated comparison has both sides of this prediction. The values are {', '.join(names)}.",
    )
