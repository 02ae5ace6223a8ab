// Keys of the page of an incursion: n and p go to the next and the previous one, c, d, f and u press the buttons of the review, ? shows the
// keys. They do nothing while something is typed.

const isTyping = (target) =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable], video") !== null;

const form = document.querySelector("form[data-review]");

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape" && isTyping(event.target)) return event.target.blur();
  if (isTyping(event.target)) return;
  if (event.key === "?") {
    const help = document.querySelector("details[data-keys]");
    if (help) help.open = !help.open;
    return;
  }
  if (!/^[a-z]$/.test(event.key)) return;
  const found = document.querySelector(`[data-key="${event.key}"]`);
  if (!found) return;
  event.preventDefault();
  if (found instanceof HTMLButtonElement && form) form.requestSubmit(found);
  else found.click();
});

// A second click while the first is on its way would review nothing new.
if (form) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => { delete form.dataset.sent; });
}
