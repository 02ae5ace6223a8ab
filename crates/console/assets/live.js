// Keeps the numbers of a page current. One stream of events, held only while the tab is visible, says that something changed; the page is
// then fetched again and what carries data-live is replaced where it differs. Nothing else on the page moves.

const STREAM = "/api/v1/stream";
const EVENTS = ["facts", "alerts", "devices", "progress"];
// The least time in milliseconds between two fetches that events cause. Regions that show how far work is ask for the shorter one.
const WAIT = 30_000;
const WAIT_FOR_PROGRESS = 3_000;
// After the stream was lost, for example with a host, all readers look again, spread over this time: others have to answer them.
const SPREAD_AFTER_LOSS = 10_000;
// What a region says about when to look again. It may change with every fetch.
// One that is not on the page any more is removed if it has data-live-ends, and stays as it is otherwise.
const TIMINGS = ["data-live-every", "data-live-progress"];
const LONGEST_RETRY = 300_000;
const MARKED = 2_000;

let source = null;
let timer = 0;
let due = Infinity;
let fetchedAt = performance.now();
let retry = 30_000;
let isFetching = false;
// Whether the stream was there and is not.
let isInterrupted = false;
let isOver = false;

function plan(wait, spread = wait * 0.2) {
  if (isOver) return;
  // Spread, so that many readers do not ask at the same moment.
  const at = Math.max(fetchedAt + wait, performance.now()) + Math.random() * spread;
  if (timer !== 0 && at >= due) return;
  clearTimeout(timer);
  due = at;
  timer = setTimeout(refresh, at - performance.now());
}

async function refresh() {
  timer = 0;
  due = Infinity;
  if (document.hidden || isFetching) return;
  isFetching = true;
  try {
    const headers = { Accept: "text/html", "Keepclear-Open-Page": "1" };
    const reply = await fetch(location.href, { headers, credentials: "same-origin" });
    if (reply.redirected && new URL(reply.url).pathname === "/sign-in") return leave("session-over", reply.url);
    // The page is gone, or something is due first: the reader finds out with the next click.
    if (reply.redirected || reply.status === 404) return close();
    if (reply.status >= 500) return lose();
    if (!reply.ok) return;
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (readerOf(fresh) !== readerOf(document)) return leave("somebody-else");
    replace(fresh);
    tell("connection-back");
  } catch {
    lose();
  } finally {
    isFetching = false;
    fetchedAt = performance.now();
    poll();
  }
}

// What concerns the whole page is said by session.js.
function tell(what, detail) {
  document.dispatchEvent(new CustomEvent(what, { detail }));
}

const readerOf = (page) => page.getElementById("connection")?.dataset.user;

// The reader is no longer signed in.
function leave(what, detail) {
  isOver = true;
  close();
  tell(what, detail);
}

// The service cannot be reached, or fails: what is shown gets old. It is asked again until it answers.
function lose() {
  tell("connection-lost");
  fetchedAt = performance.now();
  plan(WAIT);
}

// A region may wait for something that no event tells, such as a video that is on its way; it says after how many seconds to look again.
function poll() {
  const waiting = document.querySelector("[data-live-every]");
  if (waiting && !document.hidden) plan(Number(waiting.dataset.liveEvery) * 1_000);
}

// What the reader is using stays: what has the focus, and a video that plays.
function isInUse(region) {
  if (region !== document.activeElement && region.contains(document.activeElement)) return true;
  return Array.from(region.querySelectorAll("video")).some((video) => !video.paused && !video.ended);
}

function replace(fresh) {
  let changed = false;
  for (const old of document.querySelectorAll("[data-live]")) {
    const found = fresh.querySelector(`[data-live="${CSS.escape(old.dataset.live)}"]`);
    if (!found) {
      // What it told of has ended.
      if (old.hasAttribute("data-live-ends")) old.remove();
      continue;
    }
    for (const name of TIMINGS) {
      if (found.hasAttribute(name)) old.setAttribute(name, found.getAttribute(name));
      else old.removeAttribute(name);
    }
    if (found.innerHTML === old.innerHTML || isInUse(old)) continue;
    if (old.hasAttribute("href") && found.hasAttribute("href")) old.href = found.getAttribute("href");
    old.replaceChildren(...Array.from(found.childNodes, (node) => document.importNode(node, true)));
    mark(old);
    changed = changed || old.dataset.live !== "fresh";
  }
  if (changed) redraw();
}

function mark(element) {
  element.classList.add("changed");
  setTimeout(() => element.classList.remove("changed"), MARKED);
}

// Another fragment makes the browser ask for the picture again; the old one stays until the new one has come.
function redraw() {
  const stamp = `#${Math.round(performance.now())}`;
  const again = (address) => address.replace(/#.*$/, "") + stamp;
  for (const picture of document.querySelectorAll("[data-chart] picture")) {
    for (const choice of picture.querySelectorAll("source")) choice.srcset = again(choice.srcset);
    const image = picture.querySelector("img");
    if (image) image.src = again(image.getAttribute("src"));
  }
}

// One's own work changes every second while it runs. Only a page that shows it is fetched so often.
function waitAfter(kind) {
  return kind === "progress" && document.querySelector("[data-live-progress]") ? WAIT_FOR_PROGRESS : WAIT;
}

// One look is enough, whether it was planned when the stream was lost or when it is back.
function planAfterLoss() {
  if (timer === 0 || due > performance.now() + SPREAD_AFTER_LOSS) plan(WAIT_FOR_PROGRESS, SPREAD_AFTER_LOSS);
}

function open() {
  if (source || document.hidden || isOver) return;
  source = new EventSource(STREAM);
  for (const kind of EVENTS) source.addEventListener(kind, () => plan(waitAfter(kind)));
  source.addEventListener("open", () => {
    retry = 30_000;
    // What happened while there was no stream was not sent.
    if (isInterrupted) planAfterLoss();
    isInterrupted = false;
  });
  source.addEventListener("error", () => {
    if (!source) return;
    // The session may have ended, or the service be away: the page itself tells which. While the browser tries again by itself, it is asked
    // once.
    const isRefused = source.readyState === EventSource.CLOSED;
    if (isRefused || !isInterrupted) planAfterLoss();
    isInterrupted = true;
    if (!isRefused) return;
    // The service refused it, for example because too many are open.
    source = null;
    setTimeout(open, retry);
    retry = Math.min(retry * 2, LONGEST_RETRY);
  });
}

function close() {
  if (source) source.close();
  source = null;
  clearTimeout(timer);
  timer = 0;
  due = Infinity;
}

if (document.querySelector("[data-live]")) {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return close();
    open();
    plan(WAIT);
    poll();
  });
  // A page that has stayed, and whose reader has signed in again.
  document.addEventListener("session-back", () => {
    isOver = false;
    open();
    plan(0);
  });
  // A page that is kept for the back button must not hold a stream.
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) { open(); plan(0); } });
  open();
  poll();
}
