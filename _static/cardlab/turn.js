/** Whether others are to move, by a view; false where one plays alone. */
export const isOthersTurn = ({ seat, waiting_for: waitingFor }) =>
  Boolean(seat && waitingFor) && !waitingFor.includes(seat);
