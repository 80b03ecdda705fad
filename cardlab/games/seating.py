"""Matches participants into groups and assigns seats. Participants are numbers.

A game declares its :class:`GroupRules`: before which games new groups are made, which participants may be in
one group, and how seats are assigned. Between two such games, groups stay together.
"""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, starmap
from math import inf
from typing import NamedTuple

from cardlab.games.dealing import Config
from cardlab.games.record import Opening

KEPT, REMATCHED = "kept", "rematched"  # values of the setting ``partners``


class PastGame(NamedTuple):
    """The games that a participant has played since the last matching of groups.

    ``source`` is the file from which the last game was dealt, "" for none.
    """

    seat: str
    partners: tuple[int, ...]
    source: str


class Member(NamedTuple):
    """A participant in a game of several players, by the number of their slot."""

    number: int
    past_games: tuple[PastGame, ...] = ()


Seating = tuple[tuple[str, ...], dict[str, str]]
"""The seats of a group's members in their order, and the seats left to robots with the robots' names."""


def games_by_partners(config: Config, games: Sequence[Opening]) -> Sequence[int]:
    """Returns the numbers of the games before which new groups are made: 1, or all if rematched."""
    return range(1, 1 + len(games)) if config["partners"] == REMATCHED else [1]


class GroupRules(NamedTuple):
    """What a game declares about its groups.

    ``assign_seats(config, members, game)``
        Returns the seats of a game and its robots (:data:`Seating`).
    ``games_with_new_groups(config, games)``
        Returns the numbers, from 1, of the games before which new groups are made; ``games`` are those of one
        group.
    ``role(config, member)``
        None if anybody may be with anybody. Otherwise members who have played have one of two roles, and
        members with the same role are never in one group. A member without a partner is left out and does not
        return.
    ``conflict(config, one, other)``
        Returns the cost of putting the two in one group, 0 for none. A conflict forbids nothing: the sum of
        all conflicts is minimized.
    """

    assign_seats: Callable[[Config, Sequence[Member], Opening], Seating]
    games_with_new_groups: Callable[[Config, Sequence[Opening]], Sequence[int]] = games_by_partners
    role: Callable[[Config, Member], str] | None = None
    conflict: Callable[[Config, Member, Member], int] = lambda _config, _one, _other: 0


class Compatibility(NamedTuple):
    """Says which members may be in one group, by their numbers.

    Members with roles must have different ones. ``conflict`` is the cost of putting two compatible members in
    one group.
    """

    role: Mapping[int, str] = {}
    conflict: Callable[[int, int], int] = lambda _one, _other: 0

    def are_compatible(self, first: int, second: int) -> bool:
        """Whether two members may be in one group."""
        return not self.role or self.role[first] != self.role[second]


ANYBODY = Compatibility()


def compatibility_of(groups: GroupRules, config: Config, members: Sequence[Member]) -> Compatibility:
    """Returns the compatibility of these members. Before any has played, all are compatible."""
    role, by_number = groups.role, {member.number: member for member in members}
    if role is None or not any(member.past_games for member in members):
        return ANYBODY
    return Compatibility(
        {number: role(config, member) for number, member in by_number.items()},
        lambda first, second: groups.conflict(config, by_number[first], by_number[second]),
    )


def plan_groups(
    seed: str,
    participants: Sequence[int],
    size: int,
    playing: Collection[int] = (),
    compatibility: Compatibility = ANYBODY,
) -> list[tuple[int, ...]]:
    """Returns groups of ``size``, drawn by the seed; incomplete groups come last.

    A group is incomplete if the number of participants is not a multiple of ``size``, or if no remaining
    member is compatible. A group with members who are already ``playing`` with others is dissolved. The other
    members of dissolved groups are drawn again, into full groups only.
    """
    groups = _draw_groups(seed, participants, size, compatibility)
    kept_groups = [group for group in groups if not set(group) & set(playing)]
    ungrouped = {member for group in groups if group not in kept_groups for member in group} - set(playing)
    redrawn_groups = [
        group
        for group in _draw_groups(f"{seed}, again", ungrouped, size, compatibility)
        if len(group) == size
    ]
    return sorted(kept_groups + redrawn_groups, key=len, reverse=True)


