"""Implements Challenge a second time, as plainly as possible, to check the rules (ruling 20).

Cards have their usual spelling. A game is a tuple: the hands of N and S (sets), the pile (a list, top last),
the player on turn ("N" or "S"), and whether this player leads.
"""

ORDER = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]


def beats(card, top, trumps):
    """Returns whether the card beats the top card, given the player's trumps."""
    rank, suit = ORDER.index(card[:-1]), card[-1]
    top_rank, top_suit = ORDER.index(top[:-1]), top[-1]
    if suit == top_suit:
        return rank > top_rank
    return suit == trumps


def over(game):
    hands = game[0]
    return not hands["N"] or not hands["S"]


def following(game, trumps, picker_leads=False, better_leads=False):
    """Returns each legal action with the game after it."""
    hands, pile, turn, leads = game
    if over(game):
        return {}
    other = {"N": "S", "S": "N"}[turn]
    successors = {}
    for card in hands[turn]:
        if leads or beats(card, pile[-1], trumps[turn]):
            after = {**hands, turn: hands[turn] - {card}}
            goes_on = better_leads and not leads
            successors[card] = (after, [*pile, card], turn if goes_on else other, goes_on)
    if not leads:
        after = {**hands, turn: hands[turn] | set(pile)}
        successors["pick up"] = (after, [], turn if picker_leads else other, True)
    return successors


def dealt(line):
    """Returns the game of a deal line."""
    first, second, leads = (section.split() for section in line.split("|"))
    turn = {"computer": "N", "participant": "S"}[leads[0]]
    return {"N": set(first), "S": set(second)}, [], turn, True


def counted(game, depth, trumps, **form):
    """Counts the lines of play with this number of actions."""
    if depth == 0:
        return 1
    return sum(
        counted(after, depth - 1, trumps, **form) for after in following(game, trumps, **form).values()
    )
