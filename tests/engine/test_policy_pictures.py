"""The pictures of policies show what the engine does today."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.policy_timelines import PICTURES, SCENARIOS, play
from tests.support.timeline_svg import draw

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "style", "pattern", "rect", "path", "text", "tspan"}
MAX_BYTES = 6000


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_picture_shows_what_the_engine_does(name: str, tmp_path: Path) -> None:
    committed = (PICTURES / f"{name}.svg").read_text()

    assert draw(play(SCENARIOS[name], tmp_path)) == committed, "make policy-pictures"


def test_the_pictures_are_those_of_the_scenarios() -> None:
    assert {
        path.stem for kind in ("overlap", "catch-up") for path in PICTURES.glob(f"{kind}-*.svg")
    } == set(SCENARIOS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_picture_is_small_has_words_and_no_scripts(name: str) -> None:
    text = (PICTURES / f"{name}.svg").read_text()
    root = ET.fromstring(text)  # noqa: S314  (our own file)

    assert len(text.encode()) <= MAX_BYTES
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= ELEMENTS
    assert root.findtext(f"{SVG}title") == SCENARIOS[name].title
    assert "10:20" in (root.findtext(f"{SVG}desc") or "")
