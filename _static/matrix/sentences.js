/** Chooses the board's sentences from the page's texts (cardlab/games/matrix/texts.py). */

import { fill, signed } from "../cardlab/text.js";

export class Sentences {
  /**
   * @param {Record<string, string>} words
   * @param {string[]} robots the seats that robots play
   */
  constructor(words, robots) {
    this.words = words;
    this.robots = robots;
  }

  // Names.

  /** The sentence of this name about another seat: where two play a person or a robot, else by its side. */
  #about(view, seat, name) {
    const role = this.#role(view, seat).replace("_robot", "");
    return this.words[`${name}_${role}`] ?? this.words[`${name}_other`];
  }

  /** How a seat is called at its place: "Other player". */
  name(view, seat) {
    return this.words[`name_${this.#role(view, seat)}`];
  }

  /** How a seat is called where there is little room: "Other". */
  short(view, seat) {
    return this.words[`short_${this.#role(view, seat)}`];
  }

  #role(view, seat) {
    if (seat === view.seat) return "you";
    const robot = this.robots.includes(seat);
    if (view.players.length === 2) return robot ? "robot" : "other";
    const { side } = view.players.find((player) => player.seat === seat);
    return robot ? `${side}_robot` : side;
  }

  /** "Far left", as the viewer sees it. */
  cell(view, name) {
    const { row, column } = view.crosses.find(({ cell }) => cell === name);
    return this.words[`cell_${row}_${column}`];
  }

  /** Points for a voice: "minus 3". */
  points(value) {
    return fill(value < 0 ? this.words.minus : this.words.plus, { points: Math.abs(value) });
  }

  /** "plus 7, left column" */
  card({ value, column }) {
    return fill(this.words.card, { points: this.points(value), column: this.words[`column_${column}`] });
  }

  // The state of play.

  /** Who is waited for and what they may do, in one or two sentences. */
  status(view, { over, away }) {
    const { words } = this;
    if (over) return words.over;
    if (view.rotator) return this.#statusOfRotation(view, away);
    if (!view.pair.includes(view.seat)) return this.#statusOfOthers(view, away);
    const other = view.pair.find((seat) => seat !== view.seat);
    const absent = away.includes(other);
    if (view.chosen) {
      const waiting = this.#about(view, other, absent ? "away" : "waiting");
      return `${view.may_change ? words.chosen_may_change : words.chosen} ${waiting}`;
    }
    if (view.other_chosen) return `${this.#about(view, other, "has_chosen")} ${words.choose}`;
    return absent ? `${words.choose} ${this.#about(view, other, "away")}` : words.choose;
  }

  #statusOfRotation(view, away) {
    if (view.rotator === view.seat) return this.words.you_may_turn;
    const sentence = this.#about(view, view.rotator, "may_turn");
    return away.includes(view.rotator) ? `${sentence} ${this.#about(view, view.rotator, "away")}` : sentence;
  }

  #statusOfOthers(view, away) {
    const late = view.waiting_for.filter((seat) => away.includes(seat));
    const absent = late.map((seat) => this.#about(view, seat, "away"));
    return [this.othersPlay(view), ...absent].join(" ");
  }

  /** Four players: whose turn it is, if not ours. */
  othersPlay(view) {
    const [first, second] = view.pair.map((seat) => this.name(view, seat));
    return fill(this.words.others_play, { first, second });
  }

  /** What happens when the time runs out. */
  deadline(view, time) {
    const { words } = this;
    if (view.rotator === view.seat) return fill(words.deadline_you_turn, { time });
    if (view.rotator) return fill(words.deadline_you_turn, { time });
    if (view.waiting_for.includes(view.seat)) return fill(words.deadline_you, { time });
    const [seat, another] = view.waiting_for;
    return fill(another ? words.deadline_both : this.#about(view, seat, "deadline"), { time });
  }

  /** Why no card can be chosen now; "" if one can. */
  whyNoCard(view, card) {
    const { words } = this;
    if (view.rotator === view.seat) return words.first_turn;
    if (view.rotator) return this.#about(view, view.rotator, "turns_first");
    if (!view.pair.includes(view.seat)) return this.othersPlay(view);
    if (view.chosen && !view.may_change) return words.choice_stands;
    return view.chosen === card ? words.chosen_already : "";
  }

  /** Why a cross cannot be turned now. */
  whyNoTurn(view) {
    return view.players.length > 2 ? this.words.never_turned : this.words.not_turned_now;
  }

  // What has happened.

  /** "Far left · You: +4 · Other player: −2" */
  collected(view, turn, faces) {
    const [first, second] = this.#byPlayer(view, turn.collected, (card) => signed(faces[card].value));
    return fill(this.words.collected, { cell: this.cell(view, turn.cell), first, second });
  }

  /** For a voice: which cards were played. */
  played(view, turn, faces) {
    const [first, second] = this.#byPlayer(view, turn.cards, (card) => this.card(faces[card]));
    return fill(this.words.played, { turn: turn.turn, first, second });
  }

  /** "You: +4", "Other player: −2" */
  #byPlayer(view, bySeat, valueOf) {
    return inOrder(view, bySeat).map(([seat, card]) =>
      fill(this.words.of_player, { name: this.name(view, seat), value: valueOf(card) }),
    );
  }

  /** "A card was chosen for you.", if the server chose one in the turn; "" if it did not. */
  chosenFor(view, { chosen_for: [seat, another] }) {
    const { words } = this;
    if (!seat) return "";
    if (another) return words.chosen_for_both;
    return seat === view.seat ? words.chosen_for_you : this.#about(view, seat, "chosen_for");
  }

  /** "The other player turned this cross: Far left." */
  rotated(view, { rotator, rotation, kept_for: keptFor }) {
    const { words } = this;
    const cell = rotation === "keep" ? "" : this.cell(view, rotation.replace("rotate ", ""));
    const kept = keptFor ? [words.kept_for_you, "kept_for"] : [words.you_kept, "kept"];
    const [own, others] = cell ? [words.you_turned, "turned"] : kept;
    return fill(rotator === view.seat ? own : this.#about(view, rotator, others), { cell });
  }

  /**
   * The label of a cross: where it is and what it brings, and if it can be turned, what it would bring then.
   * @param {string[]} pair who plays this turn, first the one whose cards lie as the viewer's do
   */
  cross(view, cross, pair, faces, turnable) {
    if (!cross.own) return this.cell(view, cross.cell);
    const worth = this.#worth(view, cross, pair, faces);
    if (!turnable) return worth;
    const turned = this.#worth(view, { ...cross, own: cross.across, across: cross.own }, pair, faces);
    return `${worth}. ${fill(this.words.turn_it, { worth: turned })}`;
  }

  /** "Far left. You: plus 4. Other player: minus 2" */
  #worth(view, cross, pair, faces) {
    const [own, across] = pair.map((seat) => this.name(view, seat));
    return fill(this.words.worth, {
      cell: this.cell(view, cross.cell),
      own,
      own_points: this.points(faces[cross.own].value),
      across,
      across_points: this.points(faces[cross.across].value),
    });
  }
}

/** What belongs to seats, our own first. */
export function inOrder(view, bySeat) {
  return Object.entries(bySeat).sort(([a], [b]) => Number(b === view.seat) - Number(a === view.seat));
}
