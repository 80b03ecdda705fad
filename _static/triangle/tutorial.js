/** The tasks of the instructions, and the coach's sentences. */

import { fill, formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { isComplete } from "./card.js";
import { Sentences } from "./sentences.js";

const sentences = new Sentences(words);
const MAX_CARDS = 3; // after which the step ends without a Single

const countComplete = (view) => view.places.filter(({ complete }) => complete).length;
const hasPlacedMore = ({ view }, _refused, since) => countComplete(view) > countComplete(since.view);
const countJoints = ({ view }, state) => view.score.joints.filter((joint) => joint === state).length;

const CARD = ({ over }) => (over === null ? "#revealed, #name, .deck" : "");

export const tasks = {
  place: {
    light: CARD,
    ask: (state) => requestFor(state, words.ask_place),
    done: hasPlacedMore,
    praise: () => words.praise_place,
  },
  match: {
    light: () => "[data-holds=complete]",
    ask: (state) => requestFor(state, words.ask_match),
    done: (state) => countJoints(state, "match") + countJoints(state, "mismatch") > 0,
    praise: (state) => (countJoints(state, "mismatch") ? words.praise_mismatch : words.praise_match),
  },
  count: {
    light: () => ".total",
    ask: (state) => requestFor(state, words.ask_count),
    done: hasPlacedMore,
    praise: ({ view }) => fill(words.praise_count, { score: formatSigned(view.score.total) }),
  },
  variation: {
    ask: (state) => requestFor(state, words.ask_variation),
    done({ view, next }, _refused, since) {
      const hasAddedSingle = next > since.next && view.last.place && !isComplete(view.last.card);
      return hasAddedSingle || countComplete(view) - countComplete(since.view) >= MAX_CARDS;
    },
    praise: () => words.praise_variation,
  },
  plan: {
    light: () => ".spares",
    ask: (state) => requestFor(state, words.ask_plan),
    done: ({ view }) => view.places.some(({ marks }) => marks.length > 0),
    praise: () => words.praise_plan,
  },
};

/** The coach's request, with the next card. */
function requestFor({ over, view }, sentence) {
  if (over !== null) return fill(words.all_placed, { score: formatSigned(view.score.total) });
  const { card } = view;
  if (!isComplete(card)) return fill(words.ask_single, { card: sentences.card(card) });
  const [filling, colour, shape] = [...card].map((letter) => words[letter]);
  return fill(sentence, { card: sentences.card(card), fill: filling, colour, shape });
}
