"""Plots that are drawn when they are needed, and their files. The same data give the same bytes."""

import io
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, ParamSpec

from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
WITHOUT_DATE = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}

_P = ParamSpec("_P")


class Drawing(NamedTuple):
    """A plot that is drawn when it is needed: axes take longer to make than most of the numbers."""

    draw: Callable[..., Figure]
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    @property
    def figure(self) -> Figure:
        """Draws the plot."""
        return self.draw(*self.arguments, **self.options)


def lazy(draw: Callable[_P, Figure]) -> Callable[_P, Drawing]:
    """Decorates a function that draws, so that it returns a :class:`Drawing`."""

    @wraps(draw)
    def create_drawing(*arguments: _P.args, **options: _P.kwargs) -> Drawing:
        return Drawing(draw, arguments, options)

    return create_drawing


def render(drawing: Drawing, kind: str) -> bytes:
    """Returns the plot as a file of one of ``FORMATS``, without a date."""
    with warnings.catch_warnings():
        # Letters that matplotlib's own font lacks: the reader's font has them.
        warnings.simplefilter("ignore")
        figure = drawing.figure
        lay_out(figure)
        file = io.BytesIO()
        figure.savefig(file, format=kind, metadata=WITHOUT_DATE.get(kind))
    return file.getvalue()


def render_svg(drawing: Drawing) -> str:
    """Returns the plot as the text of an SVG, without the head of an XML file."""
    text = render(drawing, "svg").decode()
    whole = text.replace("'DejaVu Sans', sans-serif", "'DejaVu Sans', Verdana, Arial, sans-serif")
    return whole[whole.index("<svg") :]


def lay_out(figure: Figure) -> None:
    """Places axes and legends, once: with any layout engine, "none" too, matplotlib draws all of it twice."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)
