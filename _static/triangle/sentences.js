/** The board's sentences about cards and places, from the visible cards only. */

import { fill, formatSigned } from "../cardlab/text.js";
import { isComplete } from "./card.js";
import { numberAfter, numberBefore, cardsIn } from "./loop.js";

const KINDS = ["HPF", "BRG", "CST"];

/**
 * The relation of two neighbours: `match` if they share a characteristic; else `mismatch` between Completes, and
 * `unsure` while it can still become a match.
 */
export function relationOf(first, second) {
  if ([...first].some((letter) => second.includes(letter))) return "match";
  return isComplete(first) && isComplete(second) ? "mismatch" : "unsure";
}

/** Whether the card may be placed on these cards. */
export function canGoTo(card, cards) {
  if (isComplete(cards)) return false;
  if (isComplete(card)) return [...cards].every((letter) => card.includes(letter));
  return cards.length === 1 && !KINDS.some((kind) => kind.includes(card) && kind.includes(cards));
}

/** The neighbours of a place with their joints, and their relations to the card if it is placed there. */
export function neighboursOf(view, number) {
  const cards = cardsIn(view.places[number - 1]);
  const newCards = isComplete(view.card) ? view.card : cards + view.card;
  return [
    [numberBefore(number), numberBefore(number)],
    [numberAfter(number), number],
  ].map(([place, joint]) => {
    const other = cardsIn(view.places[place - 1]);
    return { place, joint, other, relation: relationOf(newCards, other) };
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

  /** The cards in a place, by name. */
  cards(name) {
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
    const cards = this.cards(cardsIn(place));
    let label = fill(words.place, { place: place.place, side: words[`side_${place.side}`], there: cards });
    const append = (addition) => (label = fill(words.also, { label, more: addition }));
    if (view.fits?.includes(place.place)) append(words.fits);
    if (place.marks.length) append(fill(words.reminders, { cards: place.marks.map((mark) => words[mark]).join(", ") }));
    return label;
  }

  /** Says whether the card fits on the Singles of a place, and if not, why. */
  verdict(view, number) {
    const { words } = this;
    const cards = cardsIn(view.places[number - 1]);
    if (canGoTo(view.card, cards)) return isComplete(view.card) ? words.fits_here : words.joins_here;
    const [first, second] = [...cards].map((letter) => words[letter]);
    if (!isComplete(view.card)) return cards.length === 2 ? words.two_already : words.same_kind;
    return second ? fill(words.not_both, { one: first, other: second }) : fill(words.not_one, { single: first });
  }

  /** A sentence about each neighbour of a place, if the card is placed there. */
  neighboursOf(view, number) {
    return neighboursOf(view, number).map(({ other, relation: how }) =>
      fill(this.words[`neighbour_${how}`], { card: this.cards(other) }),
    );
  }

  /** Says that these cards were discarded. */
  discarded(cards) {
    const { words } = this;
    const [completes, singles] = [cards.filter(isComplete), cards.filter((card) => !isComplete(card))];
    const sentences = singles.map((card) => fill(words.set_aside, { card: this.card(card) }));
    const names = completes.map((card) => this.card(card)).join(", ");
    if (completes.length) sentences.unshift(fill(completes[1] ? words.discarded_many : words.discarded, { card: names }));
    return sentences.join(" ");
  }

  /** Describes the changes between two views. */
  news(before, view) {
    const { words } = this;
    const sentences = [];
    const { card, place } = view.last;
    if (wasPlacedBetween(before, view)) {
      sentences.push(fill(isComplete(card) ? words.placed : words.added, { card: this.card(card), place }));
    } else sentences.push(...this.#reminders(before, view));
    const newDiscards = discardedBetween(before, view);
    if (newDiscards.length) sentences.push(this.discarded(newDiscards));
    if (view.card !== before.card) sentences.push(this.next(view));
    return sentences.join(" ");
  }

  /** The next card, and the score. */
  next(view) {
    const { words } = this;
    const values = { card: view.card && this.cards(view.card), score: formatSigned(view.score.total) };
    return fill(view.card ? words.next_card : words.score_now, values);
  }

  #reminders(before, view) {
    const { words } = this;
    return view.places.flatMap(({ place, marks }, index) => {
      const [newCards, removed] = [without(marks, before.places[index].marks), without(before.places[index].marks, marks)];
      return [
        ...newCards.map((single) => fill(words.reminded, { card: words[single], place })),
        ...removed.map((single) => fill(words.taken_back, { card: words[single], place })),
      ];
    });
  }
}

/** Whether a card was placed between two views. */
export function wasPlacedBetween(before, view) {
  const { place } = view.last;
  return place !== null && cardsIn(view.places[place - 1]) !== cardsIn(before.places[place - 1]);
}

/** The cards that were discarded between two views. */
export function discardedBetween(before, view) {
  const { discarded } = view.last;
  return wasPlacedBetween(before, view) ? discarded : discarded.slice(before.last.discarded.length);
}

/** A list without the items of another, each removed once. */
export function without(list, others) {
  const remaining = [...others];
  return list.filter((item) => {
    const index = remaining.indexOf(item);
    if (index >= 0) remaining.splice(index, 1);
    return index < 0;
  });
}
