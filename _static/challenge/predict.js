/** Predicts the own plays and pick-ups of Challenge; the answer to them is the other player's. */

const [SUITS, RANKS] = ["SHCD", "AKQJ198765432"]; // in the order of a hand; of 10, the first character
const LAST_ACTIONS = 50; // from this number on, a view has the number of actions left

/**
 * The view after an action; null if it is none of these, or not legal, or if cards turn up that are not known.
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
  const hand = view.hand.filter((each) => each !== card);
  const leadsOn = options.after_better === "lead" && !view.to_lead;
  const changed = {
    hand,
    hands: { ...hands, [seat]: hand.length },
    table: view.other ? [...table, card] : [card],
    table_count: view.table_count + 1,
  };
  return next(view, `play ${card}`, changed, leadsOn, leadsOn, options);
}

function pickUp(view, options) {
  const { hands, picked_up: picked, seat } = view;
  const hand = [...view.hand, ...view.table].sort((one, other) => orderOf(one) - orderOf(other));
  const changed = {
    hand,
    hands: { ...hands, [seat]: hand.length },
    table: [],
    table_count: 0,
    picked_up: { ...picked, [seat]: picked[seat] + 1 },
  };
  return next(view, "pick up", changed, options.after_pickup === "picker", true, options);
}

const orderOf = (card) => SUITS.indexOf(card.slice(-1)) * RANKS.length + RANKS.indexOf(card[0]);

/** The view after a move, which takes the position to be new: only the server knows how often it has occurred. */
function next(view, action, changed, goesOn, toLead, options) {
  const { hands, seat } = view;
  const left = options.max_actions - view.moves - 1;
  const isOut = changed.hand.length === 0;
  const ended = isOut ? "out" : left <= 0 ? "too_long" : "";
  const turn = goesOn && !isOut ? seat : Object.keys(hands).find((each) => each !== seat);
  const after = {
    ...view,
    ...changed,
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

/** What a player may do who leads. */
function ownActions({ claims_left: claims, hand, robots, table_count: count }, options) {
  const asks = {
    "offer draw": options.draw_offers && !count,
    "claim win": options.claims && claims !== 0 && !count,
    consult: options.hints && robots.length > 0,
  };
  return [...hand.map((card) => `play ${card}`), ...Object.keys(asks).filter((ask) => asks[ask]), "resign"];
}
