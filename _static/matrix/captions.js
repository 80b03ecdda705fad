/** The texts next to the table: time limit, and the last turns in numbers. */

import { TimeAnnouncer } from "../cardlab/time_announcer.js";
import { make, setText } from "../cardlab/elements.js";
import { fill } from "../cardlab/text.js";
import { arrow, pointsOf } from "./card.js";
import { inOrder } from "./sentences.js";
import { crossAt, lastTurns } from "./turns.js";

const HURRY_SECONDS = 10;

export class Captions {
  /**
   * @param {object} table
   * @param {ReturnType<typeof import("./build.js").build>} table.parts
   * @param {Record<string, string>} table.words
   * @param {import("./sentences.js").Sentences} table.sentences
   * @param {Record<string, {value: number, column: string}>} table.faces of all cards seen so far; it grows
   * @param {(sentence: string) => void} onChange announces a change, or the time left
   */
  constructor({ parts, words, sentences, faces }, onChange) {
    this.onChange = onChange;
    this.parts = parts;
    this.words = words;
    this.sentences = sentences;
    this.faces = faces;
    this.shownTurns = ""; // as JSON
    this.turns = []; // the last turn; with four players, of each pair
    this.announcer = new TimeAnnouncer((seconds) => onChange(fill(words.hurry, { seconds })));
  }

  /** Announces who turned which cross and its new values, or that all were kept. @param {string[]} byAxis the seats */
  announceRotation(view, turn, byAxis) {
    const { faces, sentences } = this;
    const announcements = [sentences.rotatedText(view, turn)];
    if (turn.rotation !== "keep" && view.last.turn === turn.turn) {
      const turnedCross = crossAt(view, turn.rotation.replace("rotate ", ""));
      announcements.push(`${sentences.cross(view, turnedCross, byAxis, faces, false)}.`);
    }
    this.onChange(announcements.join(" "));
  }

  /** Announces a drawn card. @param {number} number of its place in the hand */
  announceDrawn(card, number) {
    this.onChange(fill(this.words.drawn, { number, card: this.sentences.card(this.faces[card]) }));
  }

  drawStatus(sentence) {
    setText(this.parts.status, sentence);
  }

  /** @param {string} time the time left; "" without a limit */
  drawDeadline(view, time, seconds) {
    const { deadline } = this.parts;
    const isOwnTurn = view.waiting_for.includes(view.seat);
    this.announcer.tick(isOwnTurn ? seconds : Infinity);
    deadline.hidden = !time || !view.waiting_for.length;
    if (deadline.hidden) return;
    deadline.textContent = this.sentences.deadline(view, time);
    deadline.toggleAttribute("data-last-seconds", isOwnTurn && seconds <= HURRY_SECONDS);
  }

  /** Stores a turn, such as `view.last`, in place of its earlier state or of the pair's previous turn. */
  storeTurn(turn, view) {
    const others = this.turns.filter((storedTurn) => storedTurn.turn !== turn.turn);
    this.turns = [...others, turn].slice(-view.players.length / 2);
  }

  /** Stores the last turns of a view. */
  storeTurns(view) {
    for (const turn of lastTurns(view)) this.storeTurn(turn, view);
  }

  forgetTurns() {
    this.turns = [];
  }

  /** Draws the last turns as tables. */
  drawTurns(view) {
    const shownTurns = JSON.stringify(this.turns);
    if (shownTurns === this.shownTurns) return;
    this.shownTurns = shownTurns;
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
          if (withColumn) points.insertAdjacentHTML("beforeend", arrow());
          points.dataset.to = faces[card].column;
          return points;
        }),
      );
    const table = make(
      "table",
      {},
      cell("caption", fill(turn === this.turns.at(-1) ? words.last_turn : words.turn, { turn: turn.turn })),
      make("tr", {}, cell("td"), ...cards.map(([seat]) => cell("th", sentences.shortName(view, seat)))),
      row(words.row_played, turn.cards, true),
      row(words.row_collected, turn.collected, false),
    );
    const sentencesOfTurn = [fill(words.in_cell, { cell: sentences.cell(view, turn.cell) }), sentences.chosenFor(view, turn)];
    if (turn.rotation) sentencesOfTurn.push(sentences.rotatedText(view, turn));
    const lines = sentencesOfTurn.filter(Boolean).map((sentence) => make("div", {}, sentence));
    return make("div", { turn: turn.turn }, table, make("div", {}, ...lines));
  }
}
