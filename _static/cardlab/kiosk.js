/** Adapts a page with a board to laboratory computers: a full-screen button, and no context menu. */

import { pageLifetime } from "./page_lifetime.js";

const button = document.getElementById("full-screen");
const words = button.textContent;

button.hidden = !document.fullscreenEnabled;
button.addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
const showState = () => (button.textContent = document.fullscreenElement ? button.dataset.leave : words);
document.addEventListener("fullscreenchange", showState, { signal: pageLifetime });
showState();

document.querySelector(".hand")?.addEventListener("contextmenu", (event) => event.preventDefault());
