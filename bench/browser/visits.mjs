// Visits the overview with Chromium and prints as JSON what that costs: the bytes of a first and a later visit, how much the page shifts
// while it loads, and when it is usable over a slow connection. Standard input has {chromium, url, cookie, rounds}.
import { readFileSync } from "node:fs";
import process from "node:process";
import puppeteer from "puppeteer-core";

const { chromium, url, cookie, rounds } = JSON.parse(readFileSync(0, "utf8"));
const WINDOWS = { phone: { width: 360, height: 740 }, tablet: { width: 768, height: 1024 }, desktop: { width: 1440, height: 900 } };
// Bytes a second and milliseconds.
const SLOW = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const QUIET_MS = 1_000;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Runs in the page before anything else.
function observe() {
  const seen = { shift: 0, largest: 0, element: "" };
  globalThis.seenByBench = seen;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) [seen.largest, seen.element] = [entry.startTime, entry.element?.localName ?? ""];
  }).observe({ type: "largest-contentful-paint", buffered: true });
}

// Bytes on the wire, with headers, of each request. The live stream never finishes: what it has sent so far counts.
class Wire {
  constructor(session) {
    this.session = session;
    this.requests = new Map();
    this.lastAt = Date.now();
    const change = (id, set) => {
      const request = this.requests.get(id);
      if (request && request.type !== "EventSource") this.lastAt = Date.now();
      if (request) set(request);
    };
    session.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
      this.lastAt = Date.now();
      this.requests.set(requestId, { path: new URL(request.url).pathname, type, bytes: 0, status: 0, isDone: false });
    });
    session.on("Network.responseReceived", ({ requestId, response }) =>
      change(requestId, (request) => {
        request.status = response.status;
        request.bytes = Math.max(request.bytes, response.encodedDataLength);
      }));
    session.on("Network.dataReceived", ({ requestId, encodedDataLength }) =>
      change(requestId, (request) => { request.bytes += encodedDataLength; }));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
      change(requestId, (request) => Object.assign(request, { bytes: encodedDataLength, isDone: true })));
    session.on("Network.loadingFailed", ({ requestId, errorText }) =>
      change(requestId, (request) => Object.assign(request, { failed: errorText, isDone: true })));
  }

  async settle() {
    while (Date.now() - this.lastAt < QUIET_MS || [...this.requests.values()].some((it) => !it.isDone && it.type !== "EventSource")) {
      await sleep(50);
    }
  }

  take() {
    const taken = [...this.requests.values()];
    this.requests.clear();
    return taken;
  }
}

async function open(browser, window) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(window);
  const [, name, value] = /^([^=]+)=(.*)$/.exec(cookie);
  await context.setCookie({ name, value, domain: new URL(url).hostname, path: "/", httpOnly: true });
  await page.evaluateOnNewDocument(observe);
  const session = await page.createCDPSession();
  await session.send("Network.enable");
  return { context, page, session, wire: new Wire(session) };
}

async function visit({ page, wire }) {
  const response = await page.goto(url, { waitUntil: "load", timeout: 60_000 });
  if (response.status() !== 200 || page.url() !== url) throw new Error(`${response.status()} at ${page.url()}`);
  const times = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation");
    return { response: navigation.responseEnd, scripts: navigation.domContentLoadedEventEnd, load: navigation.loadEventEnd };
  });
  await wire.settle();
  // Painted before anything was scrolled.
  const { largest, element } = await page.evaluate(() => globalThis.seenByBench);
  // Charts below the window are loaded when they come near.
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await sleep(200);
  await wire.settle();
  const { shift } = await page.evaluate(() => globalThis.seenByBench);
  const requests = wire.take();
  const failed = requests.filter((request) => request.failed || request.status >= 400);
  return { ...times, largest, element, shift, requests, failed };
}

const browser = await puppeteer.launch({
  executablePath: chromium,
  args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-component-update", "--disable-quic"],
});
try {
  const result = { browser: await browser.version(), shifts: {}, slow: {} };
  for (const [name, window] of Object.entries(WINDOWS)) {
    const opened = await open(browser, window);
    const first = await visit(opened);
    result.shifts[name] = [first.shift];
    if (name === "desktop") {
      await opened.page.goto("about:blank");
      opened.wire.take();
      Object.assign(result, { first, later: await visit(opened) });
    }
    await opened.context.close();
    result.slow[name] = [];
    for (let round = 0; round < rounds; round += 1) {
      const slow = await open(browser, window);
      await slow.session.send("Network.emulateNetworkConditions", SLOW);
      const seen = await visit(slow);
      // The start of the response is noted before it is delayed.
      if (seen.response < SLOW.latency) throw new Error(`Chromium did not slow the connection down: ${seen.response} ms`);
      result.shifts[name].push(seen.shift);
      result.slow[name].push({ usable: Math.max(seen.largest, seen.scripts), load: seen.load, element: seen.element });
      await slow.context.close();
    }
  }
  process.stdout.write(JSON.stringify(result));
} finally {
  await browser.close();
}
