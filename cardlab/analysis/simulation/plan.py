"""Plans a simulation: the game, its deals, the participants' strategies and treatments."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle
from pathlib import Path

from cardlab.analysis.simulation import source_files
from cardlab.analysis.simulation.play import app_of_opening, seat_tables, table_size
from cardlab.analysis.simulation.source_files import FileReader, deal_file_reader
from cardlab.games.contract import BadFile
from cardlab.games.dealing import config_for_app
from cardlab.games.registry import Game, games_by_name
from cardlab.games.simulation import (
    Session,
    UnknownSetting,
    deal_session,
    find_strategy,
    load_simulation,
    strategy_names,
)
from cardlab.games.text_file import quote, shorten
from cardlab.games.toml_file import add_line_to_errors
from cardlab.games.treatments import Treatment, Treatments, read_treatments, treatment_for_slot

DEAL_FILE, HANDS = "deal_file", ("hands", "games")  # fields of a treatment that are not settings of a deal
PARTICIPANTS = 30  # the default, rounded up to full tables


@dataclass(frozen=True)
class DealRequest:
    """The arguments of :func:`cardlab.games.simulation.deal_session` for a session or a treatment of it.

    ``left_out`` names the fields of the treatment that do not affect the simulation.
    """

    settings: Mapping[str, str]
    deals: str | None
    hands: int | None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Simulation:
    """A planned simulation.

    ``counts`` is the number of participants of a session by strategy. ``requests`` says how each treatment is
    dealt, by name; without treatments it has one, named "". ``seats`` has the strategies by seat in the first
    hand, if strategies are assigned by seat. ``label`` begins the participants' labels and their numbers
    follow; without it, the labels are the strategies.
    """

    game: Game
    counts: dict[str, int]
    requests: Mapping[str, DealRequest]
    seed: int
    sessions: int
    reader: FileReader
    treatments: Treatments | None = None
    seats: Mapping[str, str] | None = None
    label: str = ""

    @property
    def sources(self) -> list[Path]:
        """The files with deals, settings and treatments that have been read so far."""
        return self.reader.paths

    @property
    def participants(self) -> int:
        """The number of participants of a session."""
        return sum(self.counts.values())

    def session_seed(self, session: int) -> str:
        """Returns the seed of a session. The first uses the seed itself, so it has the deals of a server."""
        return str(self.seed) if session == 1 else f"{self.seed}, session {session}"

    def deal(self, session: int, treatment: str = "") -> Session:
        """Deals the session with a number from 1 in a treatment, and forms its groups. Raises BadFile."""
        request, simulation = self.requests[treatment], load_simulation(self.game)
        seed = self.session_seed(session)
        return deal_session(simulation, request.settings, request.deals, request.hands, seed, self.reader)

    def treatment_of(self, session: int, number: int, group_size: int) -> str:
        """Returns the treatment of the participant with a number, "" without treatments."""
        if self.treatments is None:
            return ""
        return treatment_for_slot(self.treatments, self.session_seed(session), number, group_size)


def plan_simulation(
    name: str,
    *,
    strategy: str | None = None,
    mix: str | None = None,
    seats: str | None = None,
    participants: int | None = None,
    settings: Mapping[str, str] | None = None,
    deals: str | None = None,
    hands: int | None = None,
    seed: int = 1,
    sessions: int = 1,
    treatments: str | None = None,
) -> Simulation:
    """Returns the simulation after validating all parameters.

    Parameters:
        name: the game.
        strategy: the strategy of all participants, by default ``random``.
        mix: several strategies with their shares, ``strategy:share,strategy:share``.
        seats: the strategy of each seat in the first hand, ``seat=strategy,seat=strategy``.
        participants: the number of participants of a session, by default ``PARTICIPANTS``.
        settings: settings of the session config.
        deals: a path, the bare name of a file in deals/<game>/, or ``seed`` for random deals.
        hands: the number of hands.
        seed: the seed.
        sessions: the number of sessions.
        treatments: a path, or the bare name of a file in treatments/. Its fields override ``settings``,
            ``deals`` and ``hands``.

    Raises:
        BadFile: if a parameter is wrong. The message lists the allowed values.
    """
    games = games_by_name()
    if name not in games:
        raise BadFile(name, f"Unknown game. The games are {', '.join(games)}.")
    game = games[name]
    strategies = game.load_module("strategies").STRATEGIES
    for option, value in (("--strategy", strategy), ("--mix", mix), ("--seats", seats)):
        if value is not None and not value.strip():
            names = ", ".join(strategy_names(strategies))
            raise BadFile(option, f"No strategy is named. The strategies of {game.title} are {names}.")
    shares = parse_mix(mix) if mix else {strategy or "random": Fraction(1)}
    for one in shares:
        find_strategy(game.title, strategies, one)
    request = DealRequest(settings or {}, deals, hands)
    plan = Simulation(game, {}, {"": request}, seed, sessions, deal_file_reader(name))
    if treatments is not None:
        plan = _apply_treatments(plan, treatments)
    size = common_table_size(game, [plan.deal(1, treatment) for treatment in plan.requests], treatments or "")
    if participants is None:
        participants = -(-PARTICIPANTS // size) * size
    if participants % size:
        raise BadFile(
            "participants",
            f"{participants} participants cannot be seated at tables of {size}. Use a multiple of {size}.",
        )
    if seats:
        by_seat = _parse_seats(plan, seats)
        shares = {one: Fraction([*by_seat.values()].count(one)) for one in by_seat.values()}
        plan = replace(plan, seats=by_seat)
    return replace(plan, counts=allocate_strategies(shares, participants))


def common_table_size(game: Game, sessions: Sequence[Session], file: str) -> int:
    """Returns the number of participants at a table. Raises BadFile if it differs between treatments."""
    sizes = {table_size(game, session) for session in sessions}
    if len(sizes) > 1:
        raise BadFile(file, "All treatments must have the same number of participants at a table.")
    return sizes.pop()


def _parse_seats(plan: Simulation, text: str) -> dict[str, str]:
    """Parses the strategies of the seats of a table in the first hand. Raises BadFile."""
    strategies = plan.game.load_module("strategies").STRATEGIES
    parts = [part.partition("=") for part in text.split(",")]
    by_seat = {seat.strip(): strategy.strip() for seat, _equals, strategy in parts}
    for treatment in plan.requests:
        session = plan.deal(1, treatment)
        numbers = range(1, 1 + table_size(plan.game, session))
        ((table,), *_others) = seat_tables(plan.game, session, numbers, treatment)
        if len(by_seat) < len(parts) or by_seat.keys() != table.seats.keys() or not all(by_seat.values()):
            example = ",".join(f"{seat}={strategy}" for seat, strategy in zip(table.seats, cycle(strategies)))
            raise BadFile("--seats", f"Name a strategy for each seat, such as {example}; not {quote(text)}.")
    for strategy in by_seat.values():
        find_strategy(plan.game.title, strategies, strategy)
    return by_seat


def _apply_treatments(plan: Simulation, file: str) -> Simulation:
    path = Path(file)
    places = source_files.TREATMENTS if path.name == file else [path.parent]
    reader = FileReader(places, (".toml", ".csv"))
    treatments = read_treatments(path.name, reader)
    plan.reader.paths.extend(reader.paths)
    requests = {}
    for treatment in treatments.treatments:
        with add_line_to_errors(treatments.files[0].text, treatment.name):
            requests[treatment.name] = request_for_treatment(plan, treatments.name, treatment)
    return replace(plan, requests=requests, treatments=treatments)


def request_for_treatment(plan: Simulation, file: str, treatment: Treatment) -> DealRequest:
    """Returns how a treatment is dealt, without the fields that do not affect the simulation.

    ``plan`` is the simulation without treatments, ``file`` the name of the treatment file for messages.
    Raises BadFile if the treatment cannot be dealt.
    """
    request, app = plan.requests[""], app_of_opening(plan.game, plan.deal(1).hands_by_group[0][0])
    fields = dict(config_for_app(treatment.fields, app))
    location = f"{file} [{treatment.name}]"
    left_out: list[str] = []
    deals, hands = fields.pop(DEAL_FILE, request.deals), request.hands
    for name in [name for name in HANDS if name in fields]:
        hands = fields.pop(name)
        if type(hands) is not int or hands < 1:
            raise BadFile(location, f"{name} must be a whole number, 1 or more, not '{shorten(hands)}'.")
    while True:
        settings = {**request.settings, **{name: str(value) for name, value in fields.items()}}
        own = DealRequest(settings, deals and str(deals), hands, tuple(left_out))
        try:
            replace(plan, requests={"": own}).deal(1)
        except UnknownSetting as unknown:
            if unknown.name not in fields:
                raise
            left_out.append(unknown.name)
            del fields[unknown.name]
        except BadFile as wrong:
            raise BadFile(location, str(wrong)) from None
        else:
            return own


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """Parses settings of the form ``name=value``. The last of a repeated name counts. Raises BadFile."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadFile("settings", f"A setting must have the form name=value, not {quote(text)}.")
        settings[name.strip()] = value.strip()
    return settings


def parse_mix(mix: str) -> dict[str, Fraction]:
    """Parses the shares of a mix ``strategy:share,strategy:share``. Raises BadFile."""
    shares: dict[str, Fraction] = {}
    for part in mix.split(","):
        name, _colon, text = map(str.strip, part.partition(":"))
        try:
            share = Fraction(text)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not name or share <= 0:
            raise BadFile(
                "mix",
                "A mix must have the form strategy:share,strategy:share, such as random:0.5; "
                f"not {quote(part)}.",
            )
        if name in shares:
            raise BadFile("mix", f"{name} appears twice.")
        shares[name] = share
    return shares


def allocate_strategies(shares: Mapping[str, Fraction], participants: int) -> dict[str, int]:
    """Returns the number of participants with each strategy, by the largest remainder method.

    Of equal remainders the first strategy gets the participant.
    """
    total = sum(shares.values())
    quotas = {name: participants * share / total for name, share in shares.items()}
    counts = {name: math.floor(quota) for name, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda name: counts[name] - quotas[name])
    for name in by_remainder[: participants - sum(counts.values())]:
        counts[name] += 1
    return counts
