// Counts on how long each visitor has been on site, from what the server wrote when it made the page.
const language = document.documentElement.lang;
const opened = performance.now();
const amount = (number, unit) => `${number.toLocaleString(language)}\u00a0${unit}`;
const both = (larger, smaller) => (smaller[0] < 1 ? amount(...larger) : `${amount(...larger)} ${amount(...smaller)}`);

function written(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return amount(Math.floor(seconds), "s");
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 1) return amount(minutes, "min");
  if (hours >= 48) return both([Math.floor(hours / 24), "d"], [hours % 24, "h"]);
  return both([hours, "h"], [rest, "min"]);
}

function countOn() {
  const passed = (performance.now() - opened) / 1000;
  for (const element of document.querySelectorAll("[data-stay]")) {
    element.textContent = written(Number(element.dataset.stay) + passed);
  }
}

setInterval(countOn, 10_000);
// A tablet that slept shows the right time at once.
document.addEventListener("visibilitychange", countOn);
