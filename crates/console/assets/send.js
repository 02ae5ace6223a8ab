// Sends a form that creates something, or that carries a password, once: with a second click the browser would drop the answer to the first.
const guarded = "input[name=_once], input[type=password]";
// Where the page stays, for example because the network failed, the form can be sent again after this time.
const restMs = 10_000;
const sent = new Set();
const held = new Set();

// The buttons are disabled when the form has been read, because what a disabled button says is not sent.
function hold(form) {
  for (const button of form.querySelectorAll("button:enabled")) {
    button.disabled = true;
    held.add(button);
  }
}

function release() {
  for (const button of held) button.disabled = false;
  held.clear();
  sent.clear();
}

addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !form.querySelector(guarded)) return;
  if (sent.has(form)) {
    event.preventDefault();
    return;
  }
  sent.add(form);
  setTimeout(hold, 0, form);
  setTimeout(release, restMs);
});

// A page that the browser takes out of its memory, after "back", is as it was left.
addEventListener("pageshow", (event) => {
  if (event.persisted) release();
});
