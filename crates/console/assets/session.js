// Says that the service cannot be reached, and leaves the page when its session has ended: names and numbers must not stay on the screen of
// somebody who has signed out in another tab. live.js reports what it finds out; other pages ask when they are looked at again. They do not
// ask by themselves: each request is use of the session, and a page that nobody looks at must not keep it alive.

const SESSION = "/api/v1/session";

const notice = document.getElementById("connection");
let hasTyped = false;

function say(text) {
  notice.textContent = text;
  notice.hidden = text === "";
}

function end(address) {
  // A form that is sent now comes back after signing in, so what was typed is not thrown away.
  if (hasTyped) say(notice.dataset.over);
  else location.replace(address);
}

async function check() {
  if (document.hidden) return;
  try {
    const reply = await fetch(SESSION, { headers: { Accept: "application/json" }, credentials: "same-origin" });
    if (reply.status === 401) end(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
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
