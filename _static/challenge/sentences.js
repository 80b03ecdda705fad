/** Chooses the board's sentences from the page's texts (cardlab/games/challenge/texts.py). */

import { begin, fill } from "../cardlab/text.js";
import { SIGNS, SUITS, rankOf, suitOf } from "./build.js";

const PICK_UP = "pick up";

/** A card's short form: `10♠`. */
export const written = (card) => `${rankOf(card)}${SIGNS[suitOf(card)]}`;

const otherOf = ({ seat, hands }) => Object.keys(hands).find((one) => one !== seat);

export class Sentences {
  constructor(words) {
    this.words = words;
  }

  // Names.

  /** Whether a computer sits opposite. */
  against(view) {
    return view.robots.includes(otherOf(view)) ? "robot" : "other";
  }

  /** A sentence about the one opposite, which there is for the computer and for another player. */
  say(view, name, values = {}) {
    return begin(fill(this.words[`${this.against(view)}_${name}`], values));
  }

  /** The card by name: "ten of spades". */
  card(card) {
    return this.words[card];
  }

  /** For a voice: all cards of a hand, suit by suit. */
  cards(cards) {
    return SUITS.map((suit) => cards.filter((card) => suitOf(card) === suit))
      .filter((row) => row.length)
      .map((row) => row.map((card) => this.card(card)).join(", "))
      .join("; ");
  }

  /** For a voice: the other's hand. */
  heardFar(view) {
    const count = view.hands[otherOf(view)];
    if (!view.other) return this.say(view, "hidden_cards", { count });
    return this.say(view, view.other.length ? "cards" : "no_cards", { cards: this.cards(view.other) });
  }

  /** For a voice: what lies on the table. */
  heardTable(view) {
    const { words } = this;
    if (!view.table_count) return words.table_empty;
    const top = this.card(view.table.at(-1));
    const under = view.table.slice(0, -1).reverse();
    if (under.length) return fill(words.table_cards, { top, cards: under.map((card) => this.card(card)).join(", ") });
    return fill(view.table_count > 1 ? words.table_top : words.table_one, { top, count: view.table_count });
  }

  // The state of play.

  /** Whose turn it is and what is to be done. @param {object} view  @param {{over: boolean, away: string[]}} known */
  status(view, { over, away }) {
    const { words } = this;
    if (over) return words.over;
    if (view.asked) return this.#asked(view, away);
    if (view.analysing && view.ended) return `${this.ending(view)} ${words.analysed_to_end}`;
    if (!view.waiting_for.includes(view.seat)) return this.#waiting(view, away);
    const gone = away.includes(otherOf(view)) ? ` ${words.away}` : "";
    return this.#task(view) + gone;
  }

