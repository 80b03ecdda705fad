/** oTree says when who waits may go on: then the page is reloaded, and oTree leads there. */

import { reload } from "./leaving.js";

const { socket: path, again } = document.getElementById("goes-on").dataset;

const socket = window.makeReconnectingWebSocket(path);
socket.onmessage = ({ data }) => {
  const { error } = JSON.parse(data);
  if (error) showError(error);
  else reload();
};

function showError(sentence) {
  const line = document.getElementById("_otree-server-error");
  line.textContent = sentence;
  line.hidden = false;
}

// Who waits for a group: oTree promises to look again now and then. Not all at once, so at odd times.
if (again !== undefined) setInterval(reload, (10 + Math.random() * 60) * 1000);
