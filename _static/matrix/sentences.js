/** Chooses the board's sentences from the page's texts (cardlab/games/matrix/texts.py). */

import { fill, formatSigned } from "../cardlab/text.js";

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

  /** The sentence of this name about another seat: with two players for a person or a robot, else by its side. */
  #about(view, seat, name) {
    const { words } = this;
    const role = this.#role(view, seat);
    return words[`${name}_${role}`] ?? words[`${name}_${role.replace("_robot", "")}`] ?? words[`${name}_other`];
  }

  /** The name at a seat: "Other player". */
  name(view, seat) {
    return this.words[`name_${this.#role(view, seat)}`];
  }

  /** The short name of a seat: "Other". */
  shortName(view, seat) {
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

  /** Points for screen readers: "minus 3". */
  points(value) {
    return fill(value < 0 ? this.words.minus : this.words.plus, { points: Math.abs(value) });
  }

  /** "plus 7, left column" */
  card({ value, column }) {
    return fill(this.words.card, { points: this.points(value), column: this.words[`column_${column}`] });
  }

  // The state of play.

  /** Who must act and what they may do, in one or two sentences. */
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
    if (view.rotator) return fill(words.deadline_turn, { time });
    if (view.waiting_for.includes(view.seat)) return fill(words.deadline_you, { time });
    const [seat, secondSeat] = view.waiting_for;
    return fill(secondSeat ? words.deadline_both : this.#about(view, seat, "deadline"), { time });
  }

  /** Why no card can be chosen now; "" if one can. */
  reasonForNoCard(view, card) {
    const { words } = this;
    if (view.rotator === view.seat) return words.first_turn;
    if (view.rotator) return this.#about(view, view.rotator, "turns_first");
    if (!view.pair.includes(view.seat)) return this.othersPlay(view);
    if (view.chosen && !view.may_change) return words.choice_stands;
    return view.chosen === card ? words.chosen_already : "";
  }

  /** Why a cross cannot be turned now. */
  reasonForNoTurn(view) {
    return view.players.length > 2 ? this.words.never_turned : this.words.not_turned_now;
  }

  // Past turns.

  /** "Far left · You: +4 · Other player: −2" */
  collectedText(view, turn, faces) {
    const [first, second] = this.#byPlayer(view, turn.collected, (card) => formatSigned(faces[card].value));
    return fill(this.words.collected, { cell: this.cell(view, turn.cell), first, second });
  }

  /** For screen readers: the played cards. */
  playedText(view, turn, faces) {
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
  chosenFor(view, { chosen_for: [seat, secondSeat] }) {
    const { words } = this;
    if (!seat) return "";
    if (secondSeat) return words.chosen_for_both;
    return seat === view.seat ? words.chosen_for_you : this.#about(view, seat, "chosen_for");
  }

  /** "The other player turned this cross: Far left." */
  rotatedText(view, { rotator, rotation, kept_for: keptFor }) {
    const { words } = this;
    const cell = rotation === "keep" ? "" : this.cell(view, rotation.replace("rotate ", ""));
    const keptTexts = keptFor ? [words.kept_for_you, "kept_for"] : [words.you_kept, "kept"];
    const [ownText, otherKey] = cell ? [words.you_turned, "turned"] : keptTexts;
    return fill(rotator === view.seat ? ownText : this.#about(view, rotator, otherKey), { cell });
  }

  /**
   * The label of a cross: its cell and values, and if it can be turned, its values after that.
   * @param {string[]} pair the seats that play this turn, first the one whose cards lie like the viewer's
   */
  cross(view, cross, pair, faces, isTurnable) {
    if (!cross.own) return this.cell(view, cross.cell);
    const values = this.#valuesText(view, cross, pair, faces);
    if (!isTurnable) return values;
    const turnedValues = this.#valuesText(view, { ...cross, own: cross.across, across: cross.own }, pair, faces);
    return `${values}. ${fill(this.words.turn_it, { worth: turnedValues })}`;
  }

  /** "Far left. You: plus 4. Other player: minus 2" */
  #valuesText(view, cross, pair, faces) {
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

/** The entries of an object by seat, the viewer's first. */
export function inOrder(view, bySeat) {
  return Object.entries(bySeat).sort(([a], [b]) => Number(b === view.seat) - Number(a === view.seat));
}
