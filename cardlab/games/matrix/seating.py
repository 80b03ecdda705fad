"""Assigns the seats of the matrix card game."""

from cardlab.games.matrix.board import SEATS


def seats(members: int, players: int, game: int, rotate: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the seats of a group's members in order, and the seats of robots.

    S deals (ruling 12). With ``rotate`` the deal passes to the next player with each game, counted from 1;
    the members keep their order around the table.
    """
    around = SEATS[:players]
    shift = (game - 1) % players if rotate else 0
    rotated = tuple(around[(place - shift) % players] for place in range(players))
    return rotated[:members], rotated[members:]
