/** The start page of a room: lets the server check the label, then continues. */

const form = document.getElementById("welcome");
const query = new URLSearchParams(location.search);
const label = form.elements.participant_label;
if (label) label.value = query.get("participant_label") ?? "";

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const [name, value] of new FormData(form)) if (value) query.set(name, String(value));
  const answer = await fetch(location.pathname, {
    method: "POST",
    headers: { "X-Requested-With": "XMLHttpRequest", "Content-Type": "application/json" },
    body: JSON.stringify(Object.fromEntries(query)),
  });
  const { status, errors } = await answer.json();
  if (status === "ok") {
    query.set("welcome_page_ok", "1");
    location.assign(`${location.pathname}?${query}`);
  } else if (errors) {
    document.getElementById("wrong").textContent = Object.values(errors).join(" ");
    label?.focus();
  }
});
