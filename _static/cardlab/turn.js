/** Whether it is other players' turn in a view; false in solo games. */
export const isOthersTurn = ({ seat, waiting_for: waitingFor }) =>
  Boolean(seat && waitingFor) && !waitingFor.includes(seat);
