"""The notes next to the cards of a replay of Triangle Solitaire: the score that was still possible."""

from cardlab.analysis.games.triangle.losses import cells
from cardlab.games.hand import History
from cardlab.games.triangle import hindsight, measures
from cardlab.games.triangle.oracle import SolverNotInstalled

SEARCHES = True
SECONDS = 5.0  # time limit of a search; most take some hundredths


def action_notes(history: History) -> dict[int, str]:
    """Returns the notes by action number; none if OR-Tools is not installed."""
    cards = list(measures.card_actions(history))
    states = [history.dealt.state, *(card.after for card in cards)]
    try:
        found = hindsight.find_reachable_scores(states, SECONDS)
    except SolverNotInstalled:
        return {}
    notes = {}
    for number, card in enumerate(cards, 1):
        values = cells(found, number)
        lost = f"lost {values['loss']}; " if values["loss"] else ""
        least = "" if values["proved"] else "at least "
        notes[card.event.accepted_number] = f"{lost}still possible: {least}{values['possible_after']}"
    return notes
