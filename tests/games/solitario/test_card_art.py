"""The Italian cards (_static/solitario/): every card of both packs has a picture that needs nothing else."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

ART = Path(__file__).parents[3] / "_static" / "solitario"
DRAWN = runpy.run_path(str(ART / "draw.py"))["pictures"]()
BRISCOLA = {rank + suit for rank in [*"1234567", *"VCR"] for suit in "sbcd"}
TAROCCO = {rank + suit for rank in [*"123456789", "10", *"VCDR"] for suit in "sbcd"}


def test_the_pictures_are_those_of_the_script():
    there = {
        file.relative_to(ART).as_posix(): file.read_text(encoding="utf-8") for file in ART.rglob("*.svg")
    }
    assert there == DRAWN, "python _static/solitario/draw.py writes them anew"


def test_every_card_of_both_packs_has_a_picture():
    assert BRISCOLA < TAROCCO
    signs = {f"{folder}/{suit}.svg" for folder in ("suits", "empty") for suit in "sbcd"}
    assert set(DRAWN) == {f"cards/{card}.svg" for card in TAROCCO} | signs
    assert len(set(DRAWN.values())) == len(DRAWN), "no two look the same"


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_small_and_holds_all_that_it_shows(name):
    assert len(DRAWN[name].encode()) < 12_000
    ids, wanted = set(), set()
    for element in ElementTree.fromstring(DRAWN[name]).iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in (
            *("svg", "defs", "g", "path", "circle", "rect", "use", "pattern", "clipPath"),
        )
        for key, value in element.attrib.items():
            assert not key.startswith("on")
            if key == "id":
                assert value not in ids
                ids.add(value)
            elif key == "href":
                wanted.add(value.removeprefix("#"))
            else:
                wanted.update(re.findall(r"url\(#(.+?)\)", value))
                assert "url(" not in re.sub(r"url\(#.+?\)", "", value)
    assert wanted <= ids, "every reference is to a part of the same file"
