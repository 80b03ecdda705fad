"""Sessions that named strategies play, as the table of actions that the server would export of them.

Everything follows from the seed and the arguments, on any machine: no clock is read, nothing depends on the
order of a set, and what is computed with fractions is computed in decimals of a fixed precision. The codes of
a session follow from all that makes it: two that differ in anything have no participant in common.

The times are invented. A participant takes for each action a time that is log-normal, with the median

    2 s × pace × hand ** -0.3

where ``pace`` is the participant's own (log-normal with median 1) and ``hand`` is 1, 2 and so on: who has
played more hands is faster, by a power law of practice. It depends neither on the strategy nor on how hard
the choice is, so nothing about people's times can be learned from it. No time is lost between browser and
server, and robots answer at once, those too that search.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, Protocol, TextIO

from cardlab import __version__
from cardlab.games.contract import BadFile, Policy
from cardlab.games.dealing import DealFile, config_for_app
from cardlab.games.events import ARRIVE, END, Event, server_note
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.registry import Game, games_by_name
from cardlab.games.seating import GameTable, seat_session
from cardlab.games.simulation import Session, UnknownSetting, strategy_names
from cardlab.games.simulation import deal_session as session_of
from cardlab.games.simulation import find_strategy as named
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, event_cells, format_utc, guard_formula
from cardlab.games.text_file import quote, shorten
from cardlab.games.treatments import Treatment, Treatments, treatment_for_slot
from cardlab.games.treatments import read_treatments as read_treatments

PROJECT = Path(__file__).resolve().parent.parent.parent
DEALS, TREATMENTS = PROJECT / "deals", PROJECT / "treatments"
DEAL_FILE, HANDS = "deal_file", ("hands", "games")  # fields of a treatment that are no settings here
PARTICIPANTS = 30  # unless another number is asked for; more if they could not be seated

CREATED_MS = 1_767_258_000_000  # 1 January 2026, 09:00 UTC, when the first session is created
DAY_MS = 86_400_000  # later ones are created a day apart
INSTRUCTIONS_MS = (600_000, 720_000)  # from a session's creation until a participant can play
GATHERED_MS = (300, 1500)  # from when a group is complete until each of its members is at the table
PAUSE_MS = (2000, 5000)  # from the end of a hand to the next

MEDIAN_MS, PRACTICE = 2000, Decimal("0.3")
SPREAD, SPREAD_OF_PACE = 0.6, 0.25  # standard deviations of logarithms
LEAST_MS = 200

_EXACT = Context(prec=12)  # math.log and math.exp may differ from one machine to another in the last bit


@dataclass(frozen=True)
class DealRequest:
    """How a session is to be dealt, or a treatment of it (``cardlab.games.simulation``).

    ``left_out`` names the fields of the treatment on which nothing depends that is simulated.
    """

    settings: Mapping[str, str]
    deals: str | None
    hands: int | None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Simulation:
    """What is to be simulated. ``counts`` says how many participants of a session have each strategy,
    ``asked`` how each treatment is dealt, by its name; without treatments it is one, called nothing.
    ``seats`` has the strategies of those who sit there in the first hand, where seats decide."""

    game: Game
    counts: dict[str, int]
    asked: Mapping[str, DealRequest]
    seed: int
    sessions: int
    file: Files
    treatments: Treatments | None = None
    seats: Mapping[str, str] | None = None

    @property
    def sources(self) -> list[Path]:
        """The files that deals, settings and treatments were read from so far."""
        return self.file.paths

    @property
    def participants(self) -> int:
        return sum(self.counts.values())

    def seed_of(self, session: int) -> str:
        """The first session has the seed itself: its deals are those of a server's session with that seed."""
        return str(self.seed) if session == 1 else f"{self.seed}, session {session}"

    def session(self, session: int, treatment: str = "") -> Session:
        """How a session, 1, 2 …, is dealt in a treatment, and who plays with whom. Raises BadFile."""
        asked = self.asked[treatment]
        brought, seed = self.game.load_module("simulation"), self.seed_of(session)
        return session_of(brought, asked.settings, asked.deals, asked.hands, seed, self.file)

    def dealt(self, session: int, treatment: str = "") -> list[Opening]:
        """The hands of its first group. Raises BadFile."""
        return self.session(session, treatment).hands_by_group[0]

    def treatment_of(self, session: int, number: int, group_size: int) -> str:
        """The treatment of a participant, by number; labels that would say it nobody has here."""
        if self.treatments is None:
            return ""
        return treatment_for_slot(self.treatments, self.seed_of(session), number, group_size)


