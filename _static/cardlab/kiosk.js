/** What a PC of a laboratory needs on a page with a board: the full screen on request, and no menu by a wrong click. */

const button = document.getElementById("full-screen");
const words = button.textContent;

button.hidden = !document.fullscreenEnabled;
button.addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
document.addEventListener("fullscreenchange", () => {
  button.textContent = document.fullscreenElement ? button.dataset.leave : words;
});

document.querySelector(".hand")?.addEventListener("contextmenu", (event) => event.preventDefault());
