"""Tests treatment files: their contents, refusals, and the assignment of participants."""

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games import dealing, treatments
from cardlab.games.contract import BadFile
from cardlab.games.dealing import DealFile
from cardlab.games.minimization import minimized_treatment
from cardlab.games.treatments import Treatment, Treatments, free_places, treatment_for_slot

SHIPPED = Path(__file__).parents[2] / "treatments"

LABELS = "label,treatment,later\nAnna,a,b\nBert , b,a\n\n'X;1,a,a\n"


def read(text, labels=LABELS):
    there = {"t.toml": text, "who.csv": labels}
    return treatments.read_treatments("t.toml", lambda name, _expected: DealFile(name, there[name], "0" * 64))


def refusal(text, labels=LABELS):
    with pytest.raises(BadFile) as refused:
        read(text, labels)
    return str(refused.value)


def test_sections_are_treatments_with_differing_fields():
    a = '[a]\nfeedback = false\nhands = 3\n"x_app.payoff_base" = 1.5\n'
    loaded = read(f'block = 6\n{a}[b-2]\nshare = 2\nx_app.draw = "one"\n')
    assert loaded.treatments == (
        Treatment("a", {"feedback": False, "hands": 3, "x_app.payoff_base": 1.5}, 1),
        Treatment("b-2", {"x_app.draw": "one"}, 2),
    )
    assert (loaded.assignment, loaded.block, loaded.names) == ("balanced", 6, ["a", "b-2"])
    assert loaded.fields("b-2") == {"x_app.draw": "one"}
    assert loaded.fields("c") == {}


def test_labels_come_from_a_column_of_a_file():
    head = 'assignment = "by_label"\nlabels = "who.csv"\n'
    sections = "[a]\n[b]\n"
    assert read(head + sections).by_label == {"Anna": "a", "Bert": "b", "'X;1": "a"}
    assert read(f'{head}column = "later"\n{sections}').by_label == {"Anna": "b", "Bert": "a", "'X;1": "a"}
    assert read(head + sections, LABELS.replace(",", ";").replace("X;1", "X")).by_label["'X"] == "a"
    kept = read(head + sections)
    assert [file.name for file in kept.files] == ["t.toml", "who.csv"]
    assert treatments.reread_treatments(kept.files) == kept


REFUSED = {
    "no TOML": ("[a]\nhands = = 3\n", "t.toml, line 2, column 9: This is not valid TOML (Invalid value)."),
    "a section twice": (
        "[a]\n[a]\n",
        "t.toml, line 2, column 3: The section [a] appears twice.",
    ),
    "a setting twice": ("[a]\nx = 1\nx = 2\n", "t.toml, line 3, column 6: This setting appears twice in"),
    "cut off": ('[a]\nx = "', "t.toml, line 2: This is not valid TOML (Unterminated string)."),
    "no treatment": ('assignment = "balanced"\n', "t.toml: This file has no treatments."),
    "too many": ("".join(f"[t{n}]\n" for n in range(13)), "The file has 13 treatments. The limit is 12."),
    "a name": ('["a b"]\n', "t.toml: 'a b' is not a valid treatment name."),
    "a misspelled head": (
        'asignment = "balanced"\n[a]\n',
        "'asignment' before the first treatment. Did you mean assignment?",
    ),
    "fields above": (
        "hands = 3\n[a]\n",
        "Write the fields of a treatment below its name, such as [control].",
    ),
    "an assignment": (
        'assignment = "randomly"\n[a]\n',
        "must be balanced, by_label, by_order, minimized or random, not 'randomly'.",
    ),
    "a list for it": (
        "assignment = []\n[a]\n",
        "by_order, minimized or random, not '[]'.",
    ),
    "a share of nothing": (
        "[a]\nshare = 0\n",
        "t.toml [a], line 2: share must be a whole number from 1 to 1000, not '0'.",
    ),
    "half a share": ("[a]\nshare = 0.5\n", "t.toml [a], line 2: share must be a whole number"),
    "true as a share": ("[a]\nshare = true\n", "t.toml [a], line 2: share must be a whole number"),
    "a block": (
        "block = 3\n[a]\n[b]\n",
        "t.toml, line 1: block must be a multiple of 2 (the sum of all shares)",
    ),
    "the seed": (
        "[a]\nseed = 3\n",
        "t.toml [a], line 2: seed applies to the whole session. Set it in the session config, not in a "
        "treatment.",
    ),
    "money of oTree's": (
        "[a]\nparticipation_fee = 3\n",
        "t.toml [a], line 2: participation_fee applies to the whole",
    ),
    "an app's group": (
        "[a]\nx_app.group_size = 3\n",
        "t.toml [a], line 2: x_app.group_size applies to the whole",
    ),
    "a list": (
        '[a]\nx = """\nhands = 3"""\nhands = [3, 4]\n',
        "[a], line 4: hands must be a string, a number, true or false, not '[3, 4]'.",
    ),
    "a day": (
        "[a]\nhands = 2026-11-20\n",
        "[a], line 2: hands must be a string, a number, true or false, not '2026-11-20'.",
    ),
    "labels to no purpose": (
        'labels = "who.csv"\n[a]\n',
        'labels is only allowed with assignment = "by_label"',
    ),
    "no labels": ('assignment = "by_label"\n[a]\n', "labels must be the name of a label file."),
    "nested deeply": ("[a]\nx = " + "[" * 5000, "nested too deeply"),
}


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_invalid_file_is_refused_in_a_sentence(text, sentence):
    assert sentence in refusal(text)


