/** oTree says when a participant may go on or was moved on: then the page is loaded anew, and oTree leads there. */

import { reload } from "./leaving.js";

const { socket: path, again } = document.getElementById("moved-on").dataset;
const waits = document.querySelector(".otree-wait-page");

const socket = window.makeReconnectingWebSocket(path);
socket.onmessage = ({ data }) => {
  const { auto_advanced: advanced, error } = JSON.parse(data);
  if (error) showError(error);
  else if (advanced || waits) reload();
};

function showError(sentence) {
  const line = document.getElementById("_otree-server-error");
  line.textContent = sentence;
  line.hidden = false;
}

// Who waits for a group: oTree promises to look again now and then. Not all at once, so at odd times.
if (again !== undefined) setInterval(reload, (10 + Math.random() * 60) * 1000);
