// Audits pages with Lighthouse, as it does by default: a phone with a slow processor and a slow connection. Prints as JSON the scores of
// each round, and what fell short. Standard input has {chromium, urls, cookie, rounds}.
import { readFileSync } from "node:fs";
import process from "node:process";
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";

const { chromium, urls, cookie, rounds } = JSON.parse(readFileSync(0, "utf8"));
const CATEGORIES = ["performance", "accessibility", "best-practices"];

async function audit(browser, url) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const [, name, value] = /^([^=]+)=(.*)$/.exec(cookie);
  await context.setCookie({ name, value, domain: new URL(url).hostname, path: "/", httpOnly: true });
  // The library reports nothing about itself; only its command line would ask whether it may.
  const { lhr } = await lighthouse(url, { logLevel: "error", onlyCategories: CATEGORIES }, undefined, page);
  await context.close();
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  if (lhr.finalDisplayedUrl !== url) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
  const scores = Object.fromEntries(CATEGORIES.map((id) => [id, Math.round(lhr.categories[id].score * 100)]));
  // Only audits with a weight count; the others are diagnostics.
  const short = (id) => lhr.categories[id].auditRefs.filter(({ id: audit, weight }) => weight > 0 && (lhr.audits[audit].score ?? 1) < 1);
  const fellShort = CATEGORIES.slice(1).flatMap((id) => short(id).map((reference) => reference.id));
  const metric = (id) => lhr.audits[id].numericValue;
  const metrics = {
    largest_ms: metric("largest-contentful-paint"), blocking_ms: metric("total-blocking-time"), shift: metric("cumulative-layout-shift"),
  };
  return { scores, metrics, fellShort, version: lhr.lighthouseVersion, warnings: lhr.runWarnings };
}

const browser = await puppeteer.launch({
  executablePath: chromium,
  args: [...(process.getuid() === 0 ? ["--no-sandbox"] : []), "--disable-component-update"],
});
try {
  const results = {};
  for (const url of urls) {
    results[url] = [];
    for (let round = 0; round < rounds; round += 1) results[url].push(await audit(browser, url));
  }
  process.stdout.write(JSON.stringify(results));
} finally {
  await browser.close();
}
