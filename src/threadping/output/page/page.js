"use strict";
// Sorting and copying; the page is whole without it.
const SCALES = {ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1, k: 1e3, M: 1e6, G: 1e9, "%": 1e-2};
const valueOf = (cell) => {
  const found = /^[^\d\-–]*(-?[\d,]*\.?\d+)\s*(ns|µs|ms|s\b|k\b|M\b|G\b|%)?/.exec(cell.textContent.trim());
  return found ? Number(found[1].replaceAll(",", "")) * (SCALES[found[2]] ?? 1) : NaN;
};
const compare = (a, b) => (isNaN(a) || isNaN(b) ? isNaN(a) - isNaN(b) : a - b);
function sort(table, head, place) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const cell = (row) => row.cells[place];
  const [body, names] = [table.tBodies[0], head.classList.contains("n") && head.textContent !== "#"];
  const order = (a, b) => (names ? cell(a).textContent.localeCompare(cell(b).textContent) : compare(valueOf(cell(a)), valueOf(cell(b))));
  const [rows, without] = [[], []];
  for (const row of body.rows) {
    row.classList.remove("gap");
    (row.querySelector("[colspan]") ? without : rows).push(row);
  }
  body.append(...rows.sort((a, b) => (down ? order(b, a) : order(a, b))), ...without);
}
function copying(beside, text, what) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = what;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "copied";
    } catch {
      button.textContent = "not allowed here";
    }
    setTimeout(() => { button.textContent = what; }, 1500);
  };
  beside.after(button);
}
for (const table of document.querySelectorAll("table:has(thead)")) {
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.onclick = () => sort(table, head, place);
    head.append(button);
  });
  const text = () => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()).join("\t")).join("\n");
  copying(table.parentNode, text, "copy table");
}
for (const command of document.querySelectorAll(".command")) copying(command, () => command.textContent, "copy");
