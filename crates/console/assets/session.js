// Says that the service cannot be reached, and leaves the page when its session has ended: names and numbers must not stay on the screen of
// somebody who has signed out in another tab. live.js reports what it finds out; other pages ask now and then, and when they are looked at
// again. What a page asks by itself is no use of the session.

const SESSION = "/sign-in/session";
const EVERY = 60_000;
// The second header says so where the browser does not.
const HEADERS = { Accept: "application/json", "Keepclear-Open-Page": "1" };

const notice = document.getElementById("connection");
let hasTyped = false;

function say(text) {
  notice.textContent = text;
  notice.hidden = text === "";
}

function end(address) {
  // What is shown only once could not be read again.
  if (document.querySelector(".secret")) say(notice.dataset.shownOnce);
  // A form that is sent now comes back after signing in, so what was typed is not thrown away.
  else if (hasTyped) say(notice.dataset.over);
  else location.replace(address);
}

async function check() {
  if (document.hidden) return;
  try {
    const reply = await fetch(SESSION, { headers: HEADERS, credentials: "same-origin" });
    // The answer to a form may be at an address that has no page.
    const next = notice.dataset.next ?? location.pathname + location.search;
    if (reply.status === 401) end(`/sign-in?next=${encodeURIComponent(next)}`);
  } catch {
    // Without the service, nobody knows.
  }
}

addEventListener("input", (event) => {
  if (event.target.form?.method === "post") hasTyped = true;
});
document.addEventListener("session-over", (event) => end(event.detail));
document.addEventListener("connection-lost", () => say(notice.dataset.lost));
document.addEventListener("connection-back", () => say(""));
document.addEventListener("visibilitychange", check);
// A page that was kept for the back button.
addEventListener("pageshow", (event) => { if (event.persisted) check(); });
setInterval(check, EVERY);
