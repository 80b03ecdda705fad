/** Draws the examples in the rules: the cards and signs in the attribute `data-cards`. */

import { make } from "../cardlab/elements.js";
import { words } from "../cardlab/page_texts.js";
import { isComplete } from "./card.js";
import { drawCard } from "./loop.js";
import { Sentences } from "./sentences.js";

const SIGNS = { "✓": "match", "✗": "mismatch", ">": "goes" };

const sentences = new Sentences(words);

for (const example of document.querySelectorAll(".example")) {
  const names = example.dataset.cards.split(" ");
  example.replaceChildren(...names.map((name) => (name in SIGNS ? sign(name) : card(name))));
  example.setAttribute("role", "img");
  const labels = names.filter((name) => !(name in SIGNS)).map((name) => label(name));
  example.setAttribute("aria-label", labels.join(", "));
}

function label(name) {
  return isComplete(name) ? sentences.card(name) : sentences.cards(name);
}

function card(name) {
  const element = make("span.card");
  drawCard(element, name, words);
  return element;
}

function sign(name) {
  const element = make("span.joint");
  if (name === ">") element.classList.replace("joint", "replaces");
  else element.dataset.state = SIGNS[name];
  return element;
}
