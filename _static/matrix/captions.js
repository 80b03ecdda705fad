/** What stands beside the table in writing: the state of play, the time limit, the last turn in numbers. */

import { make } from "../cardlab/make.js";
import { fill } from "../cardlab/text.js";
import { columnIcon, pointsOf } from "./card.js";
import { inOrder } from "./sentences.js";

const HURRY = 10; // seconds

export class Captions {
  /**
   * @param {object} table
   * @param {ReturnType<typeof import("./build.js").build>} table.parts
   * @param {Record<string, string>} table.words
   * @param {import("./sentences.js").Sentences} table.sentences
   * @param {Record<string, {value: number, column: string}>} table.faces of all cards seen so far; it grows
   * @param {(sentence: string) => void} onHurry told once when the time is nearly up
   */
  constructor({ parts, words, sentences, faces }, onHurry) {
    Object.assign(this, { parts, words, sentences, faces, onHurry });
    this.turns = []; // the last turn; with four players that of either pair
    this.hurried = false;
  }

  drawStatus(sentence) {
    const { status } = this.parts;
    if (status.textContent !== sentence) status.textContent = sentence;
  }

  /** @param {string} time that is left, "" without a limit */
  drawDeadline(view, time, seconds) {
    const { deadline } = this.parts;
    deadline.hidden = !time || !view.waiting_for.length;
    if (deadline.hidden) return;
    deadline.textContent = this.sentences.deadline(view, time);
    const hurry = seconds <= HURRY && view.waiting_for.includes(view.seat);
    deadline.toggleAttribute("data-hurry", hurry);
    if (hurry && !this.hurried) this.onHurry(fill(this.words.hurry, { seconds }));
    this.hurried = hurry;
  }

  /** Keep a turn, like `view.last`, instead of what was known of it or of the one before. */
  keepTurn(turn, view) {
    const others = this.turns.filter((known) => known.turn !== turn.turn);
    this.turns = [...others, turn].slice(-view.players.length / 2);
  }

  forgetTurns() {
    this.turns = [];
  }

  /** The last turn in numbers, for those who did not watch. */
  drawTurns(view) {
    this.parts.last.replaceChildren(...this.turns.map((turn) => this.#tableOf(turn, view)));
  }

  #tableOf(turn, view) {
    const { faces, sentences, words } = this;
    const cards = inOrder(view, turn.cards);
    const cell = (kind, ...content) => make(kind, {}, ...content);
    const row = (title, bySeat, withColumn) =>
      make(
        "tr",
        {},
        cell("th", title),
        ...inOrder(view, bySeat).map(([, card]) => {
          const points = cell("td", pointsOf(faces[card].value));
          if (withColumn) points.insertAdjacentHTML("beforeend", columnIcon(faces[card].column));
          return points;
        }),
      );
    const table = make(
      "table",
      {},
      cell("caption", fill(turn === this.turns.at(-1) ? words.last_turn : words.turn, { turn: turn.turn })),
      make("tr", {}, cell("td"), ...cards.map(([seat]) => cell("th", sentences.short(view, seat)))),
      row(words.row_played, turn.cards, true),
      row(words.row_collected, turn.collected, false),
    );
    const what = [fill(words.in_cell, { cell: sentences.cell(view, turn.cell) })];
    if (turn.rotation) what.push(sentences.rotated(view, turn.rotator, turn.rotation));
    return make("div", { turn: turn.turn }, table, ...what.map((sentence) => make("p", {}, sentence)));
  }
}
