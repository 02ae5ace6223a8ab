// Shows the buttons that copy a text, which need script.
for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.textContent.trim());
    if (button.dataset.copied) button.textContent = button.dataset.copied;
  });
}
