/** The results of Triangle Solitaire: the final triangles with their points (js_vars: see triangle_app). */

import { make } from "../cardlab/elements.js";
import { formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Loop, drawCard } from "./loop.js";
import { Sentences } from "./sentences.js";

const { triangles } = window.js_vars;
const sentences = new Sentences(words);

for (const { number, view } of triangles) {
  const loop = make("div.loop");
  const board = make("div.board.triangle.inert.scored", {}, loop, makeCentre(view));
  drawLoop(loop, view);
  document.querySelector(`.scored-board[data-hand="${number}"]`).replaceChildren(board);
}

/** Draws the loop, with points at scoring corners, breaks and sides. */
function drawLoop(root, view) {
  const loop = new Loop(root, words, false);
  loop.draw(view);
  const { corners, joints, sides } = view.score;
  for (const place of view.places) loop.place(place.place).at.setAttribute("aria-label", sentences.place(view, place));
  joints.forEach((state, index) => {
    const joint = loop.joints[index];
    const { corner } = joint.dataset;
    if (state === "mismatch") joint.dataset.points = pointsPerElement(view, "discontinuities", joints, state);
    else if (corner && state === "match") joint.dataset.points = pointsPerElement(view, "corners", Object.values(corners), state);
  });
  for (const [side, state] of Object.entries(sides)) {
    const points = state === "match" ? pointsPerElement(view, "sides", Object.values(sides), state) : "0";
    const label = make("b.side-points", { side, state }, points);
    label.style.setProperty("--k", 4);
    label.setAttribute("aria-hidden", "true"); // the table next to it says it in words
    root.append(label);
  }
}

/** The points of one scoring element: the part's points divided by their number. */
function pointsPerElement(view, part, states, scoringState) {
  return formatSigned(view.score.points[part] / states.filter((state) => state === scoringState).length);
}

/** Creates the total score with the discards below it. */
function makeCentre(view) {
  const total = make("b.total-score", {}, formatSigned(view.score.total));
  const heap = make("div.discard-pile");
  for (const name of view.discards) {
    const card = make("span.card");
    drawCard(card, name, words);
    const points = formatSigned(view.score.points.discarded / view.discards.length);
    heap.append(make("span.discard", {}, card, make("b", {}, points)));
  }
  const centre = make("div.triangle-centre", {}, total, heap);
  centre.setAttribute("aria-hidden", "true");
  return centre;
}
