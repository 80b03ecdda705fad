"""Writes matplotlib's figures as SVG: the same bytes as its ``savefig``, but marks of lines are fast."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.transforms import Affine2D, Transform

POINTS = 72  # an inch
_MARK = re.compile(r'^( *<use .*? x=")[^"]*(" y=")[^"]*(".*/>\n)', re.MULTILINE)


def render_svg(figure: Figure) -> str:
    """Returns a figure, which must be laid out, as an SVG without a date."""
    figure.dpi = POINTS
    width, height = figure.get_size_inches() * POINTS
    renderer: Any = _Renderer(width, height, _TextPieces())
    figure.draw(renderer)
    renderer.finalize()
    return "".join(renderer.pieces)


class _TextPieces(list[str]):
    """A file-like list of text pieces, of which the last can be removed."""

    write = list.append

    def pop_from(self, begin: int) -> str:
        """Removes the pieces from an index on; returns their text."""
        text = "".join(self[begin:])
        del self[begin:]
        return text


class _Renderer(RendererSVG):
    def __init__(self, width: float, height: float, pieces: _TextPieces) -> None:
        self.pieces = pieces
        base: Any = super()  # matplotlib.backends has no types
        base.__init__(width, height, pieces, metadata={"Date": None, "Creator": None})

    def draw_markers(
        self,
        gc: GraphicsContextBase,
        marker_path: Path,
        marker_trans: Transform,
        path: Path,
        trans: Transform,
        face: Any = None,
    ) -> None:
        """Draws a mark at each point of a path.

        The style of the first, which takes matplotlib nine tenths of the time, is that of all.
        """
        turned = trans + Affine2D().scale(1, -1).translate(0, self.height)
        width, height = self.width * POINTS, self.height * POINTS
        base: Any = super()
        vertices = np.asarray(path.vertices)
        positions = turned.transform(vertices)
        inside = np.flatnonzero(((positions >= 0) & (positions <= (width, height))).all(axis=1))
        if not len(inside):
            base.draw_markers(gc, marker_path, marker_trans, path, trans, face)
            return
        begin = len(self.pieces)
        base.draw_markers(gc, marker_path, marker_trans, Path(vertices[inside[:1]]), trans, face)
        text = self.pieces.pop_from(begin)
        mark = _MARK.search(text)
        if mark is None:
            raise ValueError(f"matplotlib draws a mark in an unexpected way: {text}")
        before, between, after = mark.groups()
        points = path.cleaned(turned, remove_nans=True, clip=(0, 0, width, height), simplify=False)
        drawn = np.asarray(points.vertices)[points.codes != Path.STOP].tolist()
        marks = [f"{before}{_format_number(x)}{between}{_format_number(y)}{after}" for x, y in drawn]
        self.pieces.extend([text[: mark.start()], *marks, text[mark.end() :]])


def _format_number(number: float) -> str:
    return f"{number:f}".rstrip("0").rstrip(".")
