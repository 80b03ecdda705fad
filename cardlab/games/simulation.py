"""Deals simulated sessions: the common parts of the games' modules ``simulation``.

Such a module makes a config and calls the game's ``dealing`` with it. It has ``FIRST_ROUND``, the oTree round
in which the game's app plays its first hand, and

``hands(given, deals, count, seed, read) -> list[Opening]``
    Returns the hands of a session, the same for all players. ``given`` has the settings that differ from
    their defaults, as texts by name. ``deals`` names a file of deals; the word ``seed`` draws deals by the
    argument ``seed``, and None is the default of the game. ``count`` is the number of hands, None for all in
    the file. ``read`` returns a file by name. Raises BadFile.

A game without such a module has the settings ``dealing.ALLOWED_OPTIONS`` (:class:`DefaultSimulation`).

In such a session groups stay together, and the first seat rotates with each hand. A game that forms groups
differently, or gives them different hands, has this function instead of ``FIRST_ROUND`` and ``hands``:

``session(given, deals, count, seed, read) -> Session``
"""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from cardlab.games.contract import BadFile, Strategy
from cardlab.games.dealing import DRAWN_BY_SEED, Config, DealtSession, ReadFile, number_hands
from cardlab.games.record import Opening
from cardlab.games.registry import Game
from cardlab.games.seating import GroupRules
from cardlab.games.text_file import quote

NO_LIMIT = sys.maxsize  # number of hands: a simulation is not limited by the rounds of an app
MAX_FACTOR = 1000  # largest multiple of a strategy's strength


class Session(NamedTuple):
    """The hands and the groups of a simulated session.

    ``hands_by_group`` has the hands of the first group, of the second and so on; further groups cycle through
    it. ``groups`` has the rules of grouping, and ``config`` is their config; None if groups stay together.
    """

    hands_by_group: list[list[Opening]]
    first_round: int
    groups: GroupRules | None = None
    config: Config = {}


def deal_session(
    simulation: Any, given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
) -> Session:
    """Returns a session as the game's ``simulation`` deals it. Raises BadFile."""
    if hasattr(simulation, "session"):
        session: Session = simulation.session(given, deals, count, seed, read)
        return session
    return Session([simulation.hands(given, deals, count, seed, read)], simulation.FIRST_ROUND)


class DefaultSimulation:
    """The simulation of a game without a module ``simulation``; ``dealing`` is the game's module."""

    FIRST_ROUND = 1
    DRAWN_HANDS = 3

    def __init__(self, dealing: Any) -> None:
        self._dealing = dealing

    def hands(
        self, given: Mapping[str, str], deals: str | None, count: int | None, seed: str, read: ReadFile
    ) -> list[Opening]:
        """Returns the hands of a session; without ``deals`` they are drawn. Raises BadFile."""
        settings = choose_settings(given, self._dealing.ALLOWED_OPTIONS)
        config = {**settings, "seed": seed, "deal_file": deals or DRAWN_BY_SEED}
        return deal_hands(
            self._dealing.openings, self._dealing.read_deal_file, config, count, self.DRAWN_HANDS, read
        )


def load_simulation(game: Game) -> Any:
    """Returns the game's module ``simulation``, or the default one."""
    if find_spec(f"{game.rules.__package__}.simulation"):
        return game.load_module("simulation")
    return DefaultSimulation(game.load_module("dealing"))


class UnknownSetting(BadFile):
    """A game's simulation does not have the setting ``name``."""

    def __init__(self, name: str, known: Collection[str]) -> None:
        self.name = name
        super().__init__("settings", f"Unknown setting {quote(name)}. The settings are {', '.join(known)}.")


def bad_setting(sentence: str) -> BadFile:
    """Returns the error to raise for a setting."""
    return BadFile("settings", sentence)


def check_setting_names(given: Mapping[str, str], known: Collection[str]) -> None:
    """Raises UnknownSetting if a setting is given that is not among the ``known``."""
    for name in given:
        if name not in known:
            raise UnknownSetting(name, known)


def choose_settings(given: Mapping[str, str], allowed: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Returns the value of each setting: the given one, or the first that is allowed. Raises BadFile."""
    check_setting_names(given, allowed)
    return {name: _value(name, given.get(name), values) for name, values in allowed.items()}


def _value(name: str, text: str | None, allowed: Sequence[Any]) -> Any:
    if text is None:
        return allowed[0]
    spelled = {_spelled(value).lower(): value for value in allowed}
    if text.strip().lower() not in spelled:
        raise bad_setting(f"{name} must be {' or '.join(map(_spelled, allowed))}, not {quote(text)}.")
    return spelled[text.strip().lower()]


def _spelled(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)


def find_strategy(title: str, known: Mapping[str, Strategy], name: str) -> Strategy:
    """Returns the strategy with this name, or that of ``NAME=FACTOR`` if it can be scaled. Raises BadFile."""
    plain, equals, factor = name.partition("=")
    if plain not in known:
        raise BadFile(
            name, f"{title} has no such strategy. The strategies are {', '.join(strategy_names(known))}."
        )
    strategy = known[plain]
    if not equals:
        return strategy
    if strategy.scaled is None:
        raise BadFile(name, f"The strategy {plain} of {title} has no factor. Write only {plain}.")
    try:
        value = float(factor)
        if not 0 <= value <= MAX_FACTOR:
            raise ValueError
    except ValueError:
        raise BadFile(
            name, f"FACTOR in {plain}=FACTOR must be a number from 0 to {MAX_FACTOR}, not {quote(factor)}."
        ) from None
    return strategy._replace(new_policy=strategy.scaled(value))


def strategy_names(known: Mapping[str, Strategy]) -> list[str]:
    """Returns the allowed names of strategies: ``informed``, ``routinizing``, ``routinizing=FACTOR``."""
    return [
        text for name, one in known.items() for text in ([name, f"{name}=FACTOR"] if one.scaled else [name])
    ]


def first_hands(hands: Sequence[Opening], count: int | None) -> list[Opening]:
    """Returns the first ``count`` hands of a file, all for None. Raises BadFile if there are fewer."""
    if count is not None and count > len(hands):
        raise BadFile(hands[0].source, f"{count} hands were requested, but the file has only {len(hands)}.")
    return number_hands((), hands[:count])


def deal_hands(
    openings: Callable[[Config, int, int, ReadFile], DealtSession],
    read_deals: Callable[[str, str], Sequence[str]],
    config: Config,
    count: int | None,
    drawn: int,
    read: ReadFile,
) -> list[Opening]:
    """Deals the hands of a simulated session by the game's ``openings``.

    Without ``count`` these are all deals of the config's ``deal_file``, or ``drawn`` hands by its seed.
    Raises BadFile.
    """
    if config["deal_file"] == DRAWN_BY_SEED:
        number = drawn if count is None else count
    else:
        file = read(config["deal_file"], "deal file")
        number = len(read_deals(file.text, file.name))
    session = openings(
        {**config, "hands": number, "games": number}, config.get("group_size", 1), NO_LIMIT, read
    )
    return first_hands([hand for (hand,) in session.hands], count)
