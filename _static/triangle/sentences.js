/** What the board says of cards and places. All of it follows from what is seen. */

import { fill, signed } from "../cardlab/text.js";
import { isComplete } from "./card.js";
import { after, before, lying } from "./loop.js";

const KINDS = ["HPF", "BRG", "CST"];

/**
 * How two neighbours will stand to each other, by what lies there or would: `match` if they share a
 * characteristic; without one, `mismatch` between Completes, and `unsure` while one may still become a match.
 */
export function relation(one, other) {
  if ([...one].some((letter) => other.includes(letter))) return "match";
  return isComplete(one) && isComplete(other) ? "mismatch" : "unsure";
}

/** Whether the card may go where `there` lies. */
export function fits(card, there) {
  if (isComplete(there)) return false;
  if (isComplete(card)) return [...there].every((letter) => card.includes(letter));
  return there.length === 1 && !KINDS.some((kind) => kind.includes(card) && kind.includes(there));
}

/** What the neighbours of a place would be to the card that is to be placed there, each with its joint. */
export function neighbours(view, number) {
  const there = lying(view.places[number - 1]);
  const laid = isComplete(view.card) ? view.card : there + view.card;
  return [
    [before(number), before(number)],
    [after(number), number],
  ].map(([place, joint]) => {
    const other = lying(view.places[place - 1]);
    return { place, joint, other, relation: relation(laid, other) };
  });
}

export class Sentences {
  constructor(words) {
    this.words = words;
  }

  /** The card by name: "hollow blue circle", or of a Single "blue". */
  card(name) {
    const { words } = this;
    if (!isComplete(name)) return words[name];
    const [filling, colour, shape] = [...name].map((letter) => words[letter]);
    return fill(words.complete, { fill: filling, colour, shape });
  }

  /** What lies in a place, by name. */
  there(name) {
    const { words } = this;
    if (!name) return words.no_card;
    if (isComplete(name)) return this.card(name);
    if (name.length === 1) return fill(words.single, { card: words[name] });
    return fill(words.two_singles, { one: words[name[0]], other: words[name[1]] });
  }

  /** The label of a reminder. */
  mark(single, place) {
    return fill(this.words.mark, { card: this.words[single], place });
  }

  /** The label of a Single in the tray of spares. */
  spare(single, count) {
    const { words } = this;
    return fill(words.spare, { card: words[single], count });
  }

  /** The label of a place. */
  place(view, place) {
    const { words } = this;
    const there = this.there(lying(place));
    let label = fill(words.place, { place: place.place, side: words[`side_${place.side}`], there });
    const add = (more) => (label = fill(words.also, { label, more }));
    if (view.fits?.includes(place.place)) add(words.fits);
    if (place.marks.length) add(fill(words.reminders, { cards: place.marks.map((mark) => words[mark]).join(", ") }));
    return label;
  }

  /** Whether the card to place fits in a place with Singles, and if not, why not. */
  verdict(view, number) {
    const { words } = this;
    const there = lying(view.places[number - 1]);
    if (fits(view.card, there)) return isComplete(view.card) ? words.fits_here : words.joins_here;
    const [one, other] = [...there].map((letter) => words[letter]);
    if (!isComplete(view.card)) return there.length === 2 ? words.two_already : words.same_kind;
    return other ? fill(words.not_both, { one, other }) : fill(words.not_one, { single: one });
  }

  /** What each neighbour of a place would be to the card that is to be placed. */
  neighbours(view, number) {
    return neighbours(view, number).map(({ other, relation: how }) =>
      fill(this.words[`neighbour_${how}`], { card: this.there(other) }),
    );
  }

  /** That these cards fitted nowhere. */
  discarded(cards) {
    const { words } = this;
    const [completes, singles] = [cards.filter(isComplete), cards.filter((card) => !isComplete(card))];
    const said = singles.map((card) => fill(words.set_aside, { card: this.card(card) }));
    const names = completes.map((card) => this.card(card)).join(", ");
    if (completes.length) said.unshift(fill(completes[1] ? words.discarded_many : words.discarded, { card: names }));
    return said.join(" ");
  }

  /** What a view has brought since the one before. */
  news(old, view) {
    const { words } = this;
    const said = [];
    const { card, place } = view.last;
    if (placedBetween(old, view)) {
      said.push(fill(isComplete(card) ? words.placed : words.added, { card: this.card(card), place }));
    } else said.push(...this.#reminders(old, view));
    const fresh = discardedBetween(old, view);
    if (fresh.length) said.push(this.discarded(fresh));
    if (view.card !== old.card) said.push(this.next(view));
    return said.join(" ");
  }

  /** The card that is to be placed, and the score. */
  next(view) {
    const { words } = this;
    const values = { card: view.card && this.there(view.card), score: signed(view.score.total) };
    return fill(view.card ? words.next_card : words.score_now, values);
  }

  #reminders(old, view) {
    const { words } = this;
    return view.places.flatMap(({ place, marks }, index) => {
      const [laid, taken] = [surplus(marks, old.places[index].marks), surplus(old.places[index].marks, marks)];
      return [
        ...laid.map((single) => fill(words.reminded, { card: words[single], place })),
        ...taken.map((single) => fill(words.taken_back, { card: words[single], place })),
      ];
    });
  }
}

/** Whether a card was placed between two views. */
export function placedBetween(old, view) {
  const { place } = view.last;
  return place !== null && lying(view.places[place - 1]) !== lying(old.places[place - 1]);
}

/** The cards that were discarded between two views. */
export function discardedBetween(old, view) {
  const { discarded } = view.last;
  return placedBetween(old, view) ? discarded : discarded.slice(old.last.discarded.length);
}

/** What `many` has more than `few`. */
export function surplus(many, few) {
  const left = [...few];
  return many.filter((each) => {
    const index = left.indexOf(each);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
