/** Keeps a connection on another app's page that has none, so that the participant counts as present. */

const RETRY_MS = 3000;
const { socket: path } = document.getElementById("here").dataset;

function connect() {
  const socket = new WebSocket(location.origin.replace("http", "ws") + path);
  const reportVisibility = () => socket.send(JSON.stringify({ hidden: document.hidden }));
  socket.onopen = () => {
    reportVisibility();
    document.addEventListener("visibilitychange", reportVisibility);
  };
  socket.onmessage = ({ data }) => {
    if (JSON.parse(data).auto_advanced) location.reload();
  };
  socket.onclose = () => {
    document.removeEventListener("visibilitychange", reportVisibility);
    setTimeout(connect, RETRY_MS);
  };
}

connect();
