// Comfort for the form of a pivot. Places for further rows appear when the one before is taken, a dimension that is used cannot be chosen
// twice, rows and columns can be swapped, and empty fields stay out of the address. Without it the form works all the same.

const form = document.querySelector("form[data-pivot]");

if (form) {
  const places = ["row1", "row2", "row3", "row4", "column1", "column2"].map((name) => form.elements.namedItem(name));
  const selects = places.filter((place) => place instanceof HTMLSelectElement);
  const named = (name) => selects.find((select) => select.name === name);
  const fieldOf = (select) => select.closest(".field") ?? select;

  const arrange = () => {
    const used = new Map(selects.filter((select) => select.value !== "").map((select) => [select.value, select]));
    for (const select of selects) {
      for (const option of select.options) {
        option.disabled = option.value !== "" && used.has(option.value) && used.get(option.value) !== select;
      }
    }
    for (const [before, after] of [["row1", "row2"], ["row2", "row3"], ["row3", "row4"], ["column1", "column2"]]) {
      const [first, second] = [named(before), named(after)];
      if (first && second) fieldOf(second).hidden = first.value === "" && second.value === "";
    }
  };

  // Dimensions move up, so that no place is left empty in between.
  const close = (names) => {
    const fields = names.map(named).filter(Boolean);
    const values = fields.map((select) => select.value).filter((value) => value !== "");
    fields.forEach((select, index) => { select.value = values[index] ?? ""; });
  };

  const swap = form.querySelector("button[data-swap]");
  if (swap) {
    swap.hidden = false;
    swap.addEventListener("click", () => {
      for (const [row, column] of [["row1", "column1"], ["row2", "column2"]]) {
        const [one, other] = [named(row), named(column)];
        if (one && other) [one.value, other.value] = [other.value, one.value];
      }
      close(["row1", "row2", "row3", "row4"]);
      close(["column1", "column2"]);
      arrange();
    });
  }

  form.addEventListener("change", arrange);
  form.addEventListener("submit", () => {
    const blank = Array.from(form.elements).filter((field) => field.name && field.value === "" && !field.disabled);
    for (const field of blank) field.disabled = true;
    // The page may be shown again from the browser's memory, where the fields are needed.
    setTimeout(() => { for (const field of blank) field.disabled = false; });
  });
  addEventListener("pageshow", arrange);
  arrange();
}