LABELS_REFUSED = {
    "no column": (
        "name,treatment\n",
        "who.csv, line 1: The first line must name exactly one column label. It has name, ",
    ),
    "a column twice": (
        "label,treatment,treatment\n",
        "who.csv, line 1: The first line must name exactly one column treatment.",
    ),
    "nothing": ("", "who.csv, line 1: The first line must name exactly one column label."),
    "a label twice": (
        "label,treatment\nA,a\nB,a\nA,b\n",
        "who.csv, line 4: The label 'A' is also in line 2.",
    ),
    "no label": ("label,treatment\n,a\n", "who.csv, line 2: This line has no label."),
    "no such treatment": (
        "label,treatment\nA,c\n",
        "who.csv, line 2: Unknown treatment 'c'. The treatments are a, b.",
    ),
    "too few cells": ("label,treatment\nA\n", "who.csv, line 2: This line has 1 cells instead of 2."),
}


@pytest.mark.parametrize(("labels", "sentence"), LABELS_REFUSED.values(), ids=LABELS_REFUSED)
def test_invalid_label_file_is_refused_in_a_sentence(labels, sentence):
    assert sentence in refusal('assignment = "by_label"\nlabels = "who.csv"\n[a]\n[b]\n', labels)


def some(shares, times=1, assignment="balanced"):
    each = tuple(Treatment(f"t{n}", {}, share) for n, share in enumerate(shares))
    return Treatments("t.toml", assignment, sum(shares) * times, each, {}, ())


shares = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(
    shares, st.integers(1, 3), st.integers(1, 4), st.integers(0, 9), st.sampled_from(["balanced", "by_order"])
)
def test_blocks_keep_shares_and_groups_share_a_treatment(each, times, size, seed, assignment):
    loaded = some(each, times, assignment)
    places = [
        treatment_for_slot(loaded, seed, place, size) for place in range(1, 3 * loaded.block * size + 1)
    ]
    groups = [set(places[start : start + size]) for start in range(0, len(places), size)]
    assert all(len(group) == 1 for group in groups)
    for block in range(3):
        block_slots = [*places[block * loaded.block * size :]][: loaded.block * size]
        assert Counter(block_slots) == {f"t{n}": share * times * size for n, share in enumerate(each)}


def test_blocks_are_drawn_by_the_seed():
    loaded = some([1, 1, 1])
    drawn = [[treatment_for_slot(loaded, seed, place) for place in range(1, 31)] for seed in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]
    assert len({tuple(drawn[0][start : start + 3]) for start in range(0, 30, 3)}) > 2


