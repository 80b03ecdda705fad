"""Tests deal files: their contents, refusals with positions, and the claims of the shipped files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.contract import BadFile
from cardlab.games.solitario import difficulty, rules
from cardlab.games.solitario.deal import format_deal, parse_deal, read_deal_file
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import Solution, solve
from deals.solitario import generate

FOLDER = Path(generate.__file__).parent

DEAL = rules.deal("one", {})
SECTIONS = DEAL.split(" | ")


def refused(text, pack="briscola"):
    with pytest.raises(BadFile) as caught:
        read_deal_file(text, "mine.txt", pack)
    assert caught.value.file == "mine.txt"
    return caught.value.line, caught.value.column, caught.value.message


def changed(number, section):
    """Returns the deal with another text for the section of this number."""
    return " | ".join([*SECTIONS[: number - 1], section, *SECTIONS[number:]])


def begins(number):
    """Returns the column in which a section begins, from 1."""
    return sum(len(section) + 3 for section in SECTIONS[: number - 1]) + 1


@pytest.mark.parametrize("pack", PACKS)
@given(seed=st.text("abc"), number=st.integers(1, 3), end=st.sampled_from(["\n", "\r\n"]))
def test_deals_keep_the_order_of_the_file(pack, seed, number, end):
    deals = [rules.deal(f"{seed} {n}", {"pack": pack}) for n in range(number)]
    lines = ["// a comment", ""]
    for deal in deals:
        lines += [f"\t{deal.replace(' | ', '|')} ", "# another; not a deal", "   "]
    assert read_deal_file("\ufeff" + end.join(lines), "mine.txt", pack) == tuple(deals)


@pytest.mark.parametrize("pack", PACKS)
def test_letters_may_be_large_or_small(pack):
    deal = rules.deal("letters", {"pack": pack})
    for text in (deal.lower(), deal.upper(), deal.swapcase()):
        assert read_deal_file(text, "mine.txt", pack) == (deal,)
        assert rules.start(text, {"pack": pack}) == rules.start(deal, {"pack": pack})


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing\n  \n; nothing\n"])
def test_a_file_without_deals_is_refused(text):
    message = "This file has no deals. Write one deal per line: seven columns and the stock."
    assert refused(text) == (1, 1, message)


@pytest.mark.parametrize("section", [1, 4, 8])
@pytest.mark.parametrize("card", ["X", "0s", "11s", "8s", "1", "sR", "RR", "1S1S", "-", "Ds"])
def test_an_unknown_card_is_reported_with_position(card, section):
    cards = SECTIONS[section - 1].split()
    cards[-1] = card
    column = begins(section) + len(" ".join([*cards[:-1], ""]))
    complaint = refused(f"// two deals\n{DEAL}\n\n{changed(section, ' '.join(cards))}\n")
    assert complaint == (4, column, f"'{card.upper()}' is not a card of this pack of 40.")


@pytest.mark.parametrize("pack", PACKS)
@pytest.mark.parametrize("dealt", PACKS)
def test_a_deal_of_another_pack_is_refused(pack, dealt):
    deal = rules.deal("a pack", {"pack": dealt})
    if pack == dealt:
        assert read_deal_file(deal, "mine.txt", pack) == (deal,)
        return
    line, column, message = refused(deal, pack)
    assert (line, 1 <= column <= len(deal) + 1) == (1, True)
    if (pack, dealt) == ("tarocco", "briscola"):  # it lacks cards, but has no unknown ones
        assert message == "The stock must have 28 cards, not 12."
    else:
        assert message.endswith(f" of this pack of {len(PACKS[pack].cards)}.")


@pytest.mark.parametrize("twice", [str.upper, str.lower])
def test_a_duplicate_card_is_reported_at_its_second(twice):
    first, stock = SECTIONS[0], SECTIONS[7].split()
    text = changed(8, " ".join([*stock[:-1], twice(first)]))
    column = begins(8) + len(" ".join([*stock[:-1], ""]))
    assert refused(text) == (1, column, f"The deal contains {first} twice.")


EIGHT = "A deal has 8 sections separated by ' | ' (columns 1–7, stock)"
THIRD, STOCK = SECTIONS[2].split(), SECTIONS[7].split()


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (changed(3, " ".join(THIRD[:2])), begins(3) + 5, "Column 3 must have 3 cards, not 2."),
        (changed(1, ""), begins(1), "Column 1 must have 1 card, not 0."),
        (changed(8, " ".join(STOCK[:-1])), len(DEAL) - 2, "The stock must have 12 cards, not 11."),
        (
            changed(1, f"{SECTIONS[0]} {STOCK[-1]}").removesuffix(f" {STOCK[-1]}"),
            begins(1) + 3,
            "Column 1 must have 1 card, not 2.",
        ),
        (" | ".join(SECTIONS[:7]), begins(8) - 3, f"{EIGHT}, not 7."),
        (f"{DEAL} | ", len(DEAL) + 1, f"{EIGHT}, not 9."),
        ("1s", 3, f"{EIGHT}, not 1."),
        ("|", 2, f"{EIGHT}, not 2."),
    ],
)  # fmt: skip
def test_a_wrong_deal_size_is_rejected_with_position(text, column, message):
    assert refused(text) == (1, column, message)


def test_a_long_wrong_card_is_quoted_briefly():
    _line, column, message = refused("x" * 5000 + DEAL)
    assert column == 1
    assert len(message) < 100


@given(st.text("123VCRsbcd |-\t/;#\n\rxéß\u2028\u017f", max_size=80))
def test_any_other_text_is_rejected_with_position(text):
    number, column, _message = refused(text)
    line = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[number - 1]
    assert 1 <= column <= len(line) + 1


@given(st.sampled_from(sorted(PACKS)), st.text())
def test_deal_text_is_read_back(pack, seed):
    deal = rules.deal(seed, {"pack": pack})
    assert format_deal(parse_deal(deal, PACKS[pack])) == deal


# The shipped files


def shipped(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def test_all_deal_files_are_known():
    readme = shipped("README.md")
    assert set(generate.PACKS) == set(PACKS)
    for pack in PACKS:
        assert f"| `{pack}.txt` | {len(read_deal_file(shipped(f'{pack}.txt'), pack, pack))} |" in readme


@pytest.mark.parametrize("pack", PACKS)
def test_shipped_deals_come_from_their_seeds(pack):
    seeds = [f"{generate.SEED}: {pack} {number}" for number in generate.NUMBERS[pack]]
    dealt = tuple(rules.deal(seed, {"pack": pack}) for seed in seeds)
    assert read_deal_file(shipped(f"{pack}.txt"), pack, pack) == dealt


@pytest.mark.parametrize("pack", PACKS)
def test_shipped_deals_state_correctly_whether_they_are_solvable(pack):
    """Every claim of a line is played, with the moves of the rules."""
    _heading, *lines = shipped(f"{pack}.txt").splitlines()
    assert len(set(lines[1::2])) == len(lines) / 2
    for message, deal in zip(lines[::2], lines[1::2], strict=True):
        one, three = message.removeprefix("// ").split(", with three cards a draw: ")
        for draw, claim in ((1, one), (3, three)):
            state = rules.start(deal, {"pack": pack, "draw": draw, "turn_up": "auto"})
            ace_on_two = state.options["ace_on_two"]
            solution = solve(state.position, state.pack, draw=draw, ace_on_two=ace_on_two)
            assert claim.startswith("can be solved (grade " if solution.solvable else "cannot be solved")
            for action in solution.line:
                state = rules.apply(state, rules.SEAT, action)
            assert state.solved is solution.solvable


@pytest.mark.parametrize(
    ("pack", "number", "grade"), [("briscola", 2, 3), ("french", 5, 1), ("tarocco", 3, 2)]
)
def test_shipped_deals_have_their_grades(pack, number, grade):
    message, deal = shipped(f"{pack}.txt").splitlines()[2 * number - 1 : 2 * number + 1]
    assert message.startswith(f"// can be solved (grade {grade})")
    state = rules.start(deal, {"pack": pack})
    solution = solve(state.position, state.pack, ace_on_two=state.options["ace_on_two"])
    assert difficulty.grade(solution, difficulty.count_wins(deal, {"pack": pack})) == grade


def test_grades_rise_with_difficulty():
    found, hard = Solution(True, (), difficulty.EASY_NODES), Solution(True, (), difficulty.EASY_NODES + 1)
    shares = [(1, 0, 0), (0, 0.5, 0.5), (0, 0, 0.05), (0, 0, 0)]
    grades = [difficulty.grade(found, difficulty.Wins(*wins)) for wins in shares]
    assert [*grades, difficulty.grade(hard, difficulty.Wins(0, 0, 0))] == [1, 2, 3, 4, 5]
    assert difficulty.grade(Solution(False, (), 9), difficulty.Wins(0, 0, 0)) is None
