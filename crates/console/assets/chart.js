// Shows what is under the pointer on a chart. The picture says it itself: each of its marks has a title. A bar of a trend leads to the row
// of the table of numbers, which is also the form for keyboards and screen readers.

const SVG = "http://www.w3.org/2000/svg";
const MAX_LINES = 4;

function numbers(mark, names) {
  return names.map((name) => Number.parseFloat(mark.getAttribute(name) ?? ""));
}

// Returns the box of a mark, as far as it is known without drawing it.
function boxOf(mark) {
  if (mark.localName === "rect") {
    const [x, y, width, height] = numbers(mark, ["x", "y", "width", "height"]);
    return { left: x, top: y, right: x + width, bottom: y + height };
  }
  if (mark.localName === "circle") {
    const [x, y, r] = numbers(mark, ["cx", "cy", "r"]);
    return { left: x - r, top: y - r, right: x + r, bottom: y + r };
  }
  if (mark.localName !== "path") return null;
  const d = mark.getAttribute("d") ?? "";
  // Curves and relative steps would need to be drawn.
  if (!/^[MLZ\d\s.,-]*$/.test(d)) return null;
  const all = (d.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const [xs, ys] = [all.filter((_, i) => i % 2 === 0), all.filter((_, i) => i % 2 === 1)];
  if (xs.length === 0 || ys.length === 0) return null;
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

async function read(address) {
  const reply = await fetch(address, { headers: { Accept: "image/svg+xml" }, credentials: "same-origin" });
  if (!reply.ok) return null;
  // Only the marks and their titles are read; parsing its style would break the page's rules for contents.
  const text = (await reply.text()).replaceAll(/<style[^]*?<\/style>/g, "");
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const size = (root.getAttribute("viewBox") ?? "").split(" ").map(Number);
  if (root.localName !== "svg" || size.length !== 4) return null;
  const marks = [];
  for (const title of root.getElementsByTagNameNS(SVG, "title")) {
    const mark = title.parentElement;
    const box = mark && mark !== root ? boxOf(mark) : null;
    if (box) marks.push({ box, text: title.textContent ?? "", isBar: mark.localName === "rect" });
  }
  return { width: size[2], height: size[3], marks };
}

// Returns the mark at a place, or else those above and below it.
function under(chart, x, y) {
  const beside = chart.marks.filter(({ box }) => box.left <= x && x <= box.right);
  const exact = beside.filter(({ box }) => box.top <= y && y <= box.bottom);
  return (exact.length > 0 ? exact : beside).slice(0, MAX_LINES);
}

// Returns the link of the row that belongs to a bar, if each row has a bar.
function linkOf(panel, chart, marks) {
  const bar = marks.find((mark) => mark.isBar);
  const rows = panel.querySelectorAll("details.numbers tbody tr");
  if (!bar || rows.length === 0) return null;
  const lefts = chart.marks.filter((mark) => mark.isBar).map((mark) => mark.box.left);
  const steps = [...new Set(lefts)].sort((a, b) => a - b);
  if (steps.length !== rows.length) return null;
  return rows[steps.indexOf(bar.box.left)].querySelector("a[href]");
}

function attach(panel, image) {
  const tip = document.createElement("div");
  tip.className = "tip";
  // Styles of elements are allowed when they are set by script, and the numbers are read out from the table.
  Object.assign(tip.style, {
    position: "fixed", zIndex: "3", pointerEvents: "none", maxWidth: "280px", padding: "4px 8px", fontSize: "12px",
    color: "var(--text)", background: "var(--panel)", border: "1px solid var(--line)", borderRadius: "4px",
    whiteSpace: "pre-line",
  });
  tip.setAttribute("aria-hidden", "true");
  tip.hidden = true;
  document.body.append(tip);
  let address = "";
  let chart = null;

  async function load() {
    if (address === image.currentSrc) return;
    address = image.currentSrc;
    chart = null;
    try {
      chart = await read(address);
    } catch {
      // Without the titles the picture is as good as before.
    }
  }

  function marksAt(event) {
    const shown = image.getBoundingClientRect();
    if (!chart || shown.width === 0 || shown.height === 0) return [];
    const x = (event.clientX - shown.left) / shown.width * chart.width;
    const y = (event.clientY - shown.top) / shown.height * chart.height;
    return under(chart, x, y);
  }

  function show(event) {
    load();
    const marks = marksAt(event);
    tip.hidden = marks.length === 0;
    image.style.cursor = chart && linkOf(panel, chart, marks) ? "pointer" : "";
    if (tip.hidden) return;
    tip.textContent = marks.map((mark) => mark.text).join("\n");
    const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
    const top = event.clientY + 16 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : event.clientY + 16;
    tip.style.left = `${Math.max(left, 8)}px`;
    tip.style.top = `${top}px`;
  }

  image.addEventListener("pointerenter", show);
  image.addEventListener("pointermove", show);
  image.addEventListener("pointerleave", () => { tip.hidden = true; });
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  image.addEventListener("click", (event) => {
    const link = chart ? linkOf(panel, chart, marksAt(event)) : null;
    if (link) link.click();
  });
}

for (const panel of document.querySelectorAll("[data-chart]")) {
  for (const image of panel.querySelectorAll("img")) attach(panel, image);
}
