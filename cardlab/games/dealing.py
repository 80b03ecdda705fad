"""Deals the hands of a session: the common parts of the games' modules ``dealing``.

Such a module makes the openings of the hands from the session config. It does not import oTree. It has

``openings(config, participants, at_most, read) -> DealtSession``
    ``config`` has the fields of the session config, ``participants`` is the number of participants,
    ``at_most`` is the largest number of hands that the app has rounds for, and ``read`` returns a file by
    name. Raises BadFile for an invalid file or an impossible config.

The server calls it to validate a config and to create a session; simulations call it too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count, cycle
from typing import Any, NamedTuple

from cardlab.games.record import Opening
from cardlab.games.setting import Settings, check_settings

ARRIVAL_SECONDS = 180  # the longest time to open the board of a hand that has begun
DRAWN_BY_SEED = "seed"  # instead of the name of a deal file: deals are drawn by the session's seed

Config = Mapping[str, Any]


def config_for_app(config: Config, app: str) -> Config:
    """Returns the config of one app of the session.

    The app's own field ``APP.payoff_base`` overrides the ``payoff_base`` of all apps.
    """
    own_fields = _own_fields(tuple(config), app)
    return {**config, **{field: config[key] for key, field in own_fields}} if own_fields else config


@lru_cache(maxsize=256)
def _own_fields(keys: tuple[str, ...], app: str) -> list[tuple[str, str]]:
    """Returns the keys of an app's own fields and the fields that they set.

    The result is cached, because each page calls this a dozen times.
    """
    prefix = f"{app}."
    return [(key, key.removeprefix(prefix)) for key in keys if key.startswith(prefix)]


def waiting_options(config: Config) -> dict[str, Any]:
    """Returns the options of a hand that say how long the others wait for an absent participant."""
    arrival = min(config["gather_seconds"], ARRIVAL_SECONDS)
    return {
        "turn_limit_seconds": config["turn_limit_seconds"],
        "gather_seconds": arrival,
        "absent_after": config["absent_after"],
    }


class DealFile(NamedTuple):
    """A file with deals or settings: its name without a folder, its text, and the SHA-256 of its bytes."""

    name: str
    text: str
    sha256: str


ReadFile = Callable[[str, str], DealFile]
"""Reads the file that a config names; the second argument is its kind, such as ``deal file``. Raises
BadFile."""


DealFunction = Callable[[str, dict[str, Any]], str]  # a game's ``rules.deal``


class DealtSession(NamedTuple):
    """The hands of a session in order.

    Each hand has one opening for all players, or one for each participant or group. ``notices`` has messages
    for the researcher.
    """

    hands: list[list[Opening]]
    notices: list[str]


def apply_defaults(
    options: Mapping[str, Any], defaults: Mapping[str, Any], allowed: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Returns the options of a hand with defaults for missing ones. Raises ValueError for a bad value."""
    options = {**defaults, **options}
    for name, values in allowed.items():
        if options[name] not in values:
            is_range = len(values) > 2 and isinstance(values[0], int)
            text = f"{values[0]} to {values[-1]}" if is_range else " or ".join(map(str, values))
            raise ValueError(f"The option {name} must be {text}, not '{options[name]}'.")
    return options


def check_paid_game(config: Config, substitute: str) -> str | None:
    """Returns what is wrong with the setting that draws one game to be paid; None if nothing is.

    ``substitute`` says in the message who can play for absent participants, such as ``robots``.
    """
    values = config["pay_hands"], config["partners"]
    if values != ("one", "rematched") or config["no_shows"] == "robot":
        return None
    return (
        f"With partners rematched and no_shows {config['no_shows']}, pay_hands cannot be one: the paid game "
        f"might be drawn from games that a participant sat out. Let {substitute} play instead "
        "(no_shows), or pay all games."
    )


def draw_or_read_deals(
    deal: DealFunction,
    read_deals: Callable[[str, str], Sequence[str]],
    config: Config,
    options: dict[str, Any],
    read: ReadFile,
) -> Iterator[Opening]:
    """Returns an infinite iterator of openings: drawn by the config's ``seed``, or cycling its ``deal_file``.

    ``read_deals`` takes the text and the name of a file. Raises BadFile before the first opening.
    """
    if config["deal_file"] == DRAWN_BY_SEED:
        return draw_deals(deal, str(config["seed"]), options)
    source = read(config["deal_file"], "deal file")
    return cycle(
        [
            Opening(text, options, source=source.name, sha256=source.sha256)
            for text in read_deals(source.text, source.name)
        ]
    )


def draw_deals(deal: DealFunction, seed: str, options: dict[str, Any]) -> Iterator[Opening]:
    """Yields an infinite series of openings, drawn by a session's seed."""
    for number in count(1):
        yield Opening(deal(f"{seed}, deal {number}", options), options)


def number_hands(practice: Sequence[Opening], paid: Sequence[Opening]) -> list[Opening]:
    """Returns all hands of a session in order, each numbered among the practice or the paid hands."""
    return [
        replace(hand, number=number, of=len(same_kind), hands=len(practice) + len(paid))
        for same_kind in (practice, paid)
        for number, hand in enumerate(same_kind, 1)
    ]


def check_solo_config(config: Config, settings: Settings, at_most: int) -> str | None:
    """Returns what is wrong with the session config of a game for one player, as a sentence; None if nothing.

    ``at_most`` is the largest number of hands.
    """
    if problem := check_settings(config, settings, hands=at_most, practice_hands=at_most):
        return problem
    count = config["hands"] + config["practice_hands"]
    return (
        f"hands and practice_hands together must be at most {at_most}, not {count}."
        if count > at_most
        else None
    )


def deal_solo_session(dealt: Iterator[Opening], config: Config, participants: int) -> DealtSession:
    """Deals the hands of a game for one player: the same for all, or with ``own_deals`` different ones."""
    hands_of_participants = [
        number_hands(
            [replace(next(dealt), practice=True) for _hand in range(config["practice_hands"])],
            [next(dealt) for _hand in range(config["hands"])],
        )
        for _participant in range(participants if config["own_deals"] else 1)
    ]
    return DealtSession([list(hands) for hands in zip(*hands_of_participants)], [])
