/** The tasks of the instructions for two players, with a robot partner, and the coach's sentences. */

import { words } from "../cardlab/page_texts.js";
import { PLACE_OF, placeSelector } from "./places.js";

const { looks } = window.js_vars;
const FIRST_MOVE = { ck: "C", nk: "N" }; // the move that brings the goal card

export const tasks = {
  exchange: {
    light: ({ view }) => (view.moves ? "" : placeSelector(FIRST_MOVE[view.seat])),
    ask: ({ view }) => (view.moves ? words.astray : words.ask_exchange),
    done: ({ view }) => view.played.startsWith(FIRST_MOVE[view.seat]),
    praise: () => words.praise_exchange,
  },
  partner: {
    ask: ({ over }) => (over ? words.used_up : words.ask_partner),
    done: ({ over, view }, _refused, since) => over === "solved" || view.moves >= since.view.moves + 2,
    praise: ({ over, view }) => (over ? words.praise_solved : view.last === "P" ? words.praise_passed : words.praise_partner),
  },
  ...(looks && {
    look: {
      newDeal: true,
      light: ({ view }) => placeSelector(PLACE_OF[view.seat]),
      ask: () => words.ask_look,
      done: ({ view }) => view.turn === view.seat && view.cards[PLACE_OF[view.seat]] !== null,
      praise: () => words.praise_look,
    },
  }),
  target: {
    newDeal: true,
    light: ({ view }) => (view.moves ? "" : placeSelector("T")),
    ask: ({ view }) => (view.moves ? words.astray : words.ask_refused),
    done: (_state, refused) => refused !== "",
    praise: () => words.praise_refused,
  },
};
