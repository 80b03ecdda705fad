/** Chooses the board's sentences from the page's texts (cardlab/games/challenge/texts.py). */

import { capitalise, fill } from "../cardlab/text.js";
import { SIGNS, SUITS, rankOf, suitOf } from "./build.js";

const PICK_UP = "pick up";

/** A card's short form: `10♠`. */
export const shortName = (card) => `${rankOf(card)}${SIGNS[suitOf(card)]}`;

const otherSeat = ({ seat, hands }) => Object.keys(hands).find((other) => other !== seat);

export class Sentences {
  constructor(words) {
    this.words = words;
  }

  // Names.

  /** The opponent: `robot` for a computer, else `other`. */
  opponentKind(view) {
    return view.robots.includes(otherSeat(view)) ? "robot" : "other";
  }

  /** A sentence about the opponent, in its version for a computer or for another player. */
  aboutOpponent(view, name, values = {}) {
    return capitalise(fill(this.words[`${this.opponentKind(view)}_${name}`], values));
  }

  /** The card by name: "ten of spades". */
  card(card) {
    return this.words[card];
  }

  /** For screen readers: all cards of a hand, suit by suit. */
  cards(cards) {
    return SUITS.map((suit) => cards.filter((card) => suitOf(card) === suit))
      .filter((row) => row.length)
      .map((row) => row.map((card) => this.card(card)).join(", "))
      .join("; ");
  }

  /** For screen readers: the opponent's hand. */
  otherHandText(view) {
    const count = view.hands[otherSeat(view)];
    if (!view.other) return this.aboutOpponent(view, "hidden_cards", { count });
    return this.aboutOpponent(view, view.other.length ? "cards" : "no_cards", { cards: this.cards(view.other) });
  }

  /** For screen readers: the cards on the table. */
  tableText(view) {
    const { words } = this;
    if (!view.table_count) return words.table_empty;
    const top = this.card(view.table.at(-1));
    const under = view.table.slice(0, -1).reverse();
    if (under.length) return fill(words.table_cards, { top, cards: under.map((card) => this.card(card)).join(", ") });
    return fill(view.table_count > 1 ? words.table_top : words.table_one, { top, count: view.table_count });
  }

  // The state of play.

  /** Whose turn it is and what to do. @param {object} view  @param {{over: boolean, away: string[]}} board */
  status(view, { over, away }) {
    const { words } = this;
    if (over) return words.over;
    if (view.asked) return this.#askedText(view, away);
    if (view.analysing && view.ended) return `${this.ending(view)} ${words.analysed_to_end}`;
    if (!view.waiting_for.includes(view.seat)) return this.#waitingText(view, away);
    const awayText = away.includes(otherSeat(view)) ? ` ${words.away}` : "";
    return this.#taskText(view) + awayText;
  }