  #task(view) {
    const { words } = this;
    if (!view.table_count) return words.lead;
    if (view.to_lead) return words.lead_on;
    const values = { card: written(view.table.at(-1)), count: view.table_count };
    const beats = view.may.some((action) => action.startsWith("play "));
    if (!beats && view.marks) return fill(words.only_pick_up, values);
    return fill(words.beat, values);
  }

  #asked(view, away) {
    const { words } = this;
    const kind = { "offer draw": "offer", "claim win": "claim", consult: "consult" }[view.asked];
    if (view.asked_by !== view.seat) return this.say(view, `${kind}_to_you`);
    if (kind === "consult") return this.say(view, "thinking");
    const gone = away.includes(otherOf(view)) ? ` ${words.away}` : "";
    return this.say(view, `${kind}_waiting`) + gone;
  }

  #waiting(view, away) {
    const { words } = this;
    if (this.against(view) === "robot") return this.say(view, "thinking");
    return away.includes(otherOf(view)) ? words.waiting_away : words.waiting;
  }

  /** How the game has ended: "You win: you played your last card." */
  ending(view) {
    const { seat, winner, ended } = view;
    const how = winner ? `${winner === seat ? "won" : "lost"}_${ended}` : `drawn_${ended}`;
    return this.words[how] ?? this.words[`${this.against(view)}_${how}`] ?? "";
  }

  /** What happens when the time runs out. */
  deadline(view, time) {
    const own = view.waiting_for.includes(view.seat);
    return own ? fill(this.words.deadline_you, { time }) : this.say(view, "deadline", { time });
  }

  /** What is to be minded: the same position again, few moves left. */
  warning(view) {
    const { words } = this;
    if (view.ended) return "";
    const said = [];
    if (view.occurrences === 2) said.push(words.twice);
    if (view.left !== null) said.push(fill(words.left, { count: view.left }));
    return said.join(" ");
  }

  /** What the computer advises. */
  advice(view) {
    const { words } = this;
    const { move, standing, line } = view.advice;
    const moved = (one) => (one === PICK_UP ? words.a_pick_up : written(one));
    const advised = move === PICK_UP ? words.advice_pick_up : fill(words.advice, { card: moved(move) });
    const text = `${advised} ${words[`standing_${standing}`]}`;
    return line.length ? `${text} ${fill(words.line, { moves: line.map(moved).join(" · ") })}` : text;
  }

  // What has happened.

  /**
   * The last action, in a sentence.
   * @param {(card: string) => string} name how cards are called
   * @param {number} count how many cards were picked up; 0 if that is not known
   */
  last(view, name, count) {
    const { words } = this;
    const [seat, action] = view.last;
    if (!seat) return "";
    const own = seat === view.seat;
    const [verb, card] = action.split(" ");
    const kept = view.played_for === seat;
    if (verb === "play") {
      const values = { card: name(card) };
      if (own) return begin(fill(kept ? words.played_for_you : words.you_played, values));
      return this.say(view, kept ? "played_for" : "played", values);
    }
    if (action === PICK_UP) {
      const all = count ? "" : "_all"; // how many is not known
      if (own) return fill(words[(kept ? "picked_for_you" : "you_picked") + all], { count });
      return this.say(view, (kept ? "picked_for" : "picked") + all, { count });
    }
    if (action === "accept" || action === "decline") return this.#answered(view, own, action);
    return { back: words.went_back, pass: words.passed, setup: words.set_up }[action] ?? "";
  }

  #answered(view, own, action) {
    const { words } = this;
    const kind = view.put.at(-1) === "claim win" ? "claim" : "offer";
    if (own) return words[`you_${action}_${kind}`];
    const said = this.say(view, `${action}_${kind}`);
    const left = view.claims_left ?? null; // a record kept by an older version has no limit
    if (kind !== "claim" || action === "accept" || left === null) return said;
    return `${said} ${left ? fill(words.claims_left, { count: left }) : words.no_claims_left}`;
  }

  /** What may be played now, in a sentence. */
  may(view) {
    const { words } = this;
    const cards = view.may.filter((action) => action.startsWith("play ")).map((action) => written(action.slice(5)));
    const pick = view.may.includes(PICK_UP);
    if (!view.waiting_for.includes(view.seat) || view.asked) return words.may_nothing;
    if (!cards.length) return pick ? words.may_pick_up : words.may_nothing;
    return fill(pick ? words.may_or_pick_up : words.may, { cards: cards.join(" ") });
  }

  /** Why a button does nothing now. */
  whyNot(view, id) {
    const { words } = this;
    if (view.ended) return view.analysing ? words.game_ended : words.over;
    if (view.asked) return words.first_answer;
    if (id === "pick-up") return view.table_count ? words.first_lead : words.nothing_to_pick_up;
    const asks = { offer: "offer draw", claim: "claim win", consult: "consult" }[id];
    if (id === "claim" && view.claims_left === 0) return words.no_claims_left;
    if (view.put.includes(asks)) return words.asked_already;
    if (id === "back-up") return words.no_turn_before;
    return view.table_count ? words.only_empty_table : words.not_now;
  }
}
