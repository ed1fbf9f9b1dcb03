// The columns of a schema as one editable grid: a cell that does not apply is grey, a missing one is red and named.

import { $, $$, h } from "./sfumato.js";

const USES = {
  integer: ["sum", "group", "both", "condition"],
  number: ["sum", "condition"],
  text: ["group", "condition"],
  boolean: ["group"],
  date: ["condition", "span"],
  timestamp: ["condition", "span"],
};
const numeric = ({ type }) => ["integer", "number"].includes(type);
const temporal = ({ type }) => ["date", "timestamp"].includes(type);
const keyed = ({ type }) => ["integer", "text"].includes(type);
const RANGE = /^(-?\d+)\s*(?:to|\.\.|–)\s*(-?\d+)$/i;
const WHOLE = /^[+-]?\d+$/;
const DAYS = { date: /^\d{4}-\d{2}-\d{2}$/, timestamp: /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$/ };
const isDay = (text) => /^\d{4}-\d{2}-\d{2}/.test(text);

export const fresh = ({ name, type, format = "" }) => ({ name, type, use: USES[type][0], format, low: "", high: "", unit: "", keys: "", label: "" });

// A type has uses of its own: another one begins with its first. Bounds of numbers are none of days.
export function fit(column) {
  for (const end of ["low", "high"]) if (temporal(column) !== isDay(column[end])) column[end] = "";
  if (column.use !== "unused" && !USES[column.type].includes(column.use)) column.use = USES[column.type][0];
  return column;
}

const summed = ({ use }) => ["sum", "both"].includes(use);
const grouped = (column) => keyed(column) && ["group", "both"].includes(column.use);
const spanned = (column) => temporal(column) && column.use === "span";
const bounded = (column) => spanned(column) || (numeric(column) && (summed(column) || grouped(column)));

