"""The parts of the analysis that belong to one game, in a package with the game's name.

Each module is optional:

``report``
    ``CURVES``, the columns to plot from hand to hand with their axis labels, the first also for each
    participant; and ``sections(data)``, which yields the sections of the report that only this game has.
``best``
    The best result of a deal with all cards known (see ``cardlab.analysis.best``).
``replay_notes``
    ``action_notes(history)``, which returns notes on the actions of a replay by action number, for the
    researcher; participants never saw them. ``SEARCHES`` says whether this takes seconds; then notes are
    made only if a single hand is replayed.
``board``
    The values of moves on the analysis board (see ``cardlab.analysis.board``).
``pairs``
    The table of pairs: ``columns()``, which returns the columns with their meanings, and
    ``join_rows(seats)``, which returns the row of a hand of several seats in the table for models.
``choices``, ``choice_fits``, ``choice_power``, ``routines`` and ``replications``
    The tables of choices, of fitted models and their power, of routines, and of published findings:
    ``COLUMNS``, the columns with their meanings.
``depth_table`` and ``depth_power``
    The same for the tables of planning and its power.
``commands``
    A package; each of its modules is a command of ``python -m cardlab.analysis`` (see
    ``cardlab.analysis.commands``). One that writes a table may have ``COLUMNS``, the columns with their
    meanings.
``logs``
    The game's own log files (see ``cardlab.analysis.sources``).
``written_logs``
    Regenerates the exported texts of the game from a table of actions. ``LINES`` has a function for each kind
    of text, which takes the hands of a session and the participants' numbers by code, and yields the lines.
"""

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def module(game: str, name: str) -> ModuleType | None:
    """Returns a module of a game's package, None if there is no such module."""
    package = f"{__name__}.{game}"
    exists = find_spec(package) and find_spec(f"{package}.{name}")
    return import_module(f"{package}.{name}") if exists else None


def modules(name: str) -> list[ModuleType]:
    """Returns the modules with a name from all games, in the order of the games' names."""
    games = [module_info.name for module_info in pkgutil.iter_modules(__path__) if module_info.ispkg]
    return [found for game in games if (found := module(game, name))]


def command_tables() -> list[dict[str, str]]:
    """Returns the columns of the tables that commands of games declare, with their meanings."""
    found = (
        import_module(f"{package.__name__}.{module_info.name}")
        for package in modules("commands")
        for module_info in pkgutil.iter_modules(package.__path__)
    )
    return [command.COLUMNS for command in found if hasattr(command, "COLUMNS")]
