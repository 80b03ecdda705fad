"""Dealing a session: what the games' modules ``dealing`` have in common.

Such a module makes the openings of a session's hands of the session's config, and knows no oTree:

``openings(config, participants, at_most, read) -> DealtSession``
    ``config`` has the fields of the session config, ``participants`` is how many take part, ``at_most`` how
    many hands the app has room for, and ``read`` gives a file by its name. Raises BadFile with a sentence,
    also if the config asks for what cannot be.

The server calls it before a session is made and when it is; simulations call it too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count, cycle
from typing import Any, NamedTuple

from cardlab.games.record import Opening
from cardlab.games.setting import Settings, check_settings

WAITING_FIELDS = (
    "turn_limit_seconds",
    "gather_seconds",
    "absent_after",
)  # how long who stays away is waited for
DRAWN_BY_SEED = "seed"  # in the place of a deal file's name: the deals are drawn by the seed

Config = Mapping[str, Any]


def config_for_app(config: Config, app: str) -> Config:
    """Returns the config as it holds for one app of the session.

    A field ``APP.payoff_base`` is the app's own, and comes before the ``payoff_base`` of all.
    """
    own = _own_fields(tuple(config), app)
    return {**config, **{field: config[key] for key, field in own}} if own else config


@lru_cache(maxsize=256)
def _own_fields(keys: tuple[str, ...], app: str) -> list[tuple[str, str]]:
    """Returns the keys that are an app's own, and the fields that they set. Each page asks a dozen times."""
    prefix = f"{app}."
    return [(key, key.removeprefix(prefix)) for key in keys if key.startswith(prefix)]


class DealFile(NamedTuple):
    """A file that deals or settings are read from: its bare name, its text, and the SHA-256 of its bytes."""

    name: str
    text: str
    sha256: str


ReadFile = Callable[[str, str], DealFile]
"""Reads a file by the name that a config has for it; the second argument is its kind, such as
``deal file``. Raises BadFile."""


DealFunction = Callable[[str, dict[str, Any]], str]  # a game's ``rules.deal``


class DealtSession(NamedTuple):
    """The hands of a session in order.

    Each hand has one opening for all players, or one for each participant or group. ``notices`` is what the
    researcher should know.
    """

    hands: list[list[Opening]]
    notices: list[str]


def apply_defaults(
    options: Mapping[str, Any], defaults: Mapping[str, Any], allowed: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """Returns the options of a hand with defaults for the missing ones. Raises ValueError with a sentence."""
    options = {**defaults, **options}
    for name, values in allowed.items():
        if options[name] not in values:
            is_range = len(values) > 2 and isinstance(values[0], int)
            text = f"{values[0]} to {values[-1]}" if is_range else " or ".join(map(str, values))
            raise ValueError(f"The option {name} must be {text}, not '{options[name]}'.")
    return options


def check_paid_game(config: Config, substitute: str) -> str | None:
    """Returns what is wrong with drawing one game to be paid, or None; ``substitute`` can play instead."""
    together = config["pay_hands"], config["partners"], config["no_shows"]
    if together != ("one", "rematched", "leave_out"):
        return None
    return (
        "With partners rematched and no_shows leave_out, pay_hands cannot be one: the paid game "
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
    """Returns endless openings: drawn by the config's ``seed``, or those of its ``deal_file`` in turn.

    ``read_deals`` takes text and name of a file. Raises BadFile at once.
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
    """Yields openings without end, drawn by a session's seed."""
    for number in count(1):
        yield Opening(deal(f"{seed}, deal {number}", options), options)


def number_hands(practice: Sequence[Opening], paid: Sequence[Opening]) -> list[Opening]:
    """Returns all the hands of a session in their order, each with its number among its like."""
    return [
        replace(hand, number=number, of=len(alike), hands=len(practice) + len(paid))
        for alike in (practice, paid)
        for number, hand in enumerate(alike, 1)
    ]


def check_solo_config(config: Config, settings: Settings, at_most: int) -> str | None:
    """Returns what is wrong with the session config of a game for one player, as a sentence; None if nothing.

    ``at_most`` is the largest number of hands.
    """
    if wrong := check_settings(config, settings, hands=at_most, practice_hands=at_most):
        return wrong
    count = config["hands"] + config["practice_hands"]
    return (
        f"hands and practice_hands together must be at most {at_most}, not {count}."
        if count > at_most
        else None
    )


def deal_solo_session(dealt: Iterator[Opening], config: Config, participants: int) -> DealtSession:
    """Deals the hands of a game for one player: the same for everybody, or with ``own_deals`` for each."""
    hands_of_participants = [
        number_hands(
            [replace(next(dealt), practice=True) for _hand in range(config["practice_hands"])],
            [next(dealt) for _hand in range(config["hands"])],
        )
        for _participant in range(participants if config["own_deals"] else 1)
    ]
    return DealtSession([list(hands) for hands in zip(*hands_of_participants)], [])
