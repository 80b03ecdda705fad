"""Tests that every card of the three packs has a self-contained picture."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cardlab.games.solitario.packs import PACKS

ROOT = Path(__file__).parents[3]
ART = ROOT / "_static" / "solitario"
SCRIPTS = ROOT / "tools" / "card_art"


def pictures() -> dict[str, str]:
    """Returns the output of the two drawing scripts; the second one imports the first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        return {
            name: text
            for script in ("italian.py", "french.py")
            for name, text in runpy.run_path(str(SCRIPTS / script))["pictures"]().items()
        }


DRAWN = pictures()


def test_pictures_equal_those_of_the_scripts():
    files = {
        file.relative_to(ART).as_posix(): file.read_text(encoding="utf-8") for file in ART.glob("*/**/*.svg")
    }
    assert files == DRAWN, "tools/card_art/italian.py and french.py write them anew"


def test_every_card_has_a_picture():
    italian = set(PACKS["briscola"].cards) | set(PACKS["tarocco"].cards)
    wanted = {f"cards/{card}.svg" for card in italian}
    wanted |= {f"french/{card}.svg" for card in PACKS["french"].cards}
    assert set(DRAWN) == wanted
    assert len({name.casefold() for name in DRAWN}) == len(DRAWN), "two files of one name where case is lost"
    assert len(set(DRAWN.values())) == len(DRAWN), "no two look the same"


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_small_and_self_contained(name):
    pips = re.fullmatch(r"french/(A|\d+)[SHCD]\.svg", name)
    assert len(DRAWN[name].encode()) < (3_000 if pips else 12_000)
    ids, wanted = set(), set()
    for element in ElementTree.fromstring(DRAWN[name]).iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in (
            *("svg", "style", "defs", "g", "path", "circle", "rect", "use", "pattern", "clipPath"),
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
