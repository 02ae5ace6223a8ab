// Suggests names while part of one is written, in the browser's own list. Without it, the server asks back if several are meant.
const PAUSE_MS = 200;

// Some browsers show and filter by the label alone.
const labelOf = (name, detail) => (detail ? `${name} (${detail})` : name);

function attach(input) {
  const list = document.createElement("datalist");
  list.id = `${input.id}-names`;
  input.after(list);
  input.setAttribute("list", list.id);
  let timer = 0;
  let asked = "";
  let request = new AbortController();

  async function ask() {
    const text = input.value.trim();
    if (text === asked) return;
    asked = text;
    // Nobody reads what fits less.
    request.abort();
    request = new AbortController();
    if (text === "") {
      list.replaceChildren();
      return;
    }
    const address = new URL(input.dataset.suggest, location.href);
    address.searchParams.set("q", text);
    const options = { headers: { Accept: "application/json" }, credentials: "same-origin", signal: request.signal };
    try {
      const reply = await fetch(address, options);
      const names = reply.ok ? await reply.json() : [];
      // More was written meanwhile.
      if (asked !== text) return;
      list.replaceChildren(...names.map(({ name, detail }) => new Option(labelOf(name, detail), name)));
    } catch {
      // Without suggestions the field works all the same.
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE_MS);
  });
}

for (const input of document.querySelectorAll("input[data-suggest]")) attach(input);
