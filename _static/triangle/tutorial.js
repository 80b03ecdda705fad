/** The triangle to try on the instructions page: what is to be done in each step, and what the coach says. */

import { fill, signed } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { isComplete } from "./card.js";
import { Sentences } from "./sentences.js";

const sentences = new Sentences(words);
const ENOUGH = 3; // cards after which one need not wait any longer for a Single among them

const placed = (view) => view.places.filter(({ complete }) => complete).length;
const more = ({ view }, _refused, since) => placed(view) > placed(since.view);
const joined = ({ view }, state) => view.score.joints.filter((joint) => joint === state).length;

const CARD = ({ over }) => (over === null ? "#revealed" : "");

export const tasks = {
  place: {
    light: CARD,
    ask: (state) => asked(state, words.ask_place),
    done: more,
    praise: () => words.praise_place,
  },
  match: {
    light: () => "[data-lying=complete]",
    ask: (state) => asked(state, words.ask_match),
    done: (state) => joined(state, "match") + joined(state, "mismatch") > 0,
    praise: (state) => (joined(state, "mismatch") ? words.praise_mismatch : words.praise_match),
  },
  count: {
    light: () => "#total",
    ask: (state) => asked(state, words.ask_count),
    done: more,
    praise: ({ view }) => fill(words.praise_count, { score: signed(view.score.total) }),
  },
  variation: {
    ask: (state) => asked(state, words.ask_variation),
    done({ view, next }, _refused, since) {
      const added = next > since.next && view.last.place && !isComplete(view.last.card);
      return added || placed(view) - placed(since.view) >= ENOUGH;
    },
    praise: () => words.praise_variation,
  },
  plan: {
    light: () => "#spares",
    ask: (state) => asked(state, words.ask_plan),
    done: ({ view }) => view.places.some(({ marks }) => marks.length > 0),
    praise: () => words.praise_plan,
  },
};

/** What the coach asks for, with the card that is to be placed. */
function asked({ over, view }, sentence) {
  if (over !== null) return fill(words.all_placed, { score: signed(view.score.total) });
  const { card } = view;
  if (!isComplete(card)) return fill(words.ask_single, { card: sentences.card(card) });
  const [filling, colour, shape] = [...card].map((letter) => words[letter]);
  return fill(sentence, { card: sentences.card(card), fill: filling, colour, shape });
}
