/** Reloads a waiting page when oTree notifies it that the participant may continue. */

import { onPageEnd, repeatUntilPageEnds } from "./page_lifetime.js";
import { reload } from "./send_form.js";

const { socket: path, again } = document.getElementById("goes-on").dataset;

const socket = window.makeReconnectingWebSocket(path);
onPageEnd(() => socket.close());
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

// A group may also be formed by a reload, which oTree expects now and then. Random times spread the load.
if (again !== undefined) repeatUntilPageEnds(reload, (10 + Math.random() * 60) * 1000);