def _draw_groups(
    seed: str, participants: Collection[int], size: int, compatibility: Compatibility
) -> list[tuple[int, ...]]:
    members = random.Random(seed).sample(sorted(participants), len(participants))
    if not compatibility.role:
        return [tuple(members[start : start + size]) for start in range(0, len(members), size)]
    roles = sorted(set(compatibility.role.values()))
    sides = [[member for member in members if compatibility.role[member] == role] for role in roles]
    small_side, large_side = sorted([*sides, [], []][:2], key=len)
    columns = _assign([[compatibility.conflict(one, other) for other in large_side] for one in small_side])
    pairs = [(one, large_side[column]) for one, column in zip(small_side, columns)]
    return pairs + [(member,) for member in members if not any(member in pair for pair in pairs)]


def _assign(costs: Sequence[Sequence[int]]) -> list[int]:
    """Assigns a different column to each row at minimal total cost.

    ``costs`` must have at least as many columns as rows. The method is the Hungarian method with shortest
    augmenting paths (Jonker & Volgenant 1987). The server runs without scipy, which has an implementation.
    """
    columns = len(costs[0]) if costs else 0
    # The dual variables. Subtracting them from the costs leaves no cost below 0.
    row_duals, column_duals = [0] * len(costs), [0] * columns
    row_of: list[int | None] = [None] * columns
    for start in range(len(costs)):
        # The length of the shortest path to each column, and the column before it.
        path_lengths, previous_column = [inf] * columns, [-1] * columns
        visited: list[int] = []
        row: int | None = start
        column = -1
        while row is not None:
            for other in range(columns):
                length = costs[row][other] - row_duals[row] - column_duals[other]
                if other not in visited and length < path_lengths[other]:
                    path_lengths[other], previous_column[other] = length, column
            column = min(
                (other for other in range(columns) if other not in visited), key=path_lengths.__getitem__
            )
            step = int(path_lengths[column])
            row_duals[start] += step
            for other in visited:
                reached = row_of[other]
                assert reached is not None
                row_duals[reached] += step
                column_duals[other] -= step
            for other in range(columns):
                if other not in visited:
                    path_lengths[other] -= step
            visited.append(column)
            row = row_of[column]
        while column != -1:
            earlier = previous_column[column]
            row_of[column] = start if earlier == -1 else row_of[earlier]
            column = earlier
    return [row_of.index(row) for row in range(len(costs))]


def next_group_to_begin(
    groups: Sequence[tuple[int, ...]],
    waiting: Mapping[int, float],
    size: int,
    patience: float,
    compatibility: Compatibility = ANYBODY,
    on_the_way: bool = False,
    max_seconds: float = inf,
) -> tuple[int, ...]:
    """Returns the next group of waiting members to begin, or an empty tuple.

    ``groups`` are the planned groups, and ``waiting`` has the seconds for which each member has waited. A
    planned group begins when it is complete. Where members have roles, a planned group that is not full
    begins only if no other waiting member is compatible, because its planned partner may never come. A member
    who has waited ``patience`` seconds is matched with any other waiting and compatible member, longest wait
    first; such a group may have fewer than ``size`` members. While anybody is ``on_the_way``, no group begins
    that is not full or has a conflict, because a better match may come. But nobody waits more than
    ``max_seconds`` seconds: then a group begins in any case, even of one member.
    """
    by_wait = sorted(waiting, key=lambda member: -waiting[member])
    complete = [group for group in groups if all(member in waiting for member in group)]
    if compatibility.role:
        complete = [
            group
            for group in complete
            if len(group) == size or len(_group_around(group[0], by_wait, size, compatibility)) == len(group)
        ]
    impatient = [member for member in by_wait if waiting[member] >= patience]
    fallback_groups = [_group_around(member, by_wait, size, compatibility) for member in impatient]
    for group in (*complete, *sorted(fallback_groups, key=len, reverse=True)):
        if not on_the_way or (
            len(group) == size and not any(starmap(compatibility.conflict, combinations(group, 2)))
        ):
            return group
    overdue = [member for member in by_wait if waiting[member] >= max_seconds]
    return _group_around(overdue[0], by_wait, size, compatibility) if overdue else ()


def _group_around(
    member_number: int, waiting: Sequence[int], size: int, compatibility: Compatibility
) -> tuple[int, ...]:
    """Returns a group around one waiting member: compatible others with the least conflict."""
    members = [member_number]
    others = [other for other in waiting if other != member_number]
    for other in sorted(others, key=lambda other: compatibility.conflict(member_number, other)):
        if len(members) < size and all(compatibility.are_compatible(member, other) for member in members):
            members.append(other)
    return tuple(members)