  #taskText(view) {
    const { words } = this;
    if (!view.table_count) return words.lead;
    if (view.to_lead) return words.lead_on;
    const values = { card: shortName(view.table.at(-1)), count: view.table_count };
    const beats = view.may.some((action) => action.startsWith("play "));
    if (!beats && view.marks) return fill(words.only_pick_up, values);
    return fill(words.beat, values);
  }

  #askedText(view, away) {
    const { words } = this;
    const kind = { "offer draw": "offer", "claim win": "claim", consult: "consult" }[view.asked];
    if (view.asked_by !== view.seat) return this.aboutOpponent(view, `${kind}_to_you`);
    if (kind === "consult") return this.aboutOpponent(view, "thinking");
    const awayText = away.includes(otherSeat(view)) ? ` ${words.away}` : "";
    return this.aboutOpponent(view, `${kind}_waiting`) + awayText;
  }

  #waitingText(view, away) {
    const { words } = this;
    if (this.opponentKind(view) === "robot") return this.aboutOpponent(view, "thinking");
    return away.includes(otherSeat(view)) ? words.waiting_away : words.waiting;
  }

  /** How the game has ended: "You win: you played your last card." */
  ending(view) {
    const { seat, winner, ended } = view;
    const key = winner ? `${winner === seat ? "won" : "lost"}_${ended}` : `drawn_${ended}`;
    return this.words[key] ?? this.words[`${this.opponentKind(view)}_${key}`] ?? "";
  }

  /** What happens when the time runs out. */
  deadline(view, time) {
    const isOwn = view.waiting_for.includes(view.seat);
    return isOwn ? fill(this.words.deadline_you, { time }) : this.aboutOpponent(view, "deadline", { time });
  }

  /** Warns of a repeated position, and of few moves left. */
  warning(view) {
    const { words } = this;
    if (view.ended) return "";
    const parts = [];
    if (view.occurrences === 2) parts.push(words.twice);
    if (view.left !== null) parts.push(fill(words.left, { count: view.left }));
    return parts.join(" ");
  }

  /** What the computer advises. */
  advice(view) {
    const { words } = this;
    const { move, standing, line } = view.advice;
    const moveText = (action) => (action === PICK_UP ? words.a_pick_up : shortName(action));
    const adviceText = move === PICK_UP ? words.advice_pick_up : fill(words.advice, { card: moveText(move) });
    const text = `${adviceText} ${words[`standing_${standing}`]}`;
    return line.length ? `${text} ${fill(words.line, { moves: line.map(moveText).join(" · ") })}` : text;
  }

  // Past actions.

  /**
   * The last action, in a sentence.
   * @param {(card: string) => string} name returns the name of a card
   * @param {number} count the number of cards picked up; 0 if unknown
   */
  lastActionText(view, name, count) {
    const { words } = this;
    const [seat, action] = view.last;
    if (!seat) return "";
    const isOwn = seat === view.seat;
    const [verb, card] = action.split(" ");
    const isAutomatic = view.played_for === seat;
    if (verb === "play") {
      const values = { card: name(card) };
      if (isOwn) return capitalise(fill(isAutomatic ? words.played_for_you : words.you_played, values));
      return this.aboutOpponent(view, isAutomatic ? "played_for" : "played", values);
    }
    if (action === PICK_UP) {
      const suffix = count ? "" : "_all"; // the number is unknown
      if (isOwn) return fill(words[(isAutomatic ? "picked_for_you" : "you_picked") + suffix], { count });
      return this.aboutOpponent(view, (isAutomatic ? "picked_for" : "picked") + suffix, { count });
    }
    if (action === "accept" || action === "decline") return this.#answerText(view, isOwn, action);
    return { back: words.went_back, pass: words.passed, setup: words.set_up }[action] ?? "";
  }

  #answerText(view, isOwn, action) {
    const { words } = this;
    const kind = view.put.at(-1) === "claim win" ? "claim" : "offer";
    if (isOwn) return words[`you_${action}_${kind}`];
    const sentence = this.aboutOpponent(view, `${action}_${kind}`);
    const left = view.claims_left ?? null; // records of older versions have no limit
    if (kind !== "claim" || action === "accept" || left === null) return sentence;
    return `${sentence} ${left ? fill(words.claims_left, { count: left }) : words.no_claims_left}`;
  }

  /** The possible moves, in a sentence. */
  possibleMovesText(view) {
    const { words } = this;
    const cards = view.may.filter((action) => action.startsWith("play ")).map((action) => shortName(action.slice(5)));
    const mayPickUp = view.may.includes(PICK_UP);
    if (!view.waiting_for.includes(view.seat) || view.asked) return words.may_nothing;
    if (!cards.length) return mayPickUp ? words.may_pick_up : words.may_nothing;
    return fill(mayPickUp ? words.may_or_pick_up : words.may, { cards: cards.join(" ") });
  }

  /** Why a button has no effect now. */
  reasonAgainst(view, id) {
    const { words } = this;
    if (view.ended) return view.analysing ? words.game_ended : words.over;
    if (view.asked) return words.first_answer;
    if (id === "pick-up") return view.table_count ? words.first_lead : words.nothing_to_pick_up;
    const question = { offer: "offer draw", claim: "claim win", consult: "consult" }[id];
    if (id === "claim" && view.claims_left === 0) return words.no_claims_left;
    if (view.put.includes(question)) return words.asked_already;
    if (id === "back-up") return words.no_turn_before;
    return view.table_count ? words.only_empty_table : words.not_now;
  }
}