def test_assignment_by_order_alternates():
    loaded = some([2, 1], assignment="by_order")
    assert [treatment_for_slot(loaded, 1, place) for place in range(1, 7)] == ["t0", "t0", "t1"] * 2


def test_app_fields_override_treatment_and_config_fields():
    config = {"base": 1, "x_app.base": 2, "x_app.rate": 3, "rate": 4}
    assert treatments.config_for_treatment(config, {}, "x_app") == dealing.config_for_app(config, "x_app")
    in_force = treatments.config_for_treatment(config, {"base": 5, "y_app.base": 6}, "x_app")
    assert (in_force["base"], in_force["rate"]) == (5, 3)
    assert treatments.config_for_treatment(config, {"base": 5, "x_app.base": 6}, "x_app")["base"] == 6


def test_slots_per_treatment_fill_groups_of_every_app():
    config = {"app_sequence": ["x_app", "y_app"], "x_app.group_size": 2, "y_app.group_size": 3}
    assert treatments.slots_per_treatment(config) == 6
    assert treatments.slots_per_treatment({"app_sequence": ["x_app"], "group_size": "two"}) == 1


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_treatment_files_are_valid(path):
    text = path.read_text("utf-8")
    loaded = treatments.read_treatments(path.name, lambda name, _expected: DealFile(name, text, "0" * 64))
    assert len(loaded.treatments) == 2


def test_random_assignment_has_the_shares_on_average():
    loaded = read('assignment = "random"\n[a]\n[b]\nshare = 3\nhands = 2\n')
    drawn = [treatment_for_slot(loaded, "seed", slot, 2) for slot in range(1, 8001)]
    assert drawn[::2] == drawn[1::2], "the two of a group have the same treatment"
    assert abs(drawn[::2].count("a") - 1000) < 110  # four standard deviations
    runs = Counter(zip(drawn[::2], drawn[2::2]))
    assert abs(runs["a", "a"] - 250) < 64, "a treatment tells nothing of the next"
    assert drawn == [treatment_for_slot(loaded, "seed", slot, 2) for slot in range(1, 8001)]


@pytest.mark.parametrize(
    ("text", "slots", "words"),
    [
        ("[a]\n[b]\nhands = 2\n", 4, []),
        ("[a]\n", 4, ["has only the treatment a"]),
        ("[a]\nhands = 2\n[b]\nhands = 2\nshare = 3\n", 8, ["treatments a and b of t.toml do not differ"]),
        ("[a]\n[b]\nhands = 2\n", 6, ["6 slots are no multiple of 4"]),
        ('assignment = "random"\n[a]\n[b]\nhands = 2\n', 6, []),
        ("[a]\n[b]\nhands = 2\n", 0, []),
    ],
)
def test_unexpected_designs_are_announced(text, slots, words):
    warnings = [*treatments.design_warnings(read(text), slots, 2)]
    assert len(warnings) == len(words)
    assert all(part in warning for part, warning in zip(words, warnings))


FACTORIAL = """
block = 10
[factors.training.t422]
ShowFileName = "a.txt"
[factors.training.t442]
ShowFileName = "b.txt"
[factors.pay]
moves = {}
time = { pay_by = "time", "x_app.rate" = 2 }
[t442-time]
share = 2
hands = 3
"""


