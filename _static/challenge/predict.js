/** Predicts the participant's own plays and pick-ups in Challenge. */

const [SUITS, RANKS] = ["SHCD", "AKQJ198765432"]; // in the order of a hand; of 10, the first character
const LAST_ACTIONS = 50; // from here on, a view has the number of actions left

/**
 * Returns the view after a play or a pick-up; null for other or illegal actions, or if it reveals unknown cards.
 * @param {object} view
 * @param {string} action
 * @param {{after_pickup: string, after_better: string, max_actions: number, draw_offers: boolean, claims: boolean, hints: boolean}} options
 *   of the game, as in the record
 */
export function predict(view, action, options) {
  if (view.analysing || view.asked || !view.may.includes(action)) return null;
  if (action.startsWith("play ")) return play(view, action.slice("play ".length), options);
  const isKnown = view.table.length === view.table_count;
  return action === "pick up" && isKnown ? pickUp(view, options) : null;
}

function play(view, card, options) {
  const { hands, seat, table } = view;
  const hand = view.hand.filter((other) => other !== card);
  const leadsAgain = options.after_better === "lead" && !view.to_lead;
  const changes = {
    hand,
    hands: { ...hands, [seat]: hand.length },
    table: view.other ? [...table, card] : [card],
    table_count: view.table_count + 1,
  };
  return viewAfter(view, `play ${card}`, changes, leadsAgain, leadsAgain, options);
}

function pickUp(view, options) {
  const { hands, picked_up: pickUps, seat } = view;
  const hand = [...view.hand, ...view.table].sort((a, b) => handOrder(a) - handOrder(b));
  const changes = {
    hand,
    hands: { ...hands, [seat]: hand.length },
    table: [],
    table_count: 0,
    picked_up: { ...pickUps, [seat]: pickUps[seat] + 1 },
  };
  return viewAfter(view, "pick up", changes, options.after_pickup === "picker", true, options);
}

const handOrder = (card) => SUITS.indexOf(card.slice(-1)) * RANKS.length + RANKS.indexOf(card[0]);

/** The view after a move. It assumes that the position is new, because only the server counts repetitions. */
function viewAfter(view, action, changes, keepsTurn, toLead, options) {
  const { hands, seat } = view;
  const left = options.max_actions - view.moves - 1;
  const isOut = changes.hand.length === 0;
  const ended = isOut ? "out" : left <= 0 ? "too_long" : "";
  const turn = keepsTurn && !isOut ? seat : Object.keys(hands).find((other) => other !== seat);
  const after = {
    ...view,
    ...changes,
    turn,
    to_lead: toLead,
    waiting_for: ended ? [] : [turn],
    ...{ answered: "", put: [], advice: null, occurrences: 1, played_for: "" },
    left: left <= LAST_ACTIONS ? left : null,
    moves: view.moves + 1,
    ended,
    winner: isOut ? seat : "",
    last: [seat, action],
  };
  const may = turn === seat ? ownActions(after, options) : ["resign"];
  return { ...after, may: ended ? [] : may };
}

/** The legal actions of a player who leads. */
function ownActions({ claims_left: claims, hand, robots, table_count: count }, options) {
  const isAvailable = {
    "offer draw": options.draw_offers && !count,
    "claim win": options.claims && claims !== 0 && !count,
    consult: options.hints && robots.length > 0,
  };
  return [...hand.map((card) => `play ${card}`), ...Object.keys(isAvailable).filter((ask) => isAvailable[ask]), "resign"];
}