def count_ready(
    groups: Sequence[tuple[int, ...]],
    waiting: Mapping[int, float],
    size: int,
    patience: float,
    compatibility: Compatibility = ANYBODY,
) -> dict[int, int]:
    """Returns how many members of each waiting member's future group are ready.

    Call it only if :func:`next_group_to_begin` returns an empty tuple, so that no group is complete. The
    count is that of the planned group. Once a member has waited ``patience`` seconds, it is that of all
    compatible waiting members.
    """
    is_patience_over = any(seconds >= patience for seconds in waiting.values())
    present_counts = {
        member: sum(other in waiting for other in group) for group in groups for member in group
    }
    compatible_counts = {
        member: 1 + sum(other != member and compatibility.are_compatible(member, other) for other in waiting)
        if is_patience_over
        else 1
        for member in waiting
    }
    max_ready = max(1, size - 1)
    return {
        member: min(max_ready, max(compatible_counts[member], present_counts.get(member, 1)))
        for member in waiting
    }


def missing_members(
    groups: Sequence[tuple[int, ...]],
    waiting: Mapping[int, float],
    patience: float,
    on_the_way: Collection[int],
) -> dict[int, set[int]]:
    """Returns the participants that each waiting participant waits for.

    These are the other members of their planned group. After ``patience`` seconds, or if the group has no
    other member, they are the participants who are still ``on_the_way``, if there are any.
    """
    missing: dict[int, set[int]] = {}
    for member, seconds in waiting.items():
        planned = set().union(*(group for group in groups if member in group)) - waiting.keys()
        is_patience_over = seconds >= patience
        missing[member] = set(on_the_way) if on_the_way and (is_patience_over or not planned) else planned
    return missing


class GameTable(NamedTuple):
    """A group at a game: the game with its robots, the seats, and whether the group is new."""

    game: Opening
    seats: dict[str, int]
    is_new: bool


def seat_session(
    groups: GroupRules,
    config: Config,
    ways: Sequence[Sequence[Opening]],
    numbers: Sequence[int],
    treatment: str = "",
) -> Iterator[list[GameTable]]:
    """Yields the tables of each game, as if all participants arrive in the order of their numbers and stay.

    The first group plays the games ``ways[0]``, the next ``ways[1]`` and so on, cycling through ``ways``.
    ``treatment`` is the participants' treatment, if there are several.
    """
    participants, members = list(numbers), [Member(number) for number in numbers]
    games_with_new_groups = groups.games_with_new_groups(config, ways[0])
    planned: list[tuple[int, ...]] = []
    tables: list[GameTable] = []
    for number, openings in enumerate(zip(*ways), 1):
        if number in games_with_new_groups:
            members = [_with_last_game(member, tables) for member in members]
            seed = group_seed(config, number, treatment)
            compatibility = compatibility_of(groups, config, members)
            planned = sorted(
                plan_groups(seed, participants, config["group_size"], compatibility=compatibility), key=min
            )
        by_number = {member.number: member for member in members}
        tables = []
        by_robots: dict[str, Opening] = {}  # so that tables with the same hand share one object
        for index, group in enumerate(planned):
            game = openings[index % len(openings)]
            seats, robots = groups.assign_seats(
                config, [by_number[number_of_member] for number_of_member in group], game
            )
            with_robots = replace(game, options={**game.options, "robots": robots})
            game = by_robots.setdefault(f"{index % len(openings)} {robots}", with_robots)
            tables.append(GameTable(game, dict(sorted(zip(seats, group))), number in games_with_new_groups))
        yield tables


def group_seed(config: Config, number: int, treatment: str = "") -> str:
    """Returns the seed that draws the groups before a game, counted from 1, in a treatment."""
    return f"{config['seed']}, groups of game {number}" + (f" of {treatment}" if treatment else "")


def _with_last_game(member: Member, tables: Sequence[GameTable]) -> Member:
    for table in tables:
        for seat, number in table.seats.items():
            if number == member.number:
                partners = tuple(other for other in table.seats.values() if other != number)
                past_game = PastGame(seat, partners, table.game.source)
                return member._replace(past_games=(*member.past_games, past_game))
    return member
