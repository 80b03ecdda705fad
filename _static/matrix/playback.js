/**
 * Plays back the new turns of a view, each in a few scenes (scene.js) and sentences. The board then draws the view.
 */

import { axisOf } from "./turns.js";

// ms: both cards lie open; cards go to the piles, then into the cross; a cross is marked, then turned.
const PACE = { open: 900, move: 320, mark: 250, turn: 340 };
const QUICK = { open: 620, move: 220 }; // two turns in one step

export class Playback {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.sentence = ""; // the outcome of the turn, instead of the status
    this.skipped = document.hidden;
    /** @type {(value?: any) => void} */
    this.wake = () => {};
  }

  /**
   * Plays back events.
   * @param {{turn?: object, rotation?: object}[]} news turns such as `view.last`, or the rotation of an earlier turn
   */
  async show(news) {
    const pace = news.length > 1 ? { ...PACE, ...QUICK } : PACE;
    for (const { turn, rotation } of news) {
      if (turn) await this.#showTurn(turn, pace);
      else await this.#showRotation(rotation, pace);
    }
  }

  /** Skips the remaining scenes. */
  skip() {
    this.skipped = true;
    this.wake();
  }

  async #showTurn(turn, pace) {
    const { board } = this;
    const { faces, scene, sentences, view } = board;
    const { cards, cell, collected } = turn;
    board.discard(Object.values(cards));
    board.captions.keepTurn(turn, view);
    board.captions.drawTurns(view);
    const chosenFor = sentences.chosenFor(view, turn);
    this.#write(`${sentences.collected(view, turn, faces)} ${chosenFor}`.trim());
    board.onChange(`${sentences.played(view, turn, faces)} ${chosenFor}`.trim());
    const pair = Object.keys(cards);
    const open = { slots: cards, selected: cell, hand: board.hand, pair, chosen: null, waiting: [], rotating: false };
    await this.#stage(open, pace.open);

    if (!this.skipped) scene.collect(cell, collected, pace.move);
    const emptied = (cross) => (cross.cell === cell ? { ...cross, own: null, across: null } : cross);
    const taken = scene.now.crosses.map(emptied);
    const players = scene.now.players.map((player) => richer(player, faces[collected[player.seat]]));
    await this.#stage({ crosses: taken, players }, pace.move);

    const laid = Object.fromEntries(pair.map((seat) => [axisOf(view, seat), cards[seat]]));
    const crosses = taken.map((cross) => (cross.cell === cell ? { ...cross, ...laid } : cross));
    await this.#stage({ crosses, slots: {} }, pace.move, pace.move);
    if (turn.rotation) await this.#showRotation(turn, pace);
  }

  async #showRotation(turn, pace) {
    const { scene, sentences, view } = this.board;
    this.board.captions.tellRotation(view, turn, scene.byAxis());
    if (turn.rotation === "keep") return;
    const selected = turn.rotation.replace("rotate ", "");
    this.#write(sentences.rotated(view, turn));
    await this.#stage({ selected, waiting: [] }, pace.mark);
    const turned = (cross) => (cross.cell === selected ? { ...cross, own: cross.across, across: cross.own } : cross);
    await this.#stage({ crosses: scene.now.crosses.map(turned) }, pace.turn, pace.turn);
  }

  #write(sentence) {
    this.sentence = sentence;
    this.board.drawStatus();
  }

  /** Changes the scene and waits. */
  async #stage(changes, ms, flight) {
    if (this.skipped) return;
    this.board.drawScene({ ...this.board.scene.now, ...changes }, flight);
    await new Promise((done) => {
      this.wake = done;
      setTimeout(done, ms);
    });
  }
}

/** A player after collecting a card, if any. */
function richer(player, card) {
  return card ? { ...player, score: player.score + card.value, pile: player.pile + 1 } : player;
}