def test_factors_make_every_combination():
    loaded = read(FACTORIAL)
    assert loaded.treatments == (
        Treatment("t422-moves", {"ShowFileName": "a.txt"}, 1, (("training", "t422"), ("pay", "moves"))),
        Treatment(
            *("t422-time", {"ShowFileName": "a.txt", "pay_by": "time", "x_app.rate": 2}, 1),
            (("training", "t422"), ("pay", "time")),
        ),
        Treatment("t442-moves", {"ShowFileName": "b.txt"}, 1, (("training", "t442"), ("pay", "moves"))),
        Treatment(
            *("t442-time", {"ShowFileName": "b.txt", "pay_by": "time", "x_app.rate": 2, "hands": 3}, 2),
            (("training", "t442"), ("pay", "time")),
        ),
    )
    assert loaded.factors == ["training", "pay"]
    assert loaded.levels("t442-moves") == {"training": "t442", "pay": "moves"}
    assert loaded.levels("") == {}
    assert read("[a]\n[b]\n").factors == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[factors]\n", "[factors] has no factor"),
        ("[factors.pay.time]\n", "t.toml [factors.pay]: A factor needs at least two levels"),
        ("[factors]\npay = 3\n", "t.toml [factors.pay]: A factor needs at least two levels"),
        ("[factors.pay]\na = 1\nb = 2\n", "a must be a level with its fields"),
        ('[factors."p q".a]\n[factors."p q".b]\n', "The name of a factor has at most 40 letters"),
        ("[factors.pay.a]\nshare = 2\n[factors.pay.b]\n", "share belongs to a treatment."),
        ("[factors.pay.a]\n[factors.pay.b]\n[c]\n", "[c] is no combination of levels. With [factors], "),
        (
            "[factors.p.a]\nhands = 1\n[factors.p.b]\n[factors.q.c]\nhands = 2\n[factors.q.d]\n",
            "t.toml [factors.q.c]: hands is set by another factor too.",
        ),
        ("[factors.p.a-b]\n[factors.p.a]\n[factors.q.c]\n[factors.q.b-c]\n", "have the name 'a-b-c'"),
        ("[factors.p.a]\nseed = 1\n[factors.p.b]\n", "t.toml [a]: seed applies to the whole session"),
        ("[factors.p.a]\n[factors.p.'b c']\n", "'b c' is not a valid treatment name"),
    ],
)
def test_invalid_factors_are_refused_in_a_sentence(text, sentence):
    assert sentence in refusal(text)


def test_dropout_leaves_factors_balanced():
    """A fifth of the participants leave, and the next visitors take their places."""
    loaded, chance = read(FACTORIAL.replace("share = 2\n", "").replace("block = 10", "block = 4")), Random(7)
    finished: set[int] = set()
    for _visitor in range(250):
        place = next(free_places(finished))
        if chance.random() >= 0.2:
            finished.add(place)
    assert 180 < len(finished) < 220
    cells = [treatment_for_slot(loaded, "seed", place) for place in finished]
    counts = Counter(cells)
    assert len(counts) == 4
    assert max(counts.values()) - min(counts.values()) <= 1
    for factor in loaded.factors:
        levels = Counter(loaded.levels(cell)[factor] for cell in cells)
        assert max(levels.values()) - min(levels.values()) <= 2


MINIMIZED = 'assignment = "minimized"\nlabels = "who.csv"\ncovariates = ["age", "sex"]\n'
PEOPLE = "label,age,sex\nAnna,old,f\nBert , young,m\n"


def test_covariates_come_from_columns_of_a_file():
    loaded = read(f"{MINIMIZED}probability = 1\n[a]\n[b]\n", PEOPLE)
    assert loaded.covariates.names == ("age", "sex")
    assert loaded.covariates.probability == 1
    assert loaded.covariates.values("Bert") == ("young", "m")
    assert loaded.covariates.values("Carl") == ("", "")
    assert treatments.reread_treatments(loaded.files) == loaded
    ages = "label,age,sex\n" + "".join(f"L{age},{age},f\n" for age in range(20, 40))
    (warning,) = treatments.design_warnings(read(f"{MINIMIZED}[a]\n[b]\nx = 1\n", ages), 3)
    assert warning.startswith("The covariate age has 20 values.")


@pytest.mark.parametrize(
    ("head", "people", "sentence"),
    [
        ('assignment = "minimized"\nlabels = "who.csv"\n', PEOPLE, "covariates must be a list such as"),
        (
            MINIMIZED.replace('["age", "sex"]', '"age"'),
            PEOPLE,
            "t.toml, line 3: covariates must be a list such as",
        ),
        (f"{MINIMIZED}probability = 0.2\n", PEOPLE, "line 4: probability must be a number from 0.5 to 1"),
        (
            'assignment = "minimized"\ncovariates = ["age"]\n',
            PEOPLE,
            "labels must be the name of a",
        ),
        (MINIMIZED, "label,age\n", "who.csv, line 1: The first line must name exactly one column sex."),
        (f'{MINIMIZED}column = "later"\n', PEOPLE, 'column is only allowed with assignment = "by_label"'),
        ('covariates = ["age"]\n', PEOPLE, 'only allowed with assignment = "minimized", not with "balanced"'),
    ],
)
def test_invalid_minimization_is_refused_in_a_sentence(head, people, sentence):
    assert sentence in refusal(f"{head}[a]\n[b]\n", people)


