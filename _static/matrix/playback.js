/**
 * Plays back the new turns of a view, each in a few scenes (scene.js) and sentences. The board then draws the view.
 */

import { axisOf } from "./turns.js";

// ms: both cards lie open; cards go to the piles, then into the cross; a cross is marked, then turned.
const PACE = { open: 900, move: 320, mark: 250, turn: 340 };
const FAST_PACE = { open: 620, move: 220 }; // two turns in one step

export class Playback {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.sentence = ""; // the outcome of the turn, instead of the status
    this.isSkipped = document.hidden;
    /** @type {(value?: any) => void} */
    this.wake = () => {};
  }

  /**
   * Plays back events.
   * @param {{turn?: object, rotation?: object}[]} events turns such as `view.last`, or the rotation of an earlier turn
   */
  async show(events) {
    const pace = events.length > 1 ? { ...PACE, ...FAST_PACE } : PACE;
    for (const { turn, rotation } of events) {
      if (turn) await this.#showTurn(turn, pace);
      else await this.#showRotation(rotation, pace);
    }
  }

  /** Skips the remaining scenes. */
  skip() {
    this.isSkipped = true;
    this.wake();
  }

  async #showTurn(turn, pace) {
    const { board } = this;
    const { faces, scene, sentences, view } = board;
    const { cards, cell, collected } = turn;
    board.discard(Object.values(cards));
    board.captions.storeTurn(turn, view);
    board.captions.drawTurns(view);
    const chosenFor = sentences.chosenFor(view, turn);
    this.#showSentence(`${sentences.collectedText(view, turn, faces)} ${chosenFor}`.trim());
    board.onChange(`${sentences.playedText(view, turn, faces)} ${chosenFor}`.trim());
    const pair = Object.keys(cards);
    const openScene = { slots: cards, selected: cell, hand: board.hand, pair, chosen: null, waiting: [], rotating: false };
    await this.#showScene(openScene, pace.open);

    if (!this.isSkipped) scene.collect(cell, collected, pace.move);
    const withoutCards = (cross) => (cross.cell === cell ? { ...cross, own: null, across: null } : cross);
    const clearedCrosses = scene.current.crosses.map(withoutCards);
    const players = scene.current.players.map((player) => withCard(player, faces[collected[player.seat]]));
    await this.#showScene({ crosses: clearedCrosses, players }, pace.move);

    const newCards = Object.fromEntries(pair.map((seat) => [axisOf(view, seat), cards[seat]]));
    const crosses = clearedCrosses.map((cross) => (cross.cell === cell ? { ...cross, ...newCards } : cross));
    await this.#showScene({ crosses, slots: {} }, pace.move, pace.move);
    if (turn.rotation) await this.#showRotation(turn, pace);
  }

  async #showRotation(turn, pace) {
    const { scene, sentences, view } = this.board;
    this.board.captions.announceRotation(view, turn, scene.byAxis());
    if (turn.rotation === "keep") return;
    const selected = turn.rotation.replace("rotate ", "");
    this.#showSentence(sentences.rotatedText(view, turn));
    await this.#showScene({ selected, waiting: [] }, pace.mark);
    const withTurnedCards = (cross) => (cross.cell === selected ? { ...cross, own: cross.across, across: cross.own } : cross);
    await this.#showScene({ crosses: scene.current.crosses.map(withTurnedCards) }, pace.turn, pace.turn);
  }

  #showSentence(sentence) {
    this.sentence = sentence;
    this.board.drawStatus();
  }

  /** Changes the scene and waits. */
  async #showScene(changes, ms, flight) {
    if (this.isSkipped) return;
    this.board.drawScene({ ...this.board.scene.current, ...changes }, flight);
    await new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, ms);
    });
  }
}

/** A player after collecting a card, if any. */
function withCard(player, card) {
  return card ? { ...player, score: player.score + card.value, pile: player.pile + 1 } : player;
}