class Files:
    """Reads files by their names, each once; a bare name is first looked for in ``folder``. ``paths`` are
    those of the files that were read."""

    def __init__(self, folder: Path, suffixes: Sequence[str] = (".txt", ".ini")) -> None:
        self.paths: list[Path] = []
        self._folder, self._suffixes = folder, suffixes
        self._read: dict[str, DealFile] = {}

    def __call__(self, name: str, _expected: str) -> DealFile:
        if name not in self._read:
            self._read[name] = self._file(name)
        return self._read[name]

    def _file(self, name: str) -> DealFile:
        there = {path.name: path for path in sorted(self._folder.glob("*.*"))}
        readable = [file for file, path in there.items() if path.suffix in self._suffixes]
        path = there[name] if name in readable else Path(name)
        if not path.is_file():
            folder = (
                self._folder.relative_to(PROJECT) if self._folder.is_relative_to(PROJECT) else self._folder
            )
            raise BadFile(name, f"There is no such file; {folder.as_posix()}/ has {', '.join(readable)}.")
        content = path.read_bytes()
        self.paths.append(path)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise BadFile(name, "This line is no text in UTF-8.", line) from None
        return DealFile(path.name, text, hashlib.sha256(content).hexdigest())


class SimulatedPlayer(Protocol):
    """What a hand needs of who plays it: the next action, how long it takes, when the hand can begin."""

    ready_ms: int
    play: Policy

    def thinking_ms(self, hand: int) -> int: ...
    def rest(self, since_ms: int, pause: tuple[int, int]) -> None: ...


class _Participant:
    """A simulated participant; ``ready_ms`` is when the next hand can begin for them."""

    def __init__(
        self, number: int, code: str, strategy: str, player: Policy, times: Random, treatment: str
    ) -> None:
        self.number, self.strategy, self.play, self.treatment = number, strategy, player, treatment
        self.who = [code, guard_formula(strategy), 1, treatment]
        self.ready_ms = 0
        self._times = times
        self._normal = _draw_normals(times)
        self._pace = SPREAD_OF_PACE * next(self._normal)

    def rest(self, since_ms: int, pause: tuple[int, int]) -> None:
        self.ready_ms = since_ms + self._times.randrange(*pause)

    def thinking_ms(self, hand: int) -> int:
        """How long an action takes in the participant's so manieth hand."""
        drawn = Decimal(self._pace + SPREAD * next(self._normal))
        return max(LEAST_MS, int(_EXACT.multiply(_EXACT.exp(drawn), _median_ms(hand))))


@cache
def _median_ms(hand: int) -> Decimal:
    faster = _EXACT.exp(_EXACT.multiply(-PRACTICE, _EXACT.ln(Decimal(hand))))
    return _EXACT.multiply(MEDIAN_MS, faster)


