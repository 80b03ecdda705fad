"""matplotlib's figures as SVG, in the very bytes that its ``savefig`` writes, where lines have many marks."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

POINTS = 72  # an inch
_MARK = re.compile(r'^( *<use .*? x=")[^"]*(" y=")[^"]*(".*/>\n)', re.MULTILINE)


def render_svg(figure: Figure) -> str:
    """The figure, which is laid out, as an SVG without a date."""
    figure.dpi = POINTS
    width, height = figure.get_size_inches() * POINTS
    renderer = _Renderer(width, height, _TextPieces())
    figure.draw(renderer)
    renderer.finalize()
    return "".join(renderer.pieces)


class _TextPieces(list[str]):
    """A text to be written to, of which the last pieces can be taken back."""

    write = list.append

    def taken_back(self, begin: int) -> str:
        text = "".join(self[begin:])
        del self[begin:]
        return text


class _Renderer(RendererSVG):
    def __init__(self, width: float, height: float, pieces: _TextPieces) -> None:
        self.pieces = pieces
        super().__init__(width, height, pieces, metadata={"Date": None, "Creator": None})

    def draw_markers(
        self, gc: Any, mark: Path, of_mark: Any, path: Path, trans: Any, rgbFace: Any = None
    ) -> None:
        """A mark at each point of a path. The style of the first, which takes matplotlib nine tenths of the
        time, is that of all."""
        turned = trans + Affine2D().scale(1, -1).translate(0, self.height)
        width, height = self.width * POINTS, self.height * POINTS
        there = turned.transform(path.vertices)
        inside = np.flatnonzero(((there >= 0) & (there <= (width, height))).all(axis=1))
        if not len(inside):
            super().draw_markers(gc, mark, of_mark, path, trans, rgbFace)
            return
        begin = len(self.pieces)
        super().draw_markers(gc, mark, of_mark, Path(path.vertices[inside[:1]]), trans, rgbFace)
        text = self.pieces.taken_back(begin)
        one = _MARK.search(text)
        before, between, after = one.groups()
        points = path.cleaned(turned, remove_nans=True, clip=(0, 0, width, height), simplify=False)
        drawn = points.vertices[points.codes != Path.STOP].tolist()
        marks = [f"{before}{_format_number(x)}{between}{_format_number(y)}{after}" for x, y in drawn]
        self.pieces.extend([text[: one.start()], *marks, text[one.end() :]])


def _format_number(number: float) -> str:
    return f"{number:f}".rstrip("0").rstrip(".")
