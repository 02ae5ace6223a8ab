// Keys that lead to the search of a page (/) and close the menus (Escape).
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest?.("input, select, textarea");
  if (event.key === "/" && !isTyping) {
    const search = document.querySelector("form[role=search] input:not([type=hidden])");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  } else if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  }
});