def finishers(assign, seed, visitors=240):
    """Returns the treatment and covariates of those who finish; a fifth of the visitors leave."""
    chance, done = Random(seed), []
    for visitor in range(visitors):
        values = tuple(chance.choice(options) for options in (("old", "young"), ("f", "m"), ("a", "b", "c")))
        treatment = assign(values, done, Random(f"{seed} {visitor}"))
        if chance.random() >= 0.2:
            done.append((treatment, values))
    return done


def imbalance(done):
    """Returns the largest difference between the treatments in participants with the same value."""
    counts = Counter((place, values[place], name) for name, values in done for place in range(3))
    found = [
        abs(counts[place, value, "a"] - counts[place, value, "b"])
        for place, value in {(place, value) for place, value, _name in counts}
    ]
    return max(found)


def test_minimization_balances_covariates_despite_dropout():
    shares = {"a": 1, "b": 1}
    minimized, random = [
        [imbalance(finishers(assign, seed)) for seed in range(20)]
        for assign in (
            lambda values, done, chance: minimized_treatment(shares, values, done, 0.8, chance),
            lambda values, done, chance: chance.choice("ab"),
        )
    ]
    assert sum(minimized) < 0.5 * sum(random)
    assert max(minimized) <= 12


def test_number_of_participants_weighs_like_a_covariate():
    """One more participant had a, one more with this value had b, so both treatments are equally good."""
    others = [("a", ("old",)), ("a", ("old",)), ("b", ("young",))]
    drawn = {minimized_treatment({"a": 1, "b": 1}, ("young",), others, 1, Random(str(n))) for n in range(50)}
    assert drawn == {"a", "b"}


def test_minimization_keeps_shares_and_is_unforeseeable():
    shares = {"a": 1, "b": 3}
    done = finishers(lambda *known: minimized_treatment(shares, *known[:2], 0.8, known[2]), 1, 800)
    counts = Counter(name for name, _values in done)
    assert abs(counts["b"] / counts["a"] - 3) < 0.2
    others = [("a", ("x",))] * 9
    drawn = Counter(
        minimized_treatment({"a": 1, "b": 1}, ("x",), others, 0.8, Random(f"{one}")) for one in range(2000)
    )
    assert abs(drawn["a"] / 2000 - 0.1) < 0.03, "from all with a probability of 0.2, so a with 0.1"
    certain = {minimized_treatment({"a": 1, "b": 1}, ("x",), others, 1, Random(str(n))) for n in range(50)}
    assert certain == {"b"}


@given(st.integers(1, 3), st.integers(0, 99), st.booleans())
def test_sessions_of_a_study_balance_together(size, seed, by_order):
    """Plays three sessions, in each of which a fifth of the groups do not finish."""
    loaded = some([2, 1], assignment="by_order" if by_order else "balanced")
    finished: set[int] = set()
    for session in range(3):
        places = [*islice(free_places((), finished, size), 20 * size)]
        groups = {(place - 1) // size for place in places}
        assert len(places) == len(set(places)) == len(groups) * size, "groups are whole"
        assert not finished & set(places)
        lost = {group for group in groups if Random(f"{seed} {session} {group}").random() < 0.2}
        finished |= {place for place in places if (place - 1) // size not in lost}
    counts = Counter(treatment_for_slot(loaded, seed, place, size) for place in finished)
    of_the_last_session = len(lost) * size  # their places are not taken again yet
    assert abs(counts["t0"] - 2 * counts["t1"]) <= 2 * (of_the_last_session + loaded.block * size)
