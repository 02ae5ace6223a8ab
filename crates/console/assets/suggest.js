// Suggests names while part of one is written, in the browser's own list. Without it, the server asks back if several are meant.
const PAUSE_MS = 200;

function attach(input) {
  const list = document.createElement("datalist");
  list.id = `${input.id}-names`;
  input.after(list);
  input.setAttribute("list", list.id);
  let timer = 0;
  let asked = "";

  async function ask() {
    const text = input.value.trim();
    if (text === asked) return;
    asked = text;
    if (text === "") {
      list.replaceChildren();
      return;
    }
    const address = new URL(input.dataset.suggest, location.href);
    address.searchParams.set("q", text);
    try {
      const reply = await fetch(address, { headers: { Accept: "application/json" }, credentials: "same-origin" });
      const names = reply.ok ? await reply.json() : [];
      // More was written meanwhile.
      if (asked !== text) return;
      list.replaceChildren(...names.map(({ name, detail }) => new Option(detail ?? "", name)));
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
