// Says that the service cannot be reached, and leaves the page when its session has ended: names and numbers must not stay on the screen of
// somebody who has signed out in another tab, and not at all in front of somebody else who has signed in there. live.js reports what it
// finds out; other pages ask now and then, and when they are looked at again. What a page asks by itself is no use of the session.

const SESSION = "/sign-in/session";
const EVERY = 60_000;
// The second header says so where the browser does not.
const HEADERS = { Accept: "application/json", "Keepclear-Open-Page": "1" };

const notice = document.getElementById("connection");
const title = document.title;
// The answer to a form holds what was sent: with its faults, with a question for a proof, or as it came back after signing in.
let hasWork = "next" in notice.dataset && document.querySelector("main form[method=post] [name]") !== null;
// Whether the page has stayed although its reader is no longer signed in.
let isLeftOver = false;
// What was taken out of the document while somebody else is signed in, each with the mark of its place.
let kept = [];

function say(text) {
  // Screen readers may read out what is written again.
  if (notice.textContent === text) return;
  notice.textContent = text;
  notice.hidden = text === "";
}

const isCovered = () => kept.length > 0;
const isShownOnce = () => document.querySelector(".secret") !== null;

// The answer to a form may be at an address that has no page.
const ownPage = () => notice.dataset.next ?? location.pathname + location.search;

function stay(text) {
  isLeftOver = true;
  say(text);
}

function end(address) {
  // Whoever has signed out again was somebody else.
  if (isCovered()) return;
  // What is shown only once could not be read again.
  if (isShownOnce()) stay(notice.dataset.shownOnce);
  // A form that is sent now comes back after signing in, so what was entered is not thrown away.
  else if (hasWork) stay(notice.dataset.over);
  else location.replace(address);
}

// Passwords and codes can be typed again. The rest must be gone from the document, where the tools of every browser show what is hidden.
function takeAway() {
  for (const field of document.querySelectorAll("input[type=password], [autocomplete=one-time-code]")) field.value = "";
  for (const element of document.querySelectorAll("body > :not(main, script), main > :not(#connection)")) {
    const place = document.createComment("");
    element.replaceWith(place);
    kept.push([place, element]);
  }
}

function bringBack() {
  for (const [place, element] of kept) place.replaceWith(element);
  kept = [];
}

// Somebody else has signed in: they get the page as they may see it. What would be lost is kept out of their reach, and cannot be sent in
// their name.
function giveWay() {
  if (isCovered()) return;
  if (!isShownOnce() && !hasWork) return location.replace(ownPage());
  takeAway();
  document.title = "Keepclear";
  stay(notice.dataset.somebodyElse);
}

// The reader has signed in again, in another tab.
function goOn() {
  if (!isLeftOver) return;
  isLeftOver = false;
  bringBack();
  document.title = title;
  say("");
  document.dispatchEvent(new CustomEvent("session-back"));
}

async function check() {
  if (document.hidden) return;
  try {
    const reply = await fetch(SESSION, { headers: HEADERS, credentials: "same-origin" });
    if (reply.status === 401) return end(`/sign-in?next=${encodeURIComponent(ownPage())}`);
    if (!reply.ok) return;
    const { user_id: user } = await reply.json();
    if (String(user) === notice.dataset.user) goOn();
    else giveWay();
  } catch {
    // Without the service, nobody knows.
  }
}

addEventListener("input", (event) => {
  if (event.target.form?.method === "post") hasWork = true;
});
// Keys would lead to other pages, and away from what is kept.
addEventListener("keydown", (event) => { if (isCovered()) event.stopImmediatePropagation(); }, true);
document.addEventListener("session-over", (event) => end(event.detail));
document.addEventListener("somebody-else", giveWay);
document.addEventListener("connection-lost", () => { if (!isLeftOver) say(notice.dataset.lost); });
document.addEventListener("connection-back", () => { if (!isLeftOver) say(""); });
document.addEventListener("visibilitychange", check);
// A page that was kept for the back button.
addEventListener("pageshow", (event) => { if (event.persisted) check(); });
setInterval(check, EVERY);