// Keys in one line, separated by commas; a text with a comma stands in quotes.
export const split = (text) => [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,"][^,]*))\s*(?:,|$)/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain.trim()).filter((key) => key !== "");
export const joined = (keys) => keys.map((key) => (/[",]|^\s|\s$|^private$/i.test(key) ? `"${key.replaceAll('"', '""')}"` : key)).join(", ");

// As the schema has it.
export function columnTable(column, formats) {
  const stated = { type: column.type };
  if (formats.some((one) => one.format === column.format && one.types.includes(column.type))) stated.format = column.format;
  if (bounded(column) && (column.low !== "" || column.high !== "")) stated.bounds = [column.low, column.high].map((bound) => (bound === "" ? null : temporal(column) ? bound.trim() : Number(bound)));
  if (numeric(column) && column.unit?.trim()) stated.unit = column.unit.trim();
  if (!grouped(column) || column.keys.trim() === "") return stated;
  if (/^private$/i.test(column.keys.trim())) return { ...stated, keys: "private" };
  const range = column.type === "integer" && RANGE.exec(column.keys.trim());
  const keys = split(column.keys);
  return { ...stated, categories: range ? `${range[1]}..${range[2]}` : column.type === "integer" ? keys.map((key) => (WHOLE.test(key) ? Number(key) : key)) : keys };
}

// What is missing in a row, and in which cells.
export function standing(column, { states, most_listed }) {
  const state = (text, ...bad) => ({ text: states[text], bad, ready: !bad.length, kind: bad.length ? "over" : "ok" });
  if (column.use === "unused") return { ...state("unused"), kind: "" };
  const [low, high] = [column.low, column.high].map((bound) => (bound === "" ? null : temporal(column) ? bound : Number(bound)));
  if (bounded(column)) {
    if (low === null && high === null && spanned(column)) return state("span", "low", "high");
    const unread = ["low", "high"].filter((end) => spanned(column) && column[end] !== "" && !DAYS[column.type].test(column[end].trim()));
    if (unread.length) return state("day", ...unread);
    if (low === null && high === null && summed(column)) return state("bounds", "low", "high");
    if (low === null && high !== null) return state("low", "low");
    if (high === null && low !== null) return state("high", "high");
    if (low !== null && low >= high) return state("order", "low", "high");
    if (low !== null && column.type === "integer" && ![low, high].every(Number.isInteger)) return state("whole", "low", "high");
  }
  if (grouped(column)) {
    const keys = column.keys.trim();
    if (keys === "" && (column.type === "text" || low === null)) return state("keys", "keys");
    if (keys === "" && high - low >= most_listed) return state("many", "keys");
    if (keys !== "" && column.type === "integer" && !RANGE.test(keys) && !/^private$/i.test(keys) && !split(keys).every((key) => WHOLE.test(key))) return state("numbers", "keys");
  }
  return column.use === "condition" ? { ...state(numeric(column) ? "unbounded" : "condition"), kind: "" } : state("ready");
}

// In `place`: draws the rows of `columns`, which change as one types. `identifier` names the column of people.
export function grid(place, told, changed) {
  let columns = [];
  let identifier = null;
  const options = (pairs, chosen) => pairs.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  const cell = (label, control, kind = "") => h("td", { "data-l": label, class: kind || null }, control);
  const na = (text, kind = "") => h("td", { class: `na ${kind}`.trim() }, text);

  function row(column) {
    const names = column.name === identifier;
    const made = h("tr", { "data-column": column.name });
    const select = (label, field, pairs) => {
      const list = h("select", { class: "select", "aria-label": `${column.name} ${label}`, "data-field": field }, options(pairs, column[field]));
      list.addEventListener("change", () => {
        column[field] = list.value;
        again(fit(column), made, field);
      });
      return list;
    };
    const input = (label, field, attributes) => {
      const box = h("input", { class: "input", "aria-label": `${column.name} ${label}`, "data-field": field, value: column[field], autocomplete: "off", ...attributes });
      box.addEventListener("input", () => {
        column[field] = box.value;
        judge(column, made);
        changed();
      });
      return box;
    };
    const types = told.types.filter((type) => !names || type !== "number").map((type) => [type, type]);
    const uses = names ? [] : [...USES[column.type], "unused"].map((use) => [use, told.uses[use]]);
    const formats = told.formats.filter((one) => one.types.includes(column.type)).map((one) => [one.format, one.format]);
    const days = { placeholder: column.type === "date" ? "2025-12-31" : "2025-12-31 23:59", spellcheck: "false", class: "input num day" };
    const bound = (label, field) => input(label, field, temporal(column) ? days : { type: "number", step: "any", class: "input num" });
    const keys = input("group keys", "keys", { spellcheck: "false" });
    keys.addEventListener("paste", (event) => {
      const lines = event.clipboardData.getData("text").split(/[\r\n\t]+/).map((line) => line.trim()).filter(Boolean);
      if (lines.length < 2) return;
      event.preventDefault();
      keys.setRangeText(joined(lines), keys.selectionStart, keys.selectionEnd, "end");
      keys.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const on = !names && column.use !== "unused";
    made.append(
      h("td", { class: "check" }, h("input", { type: "checkbox", class: "chosen", "aria-label": `Select ${column.name}` })),
      h("th", { scope: "row" }, column.name, column.label ? h("small", {}, column.label) : null),
      cell("Type", select("type", "type", types)),
      names ? na(told.uses.identifies) : cell("Used for", select("used for", "use", uses)),
      on && formats.length ? cell("Format", select("format", "format", [["", "plain"], ...formats]), "fmt") : na("plain", "fmt"),
      on && bounded(column) ? cell("Lowest", bound("lowest", "low")) : na("none"),
      on && bounded(column) ? cell("Highest", bound("highest", "high")) : na("none"),
      on && numeric(column) ? cell("Unit", input("unit", "unit", { maxlength: 40, spellcheck: "false" }), "measured") : na("none", "measured"),
      on && grouped(column) ? cell("Group keys", keys) : na(on && column.type === "boolean" ? "false, true" : "not grouped"),
      h("td", { class: "state", "data-l": "State" }, h("span", { class: "pill" }), h("p", { class: "problem", role: "alert", hidden: true })),
    );
    judge(column, made);
    return made;
  }

  // The same row after its type or its use changed.
  function again(column, old, focus) {
    const now = row(column);
    $(".chosen", now).checked = $(".chosen", old).checked;
    old.replaceWith(now);
    $(`[data-field="${focus}"]`, now)?.focus();
    changed();
  }

  function judge(column, made) {
    const names = column.name === identifier;
    const { text, bad, kind } = names ? { text: told.uses.identifies, bad: [], kind: "ok" } : standing(column, told);
    const pill = $(".pill", made);
    pill.className = `pill ${kind}`;
    pill.textContent = `${{ ok: "✓ ", over: "! " }[kind] ?? ""}${text}`;
    const keys = $('[data-field="keys"]', made);
    const listed = column.type === "integer" && column.low !== "" && column.high !== "" && !bad.length;
    if (keys) keys.placeholder = listed ? `${column.low} to ${column.high}, from the bounds` : column.type === "integer" ? "1 to 6, a list, or private" : "a, b, c or private";
    for (const box of $$("[data-field]", made)) {
      const wrong = bad.includes(box.dataset.field);
      box.closest("td").classList.toggle("bad", wrong);
      if (wrong) box.setAttribute("aria-invalid", "true");
      else box.removeAttribute("aria-invalid");
    }
  }

  function draw(all, people) {
    [columns, identifier] = [all, people];
    const every = h("input", { type: "checkbox", "aria-label": "Select all columns" });
    every.addEventListener("change", () => $$(".chosen", place).forEach((box) => (box.checked = every.checked)));
    const heads = [["Column"], ["Type"], ["Used for"], ["Format", "fmt"], ["Lowest", "num"], ["Highest", "num"], ["Unit", "measured"], ["Group keys"], ["State"]];
    const head = h("tr", {}, h("th", { class: "check" }, every), heads.map(([text, kind]) => h("th", { scope: "col", class: kind ?? null }, text)));
    place.replaceChildren(h("table", { class: "sheet cards" }, h("thead", {}, head), h("tbody", {}, columns.map(row))));
  }

  const chosen = () => columns.filter((column) => $(`tr[data-column="${CSS.escape(column.name)}"] .chosen`, place)?.checked && column.name !== identifier);
  const waiting = () => columns.filter((column) => column.name !== identifier && !standing(column, told).ready);
  return { draw, chosen, waiting };
}
