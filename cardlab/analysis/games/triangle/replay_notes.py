"""Writes the notes on the cards of a replay of Triangle Solitaire: the best score still possible."""

from cardlab.analysis.games.triangle.losses import NODES, cells
from cardlab.games.hand import History
from cardlab.games.triangle import hindsight, measures

SEARCHES = True


def action_notes(history: History) -> dict[int, str]:
    """Returns the notes by action number."""
    cards = list(measures.card_actions(history))
    states = [history.dealt.state, *(card.after for card in cards)]
    scores = hindsight.find_reachable_scores(states, NODES)
    notes = {}
    for number, card in enumerate(cards, 1):
        values = cells(scores, number)
        loss_text = f"lost {values['loss']}; " if values["loss"] else ""
        bound_text = "" if values["proved"] else "at least "
        notes[card.event.accepted_number] = (
            f"{loss_text}still possible: {bound_text}{values['possible_after']}"
        )
    return notes
