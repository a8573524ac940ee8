"""The colours of a picture, on light paper and in the dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

FONT = "system-ui,-apple-system,'Segoe UI','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif"
_LIGHT = ("#3f6f8f", "#b5654a", "#5b8557", "#86669b", "#b58a34", "#45888a", "#ac5c7c", "#6475ac", "#877655", "#73923a")
_DARK = ("#7fb0d0", "#e39a80", "#97c392", "#bea2d3", "#e2c07a", "#83c5c5", "#e199b5", "#a5b3e4", "#c6b692", "#b4d07d")
_ON_LIGHT = {"paper": "#fbfaf6", "ink": "#2f2d2a", "quiet": "#857f75", "across": "#a39c90", "against": "#c0392f"}
_IN_THE_DARK = {"paper": "#15171b", "ink": "#e7e4dd", "quiet": "#979289", "across": "#6b6a68", "against": "#ff8a7d"}
_SHAPES = f"""\
text{{font-family:{FONT};text-anchor:middle}}
.title{{font-size:19px;font-weight:600;text-anchor:start}}
.note{{font-size:13px;text-anchor:start}}
.bed-name{{font-weight:600;letter-spacing:.04em}}
.bed{{fill-opacity:.075}}
.line{{fill:none;stroke-linecap:round;stroke-opacity:.34}}
.s1{{stroke-width:.8}}.s2{{stroke-width:1.2;stroke-opacity:.44}}.s3{{stroke-width:1.7;stroke-opacity:.56}}
.against{{stroke-dasharray:5 4;stroke-opacity:.85}}
.label,.bed-name{{paint-order:stroke;stroke-width:3.5px;stroke-linejoin:round}}
.hot,.warm{{stroke-width:1.2}}
.cold{{stroke-width:1.6}}
.ring{{fill:none;stroke-width:1.3;stroke-opacity:.7}}
.center{{fill:none;stroke-width:2.2}}
a:hover circle,a:focus circle{{stroke-width:3}}
"""


def style() -> str:
    """The style sheet of a picture."""
    rules = _SHAPES + "".join(_colours(_ON_LIGHT, _LIGHT))
    dark = "".join(_colours(_IN_THE_DARK, _DARK))
    return f"{rules}@media (prefers-color-scheme:dark){{\n{dark}}}\n"


def page_colours() -> str:
    """The colours of a page around a picture."""
    light, dark = (_page(each) for each in (_ON_LIGHT, _IN_THE_DARK))
    return f":root{{color-scheme:light dark}}\n{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n"


def _colours(tones: Mapping[str, str], hues: Sequence[str]) -> Iterator[str]:
    paper, ink = tones["paper"], tones["ink"]
    yield f".paper,.cold{{fill:{paper}}}.title,.label{{fill:{ink}}}.note{{fill:{tones['quiet']}}}\n"
    yield f".hot,.warm,.label,.bed-name{{stroke:{paper}}}.across{{stroke:{tones['across']}}}.center{{stroke:{ink}}}\n"
    for number, hue in enumerate(hues):
        filled = ",".join(f".{role}.h{number}" for role in ("hot", "bed", "bed-name"))
        drawn = ",".join(f".{role}.h{number}" for role in ("line", "ring", "cold"))
        yield f"{filled}{{fill:{hue}}}{drawn}{{stroke:{hue}}}.warm.h{number}{{fill:{_mixed(hue, paper, 0.4)}}}\n"
    yield f".line.against{{stroke:{tones['against']}}}\n"


def _mixed(one: str, other: str, share: float) -> str:
    """A colour with a share of another one in it; letting things shine through would show the lines below."""
    parts = (round(int(one[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share) for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in parts)


def _page(tones: Mapping[str, str]) -> str:
    return (
        f"body{{background:{tones['paper']};color:{tones['ink']}}}"
        f".quiet,summary{{color:{tones['quiet']}}}"
        f"li:target{{outline:2px solid {tones['across']}}}hr{{border-color:{tones['across']}}}\n"
    )