def _draw_normals(chance: Random) -> Iterator[float]:
    """Draws from the standard normal distribution (Marsaglia's polar method)."""
    while True:
        x, y = 2 * chance.random() - 1, 2 * chance.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            scale = math.sqrt(-2 * float(_EXACT.ln(Decimal(square))) / square)
            yield x * scale
            yield y * scale


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
    """The simulation asked for, all of it checked. BadFile says what cannot be and what there is.

    ``mix`` reads ``strategy:share,strategy:share``, ``seats`` reads ``seat=strategy,seat=strategy`` and means
    who sits there in the first hand; with none of these and no ``strategy`` all play ``random``.
    ``deals`` is a path, the bare name of a file of deals/<game>/, or ``seed`` to have them drawn.
    ``treatments`` is a path, or the bare name of a file of treatments/; its fields come before ``settings``,
    ``deals`` and ``hands``.
    """
    known = games_by_name()
    if name not in known:
        raise BadFile(name, f"There is no such game; there are {', '.join(known)}.")
    game = known[name]
    there = game.load_module("strategies").STRATEGIES
    for option, value in (("--strategy", strategy), ("--mix", mix), ("--seats", seats)):
        if value is not None and not value.strip():
            raise BadFile(
                option, f"It names no strategy; {game.title} has {', '.join(strategy_names(there))}."
            )
    shares = parse_mix(mix) if mix else {strategy or "random": Fraction(1)}
    for asked in shares:
        named(game.title, there, asked)
    file, without = Files(DEALS / name), DealRequest(settings or {}, deals, hands)
    some = Simulation(game, {}, {"": without}, seed, sessions, file)
    if treatments is not None:
        some = _apply_treatments(some, treatments)
    sizes = {table_size(game, some.session(1, name)) for name in some.asked}
    if len(sizes) > 1:
        raise BadFile(str(treatments), "The treatments seat different numbers of participants at a table.")
    (size,) = sizes
    if participants is None:
        participants = -(-PARTICIPANTS // size) * size
    if participants % size:
        raise BadFile(
            "participants",
            f"{participants} cannot be seated at tables of {size}; take a multiple of {size}.",
        )
    if seats:
        by_seat = _parse_seats(some, seats)
        shares = {name: Fraction([*by_seat.values()].count(name)) for name in by_seat.values()}
        some = replace(some, seats=by_seat)
    return replace(some, counts=allocate_strategies(shares, participants))


def _parse_seats(some: Simulation, text: str) -> dict[str, str]:
    """The strategies of those who sit in the seats of a table in the first hand. Raises BadFile."""
    known = some.game.load_module("strategies").STRATEGIES
    parts = [part.partition("=") for part in text.split(",")]
    told = {seat.strip(): strategy.strip() for seat, _equals, strategy in parts}
    for name in some.asked:
        dealt = some.session(1, name)
        ((table,), *_others) = seat_tables(some.game, dealt, range(1, 1 + table_size(some.game, dealt)), name)
        if len(told) < len(parts) or told.keys() != table.seats.keys() or not all(told.values()):
            example = ",".join(f"{seat}={strategy}" for seat, strategy in zip(table.seats, cycle(known)))
            raise BadFile("--seats", f"Each seat has a strategy, like {example}; not {quote(text)}.")
    for strategy in told.values():
        named(some.game.title, known, strategy)
    return told


def _apply_treatments(some: Simulation, file: str) -> Simulation:
    """The same with the treatments of a file."""
    path = Path(file)
    reads = Files(TREATMENTS if path.name == file else path.parent, (".toml", ".csv"))
    found = read_treatments(path.name, reads)
    some.file.paths.extend(reads.paths)
    asked = {one.name: request_for_treatment(some, found.name, one) for one in found.treatments}
    return replace(some, asked=asked, treatments=found)


def request_for_treatment(some: Simulation, file: str, treatment: Treatment) -> DealRequest:
    """How a treatment is dealt; what its other fields change is nothing that is simulated. Raises BadFile."""
    asked, fields = (
        some.asked[""],
        dict(config_for_app(treatment.fields, _find_app(some.game, some.dealt(1)))),
    )
    where, left_out = f"{file} [{treatment.name}]", []
    deals, hands = fields.pop(DEAL_FILE, asked.deals), asked.hands
    for name in [name for name in HANDS if name in fields]:
        hands = fields.pop(name)
        if type(hands) is not int or hands < 1:
            raise BadFile(where, f"{name} must be a whole number, 1 or more, not '{shorten(hands)}'.")
    while True:
        given = {**asked.settings, **{name: str(value) for name, value in fields.items()}}
        own = DealRequest(given, deals and str(deals), hands, tuple(left_out))
        try:
            replace(some, asked={"": own}).dealt(1)
        except UnknownSetting as unknown:
            if unknown.name not in fields:
                raise
            left_out.append(unknown.name)
            del fields[unknown.name]
        except BadFile as wrong:
            raise BadFile(where, str(wrong)) from None
        else:
            return own


def parse_settings(texts: Sequence[str]) -> dict[str, str]:
    """Settings told as ``name=value``, the last of a name. Raises BadFile."""
    told = [(text, *text.partition("=")) for text in texts]
    for text, _name, equals, _value in told:
        if not equals:
            raise BadFile("settings", f"A setting reads name=value, which {quote(text)} does not.")
    return {name.strip(): value.strip() for _text, name, _equals, value in told}


def parse_mix(mix: str) -> dict[str, Fraction]:
    """The shares of a mix ``strategy:share,strategy:share``. Raises BadFile."""
    shares: dict[str, Fraction] = {}
    for part in mix.split(","):
        name, _colon, text = map(str.strip, part.partition(":"))
        try:
            share = Fraction(text)
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not name or share <= 0:
            raise BadFile(
                "mix", f"A mix reads strategy:share,strategy:share, like random:0.5; not {quote(part)}."
            )
        if name in shares:
            raise BadFile("mix", f"{name} stands there twice.")
        shares[name] = share
    return shares


def allocate_strategies(shares: Mapping[str, Fraction], participants: int) -> dict[str, int]:
    """How many have each strategy, by largest remainder; of equal remainders the first named is served."""
    whole = sum(shares.values())
    quotas = {name: participants * share / whole for name, share in shares.items()}
    counts = {name: math.floor(quota) for name, quota in quotas.items()}
    by_remainder = sorted(quotas, key=lambda name: counts[name] - quotas[name])
    for name in by_remainder[: participants - sum(counts.values())]:
        counts[name] += 1
    return counts


def write_table(simulated: Simulation, file: TextIO) -> int:
    """Write the table of actions as the server's ``custom_export`` does; the number of hands."""
    table = csv.writer(file)
    table.writerow(ACTION_COLUMNS)
    written = 0
    for rows in _show_progress(simulate_hands(simulated), simulated):
        table.writerows(rows)
        written += 1
    return written


def simulate_hands(simulated: Simulation) -> Iterator[list[list[Any]]]:
    """The rows of each hand, in the order of the table: round by round, session after session."""
    used: set[str] = set()
    for number in range(1, simulated.sessions + 1):
        yield from _simulate_session(simulated, number, used)


def _show_progress(rows_of_hands: Iterator[Any], simulated: Simulation) -> Iterator[Any]:
    """The same, while the terminal shows how many hands have been played."""
    shown = ""
    for number, rows in enumerate(rows_of_hands):
        if number % 500 == 499 and sys.stderr.isatty():
            shown = f"Hands played: {number + 1}"
            print(f"\r{shown}", end="", file=sys.stderr, flush=True)
        yield rows
    if shown:
        print(f"\r{' ' * len(shown)}\r", end="", file=sys.stderr, flush=True)


def _generate_codes(chance: Random, used: set[str]) -> Iterator[str]:
    """Codes like oTree's, none twice. They begin with a letter: a spreadsheet would read 1e234567 as a
    number."""
    while True:
        code = "".join(
            [chance.choice(string.ascii_lowercase)]
            + chance.choices(string.ascii_lowercase + string.digits, k=7)
        )
        if code not in used:
            used.add(code)
            yield code


def _hash_session(simulated: Simulation, number: int, dealt: Mapping[str, Session]) -> str:
    """A session in short. Its codes are drawn by this, so that what differs is never taken for the same."""
    hands: Any = {
        name: [_summarize_openings(way) for way in of_one.hands_by_group] for name, of_one in dealt.items()
    }
    if all(of_one.groups is None for of_one in dealt.values()):
        hands = {name: of_ways[0] for name, of_ways in hands.items()}
    else:
        hands = {name: [hands[name], sorted(of_one.config.items())] for name, of_one in dealt.items()}
    if simulated.treatments is None:
        hands = hands[""]
    told = [__version__, simulated.game.name, [*simulated.counts.items()], simulated.seed_of(number), hands]
    if simulated.seats:
        told.append([*simulated.seats.items()])
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _summarize_openings(hands: Sequence[Opening]) -> list[Any]:
    return [[one.deal, one.options, one.source, one.sha256, one.notice] for one in hands]


def _simulate_session(simulated: Simulation, number: int, used: set[str]) -> Iterator[list[list[Any]]]:
    game = simulated.game
    dealt = {name: simulated.session(number, name) for name in simulated.asked}
    created_ms = CREATED_MS + (number - 1) * DAY_MS
    codes = _generate_codes(Random(_hash_session(simulated, number, dealt)), used)
    size = table_size(game, next(iter(dealt.values())))
    code = next(codes)
    everybody = range(1, 1 + simulated.participants)
    treatment = {one: simulated.treatment_of(number, one, size) for one in everybody}
    drawn = Random(f"{simulated.seed_of(number)}, groups").sample(everybody, len(everybody))
    played_by = {
        name: seat_tables(game, session, [one for one in drawn if treatment[one] == name], name)
        for name, session in dealt.items()
    }
    people = _create_participants(
        simulated, number, treatment, [tables for tables, *_later in played_by.values()], codes
    )
    for person in people.values():
        person.rest(created_ms, INSTRUCTIONS_MS)
    for hand in range(1, max(map(len, played_by.values())) + 1):
        # A treatment that has fewer hands keeps the numbers of its tables.
        there = [(table, hand <= len(of)) for of in played_by.values() for table in of[:hand][-1]]
        there.sort(key=lambda each: min(each[0].seats.values()))
        for place, (table, is_played) in enumerate(there, 1):
            if not is_played:
                continue
            at = {seat: people[one] for seat, one in table.seats.items()}
            if table.is_new:
                _wait_for_group([*at.values()])
            first = people[min(table.seats.values())]
            shown, app = Hand(game.rules, table.game), _find_app(game, [table.game])
            whose = first.who[0] if len(shown.seats) == 1 else place
            hand_id = f"{app}-{code}-{whose}-{dealt[first.treatment].first_round + hand - 1}"
            opening, events = play_hand(game, table.game, at, hand)
            in_session, of_hand = [code, 0, format_utc(created_ms)], [app, hand, hand_id]
            # Whose the rows without seat are: of who plays alone. A robot's are nobody's.
            nobody = ["", "", "", first.treatment]
            alone, number_of_one = (first.who, first.number) if len(at) == 1 else (nobody, "")
            robots = dict.fromkeys(shown.robots, nobody)
            who = {"": alone, **robots} | {seat: person.who for seat, person in at.items()}
            yield [
                [*in_session, *alone, *of_hand, "", *deal_cells(opening, opening.shown_ms, number_of_one)],
                *(
                    [*in_session, *who[event.seat], *of_hand, event.seat, *event_cells(event)]
                    for event in events
                ),
            ]


def _create_participants(
    simulated: Simulation,
    session: int,
    treatment: Mapping[int, str],
    first_hands: Sequence[Sequence[GameTable]],
    codes: Iterator[str],
) -> dict[int, _Participant]:
    """The participants of a session by number; who has which strategy is drawn, or the first seats say."""
    seed = simulated.seed_of(session)
    strategies = simulated.game.load_module("strategies").STRATEGIES
    names = [name for name, count in simulated.counts.items() for _one in range(count)]
    Random(f"{seed}, strategies").shuffle(names)
    of_number = dict(enumerate(names, 1))
    if simulated.seats:
        seated = [seat for tables in first_hands for table in tables for seat in table.seats.items()]
        of_number = {number: simulated.seats[seat] for seat, number in seated}
    return {
        number: _Participant(
            number,
            next(codes),
            of_number[number],
            named(simulated.game.title, strategies, of_number[number]).new_policy(
                Random(f"{seed}, play of participant {number}")
            ),
            Random(f"{seed}, times of participant {number}"),
            treatment[number],
        )
        for number in treatment
    }


def _find_app(game: Game, dealt: Sequence[Opening]) -> str:
    """The app that plays such hands."""
    return game.app_for_seats(len(game.rules.seats(game.rules.start(dealt[0].deal, dealt[0].options))))


def table_size(game: Game, session: Session) -> int:
    """How many participants sit at a table of a session."""
    if session.groups:
        size: int = session.config["group_size"]
        return size
    return len(Hand(game.rules, session.hands_by_group[0][0]).human_seats)


def seat_tables(
    game: Game, session: Session, numbers: Sequence[int], treatment: str = ""
) -> list[list[GameTable]]:
    """The tables of each hand of a session, of participants by their numbers.

    Where ``session.groups`` do not say who plays with whom, those do who stand beside each other.
    """
    if session.groups:
        in_order = sorted(numbers)
        return [*seat_session(session.groups, session.config, session.hands_by_group, in_order, treatment)]
    (hands,), size = session.hands_by_group, table_size(game, session)
    groups = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return [
        [
            GameTable(hand, rotate_seats(group, Hand(game.rules, hand).human_seats, number), number == 1)
            for group in groups
        ]
        for number, hand in enumerate(hands, 1)
    ]


def rotate_seats(group: Sequence[int], seats: Sequence[str], hand: int) -> dict[str, int]:
    """Who has which seat: the members keep their order, and the first seat is passed on with each hand."""
    at = {seats[(place - hand + 1) % len(seats)]: member for place, member in enumerate(group)}
    return {seat: at[seat] for seat in seats}


def _wait_for_group(group: Sequence[_Participant]) -> None:
    """Who plays with others waits for the last of them before the first hand."""
    if len(group) > 1:
        complete_ms = max(member.ready_ms for member in group)
        for member in group:
            member.rest(complete_ms, GATHERED_MS)


def play_hand(
    game: Game, dealt: Opening, people: Mapping[str, SimulatedPlayer], hand: int
) -> tuple[Opening, list[Event]]:
    """The opening of a hand as it was shown, and the rows of its record; the people are ready for the next
    then.

    Whoever is waited for acts in the order in which they have made up their minds, robots before all others.
    """
    rules, options = game.rules, dealt.options
    came_ms = {seat: person.ready_ms for seat, person in people.items()}
    shown_ms = now_ms = min(came_ms.values())
    due_ms: dict[str, int] = {}
    opening, client_ms = replace(dealt, shown_ms=shown_ms), None
    state, number, events = rules.start(dealt.deal, options), 1, []
    seats, robots = rules.seats(state), options.get("robots") or {}
    on_the_way = sorted(people, key=came_ms.__getitem__) if len(seats) > 1 else []

    def arrive() -> None:
        """Whoever has come by now."""
        while on_the_way and came_ms[on_the_way[0]] <= now_ms:
            events.append(server_note(on_the_way[0], ARRIVE, came_ms[on_the_way.pop(0)]))

    while not rules.is_over(state):
        waiting = rules.waiting_for(state)
        if action := rules.forced_action(state):
            (seat,), client_ms = waiting, None
        elif by_robot := [seat for seat in waiting if seat in robots]:
            seat, client_ms = by_robot[0], None
            arrive()
            action = robot_action(game, state, seat, options)
        else:
            due_ms = {
                seat: due_ms.get(seat) or max(now_ms, came_ms[seat]) + people[seat].thinking_ms(hand)
                for seat in waiting
            }
            seat = min(waiting, key=due_ms.__getitem__)
            now_ms = due_ms.pop(seat)
            client_ms = now_ms - shown_ms
            arrive()
            action = people[seat].play(state, seat)
        events.append(Event(number, seat, action, client_ms, now_ms))
        state, number = rules.apply(state, seat, action), number + 1
    outcome = rules.result(state, seats[0], 0).outcome
    events.append(Event(number, "", f"{END}{outcome}", client_ms, now_ms))
    for seat, person in people.items():
        person.rest(max(now_ms, came_ms[seat]), PAUSE_MS)
    return opening, events


def robot_action(game: Game, state: Any, seat: str, options: Mapping[str, Any]) -> str:
    """What a robot does, by the game's engine if it has to search."""
    told = state, seat, options["robots"][seat], options["seed"]
    question = game.rules.engine_question(*told)
    if question is None:
        action: str = game.rules.robot_action(*told)
    else:
        action = game.load_module("engine").answer(question)
    return action
