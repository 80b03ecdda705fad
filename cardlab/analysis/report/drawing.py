"""Renders plots lazily into files. The same data give the same bytes."""

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
    """A plot that is drawn only when it is needed, because drawing takes longer than most computations."""

    draw: Callable[..., Figure]
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    @property
    def figure(self) -> Figure:
        """Draws the plot."""
        return self.draw(*self.arguments, **self.options)


def lazy(draw: Callable[_P, Figure]) -> Callable[_P, Drawing]:
    """Decorates a drawing function, so that it returns a :class:`Drawing` and draws later."""

    @wraps(draw)
    def create_drawing(*arguments: _P.args, **options: _P.kwargs) -> Drawing:
        return Drawing(draw, arguments, options)

    return create_drawing


def render(drawing: Drawing, kind: str) -> bytes:
    """Returns the plot as a file in one of ``FORMATS``, without a date."""
    with warnings.catch_warnings():
        # Ignores warnings about glyphs that matplotlib's font lacks, because the reader's font has them.
        warnings.simplefilter("ignore")
        figure = drawing.figure
        lay_out(figure)
        file = io.BytesIO()
        figure.savefig(file, format=kind, metadata=WITHOUT_DATE.get(kind))
    return file.getvalue()


def render_svg(drawing: Drawing) -> str:
    """Returns the plot as SVG text without the XML declaration."""
    text = render(drawing, "svg").decode()
    svg = text.replace("'DejaVu Sans', sans-serif", "'DejaVu Sans', Verdana, Arial, sans-serif")
    return svg[svg.index("<svg") :]


def lay_out(figure: Figure) -> None:
    """Runs the layout engine once and removes it, because any engine makes matplotlib draw twice."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)
