// Five steps on one page. What is typed stays in memory, and in a draft without the file until the browser is closed.

import { codebookOf, fill as fillIn, read as codebook } from "./codebook.js";
import { columnTable, fit, fresh, grid, joined, split } from "./columns_grid.js";
import { columnsOf } from "./file_columns.js";
import { forForm, listen, read, showAt } from "./policy_form.js";
import { $, $$, Problem, at, asks, busy, call, facts, h, number, opened, quiet, say, show, table, upload } from "./sfumato.js";

const told = facts();
const DRAFT = `register grid ${told.person}`;
const LAST = 5;
const steps = $$(".step");
const policyForm = $("#step-4");
const state = { file: null, columns: [], reached: 1, checked: null, policy: null, done: [], name: "" };

// ----------------------------------------------------------------------------------------------- walking

const stepOf = (hash) => Number(/^#step-([1-5])$/.exec(hash)?.[1] ?? 1);

function turn(number, focus = true) {
  const to = Math.min(number, state.reached);
  steps.forEach((step, i) => (step.hidden = i + 1 !== to));
  $$("#steps li").forEach((item, i) => {
    item.toggleAttribute("data-done", i + 1 < state.reached);
    if (i + 1 === to) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    const link = $("a", item);
    if (i + 1 > state.reached) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  });
  if (to === 2) offerColumns();
  if (to === 3) drawColumns();
  if (to === 4) offerLimits();
  if (to === LAST) $("#file-again").hidden = state.file !== null || state.done.includes("data");
  if (focus) $(`#heading-${to}`).focus();
}

function go(number) {
  state.reached = Math.max(state.reached, number);
  keep();
  history.pushState(null, "", `#step-${number}`);
  turn(number);
}

addEventListener("popstate", () => turn(stepOf(location.hash)));
for (const link of $$("#steps a")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const number = stepOf(link.hash);
    if (number <= state.reached) go(number);
  });
}
for (const back of $$(".back")) back.addEventListener("click", () => go(stepOf(`#${back.closest(".step").id}`) - 1));

// ------------------------------------------------------------------------------------------------- draft

function keep() {
  const typed = steps.map((step) => [...step.elements].filter((one) => one.name && one.type !== "file" && !one.closest("#columns")).map(entered));
  const { columns, reached, done, name } = state;
  sessionStorage.setItem(DRAFT, JSON.stringify({ columns, reached, done, name, typed }));
}

const entered = (one) => [one.name, one.value, ["checkbox", "radio"].includes(one.type) ? one.checked : null];

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(DRAFT) ?? "null");
  if (!kept) return;
  Object.assign(state, { columns: kept.columns, reached: Math.min(kept.reached, 4), done: kept.done, name: kept.name });
  offerColumns();
  offerLimits();
  kept.typed.forEach((fields, i) => {
    for (const [name, value, checked] of fields) {
      const those = [...steps[i].elements].filter((one) => one.name === name);
      const one = checked === null ? those[0] : those.find((each) => each.value === value);
      if (!one) continue;
      if (checked === null) one.value = value;
      else one.checked = checked;
    }
  });
  policyForm.dispatchEvent(new Event("filled"));
  $("#draft").hidden = false;
  if (kept.done.includes("data")) {
    const policy = h("a", { href: `/datasets${at(kept.name)}/policy` }, "write its policy");
    $("#draft").prepend(`${kept.name} is registered and its data is delivered: `, policy, ". ");
  }
}

$("#anew").addEventListener("click", () => {
  sessionStorage.removeItem(DRAFT);
  location.assign("/register");
});
document.addEventListener("change", keep);
document.addEventListener("input", ({ target }) => {
  const place = target.closest("[data-place], [data-column]");
  if (place) quiet(place);
});

// ------------------------------------------------------------------------------------------- 1 the file

const fault = (detail) => new Problem({ detail: detail.replace(/\.$/, ""), hint: "", where: "" });
const place = (name, within = document) => $(`[data-place="${name}"]`, within);

async function take(file, where) {
  quiet(where);
  state.file = null;
  try {
    if (file.size > told.data_bytes) throw new Error(`This file has ${size(file.size)}; at most ${size(told.data_bytes)} can be delivered.`);
    const found = await columnsOf(file);
    const before = state.columns.map((column) => column.name).join("\n");
    if (found.map((column) => column.name).join("\n") !== before) {
      if (where.dataset.place === "redraw") throw new Error("The columns of this file differ from those of your draft. Choose it in the first step instead.");
      state.columns = found.map(fresh);
      state.reached = 1;
    }
    state.file = file;
    $("#draft").hidden = true;
    return true;
  } catch (error) {
    show(fault(error.message), where);
    return false;
  }
}

$("#file").addEventListener("change", async () => {
  const [file] = $("#file").files;
  if (!file || !(await take(file, place("file")))) return;
  previewed();
  const suggested = file.name.replace(/\.[^.]*$/, "");
  if (!$("#name").value) $("#name").value = suggested.toLowerCase().replace(/[^a-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
  if (!$("#title").value) $("#title").value = suggested;
  turn(1, false);
  keep();
});

// Names and types only: a value of the file would be a look.
function previewed() {
  $("#file-read").textContent = `${number(state.columns.length)} columns: ${state.columns.map((column) => column.name).join(", ")}`;
  $("#preview").replaceChildren(...table("Columns of the file", ["Column", "Likely type"], state.columns.map(({ name, type, format }) => [name, format ? `${type}, written as ${format}` : type])).children);
  $("#preview").hidden = false;
}

const size = (bytes) => (bytes < 1e6 ? `${number(bytes / 1e3, 3)} kB` : bytes < 1e9 ? `${number(bytes / 1e6, 3)} MB` : `${number(bytes / 1e9, 3)} GB`);

for (const event of ["dragover", "dragleave", "drop"]) {
  $("#drop").addEventListener(event, (dragged) => {
    dragged.preventDefault();
    $("#drop").classList.toggle("dragging", event === "dragover");
    if (event !== "drop" || !dragged.dataTransfer.files.length) return;
    $("#file").files = dragged.dataTransfer.files;
    $("#file").dispatchEvent(new Event("change", { bubbles: true }));
  });
}

$("#file-2").addEventListener("change", async () => {
  const [file] = $("#file-2").files;
  if (file && (await take(file, place("redraw")))) say("File chosen.");
});

// ------------------------------------------------------------------------------------- 2 who is protected

const unit = () => ($('[name="unit"]:checked').value === "column" ? $("#column").value : null);

function offerColumns() {
  const chosen = $("#column").value;
  $("#column").replaceChildren(...state.columns.map(({ name }) => h("option", { value: name, selected: name === chosen }, name)));
  $("#people-column").hidden = $('[name="unit"]:checked').value !== "column";
}
$("#step-2").addEventListener("change", offerColumns);

// ---------------------------------------------------------------------------------------------- 3 columns

const sheet = grid($("#columns"), told, () => {
  counted();
  keep();
});

function drawColumns() {
  sheet.draw(state.columns, unit());
  counted();
}

function counted() {
  const waiting = sheet.waiting().length;
  $("#ready").textContent = `${number(state.columns.length - waiting)} of ${number(state.columns.length)} columns ready.`;
  $("#rest").hidden = !waiting;
}

const KINDS = [["use", "Used for", ["sum", "group", "both", "span", "condition", "unused"].map((use) => [use, told.uses[use]])], ["type", "Type", told.types.map((type) => [type, type])]];
$("#bulk").append(...KINDS.map(([field, heading, all]) => h("optgroup", { label: heading }, all.map(([value, text]) => h("option", { value: `${field} ${value}` }, text)))));
$("#bulk").addEventListener("change", ({ target }) => {
  const [field, value] = target.value.split(" ");
  const chosen = sheet.chosen();
  target.value = "";
  for (const column of chosen) fit(Object.assign(column, { [field]: value }));
  drawColumns();
  keep();
  say(`${number(chosen.length)} columns changed.`);
});

// Columns that lack something are described by their type alone; those that have no such use are left out.
$("#rest").addEventListener("click", () => {
  for (const column of sheet.waiting()) column.use = "condition";
  drawColumns();
  keep();
});

$("#open-codebook").addEventListener("click", () => opened($("#codebook")));
asks($("#codebook"), async () => {
  const [file] = $("#codebook-file").files;
  let variables;
  try {
    variables = file ? await codebookOf(file) : codebook($("#codebook-text").value);
  } catch (error) {
    throw fault(error.message);
  }
  const { filled, refused, missing } = fillIn(state.columns, variables, told.formats, joined, fit);
  $("#null_values").value = joined([...new Set([...split($("#null_values").value), ...missing])]);
  drawColumns();
  keep();
  $("#codebook form").reset();
  const rest = refused.length ? ` Not taken over: ${refused.join("; ")}.` : "";
  $("#taken").textContent = `Filled ${number(filled.length)} of ${number(state.columns.length)} columns.${rest}`;
  $("#taken").hidden = false;
  say(`Filled ${number(filled.length)} columns.`);
});

const stated = (column) => (column.name === unit() ? { type: column.type } : columnTable(column, told.formats));

function schemaTable(step) {
  const said = { name: $("#name").value.trim() };
  const named = unit();
  const described = step < 3 ? [] : state.columns.filter((column) => column.use !== "unused" || column.name === named);
  if (step >= 2) {
    if (named !== null) {
      said.unit = named;
      for (const bound of ["max_rows", "max_groups"]) if ($(`#${bound}`).value !== "") said[bound] = Number($(`#${bound}`).value);
    }
    said.relation = $('[name="relation"]:checked').value;
  }
  if (step === 2 && named !== null) described.push({ name: named, type: "text", use: "condition" });
  if (step >= 3) {
    said.null_values = split($("#null_values").value);
    if ($("#people_at_least").value !== "") said.people_at_least = Number($("#people_at_least").value);
  }
  return { ...said, columns: Object.fromEntries(described.map((column) => [column.name, stated(column)])) };
}

// --------------------------------------------------------------------------- each step is checked by the server

const general = (step) => $(":scope > .problem", step);
const COLUMN = /^\[columns\.((?:[\w-]+|"(?:[^"\\]|\\.)*"))\]/;

function showStep(error, step) {
  if (!(error instanceof Problem)) throw error;
  const where = error.where.replace(/ in the schema$/, "");
  const [, key] = COLUMN.exec(where) ?? [];
  const column = key && $$("[data-column]", step).find((card) => card.dataset.column === (key.startsWith('"') ? JSON.parse(key) : key));
  const field = place(/name|already/.test(error.detail) && where === "the schema" ? "name" : where || "name", step);
  const found = column || field || step;
  show(forForm(error), found === step ? general(step) : found).scrollIntoView({ block: "center" });
  $("input, select", found)?.focus();
}

const check = (step, policy) => call("POST", "/datasets/check-schema", { schema_table: schemaTable(step), ...(policy ? { policy } : {}) });

const CHECKS = {
  1: async (step) => {
    if (!state.columns.length) return show(fault("Choose a file first"), place("file", step));
    return check(1);
  },
  2: () => check(2),
  3: (step) => {
    const [first, ...others] = sheet.waiting();
    if (!first) return check(3);
    const which = others.length ? `Column ${first.name} and ${number(others.length)} more are` : `Column ${first.name} is`;
    $(`[data-column="${CSS.escape(first.name)}"] [aria-invalid]`, step).focus();
    return show(fault(`${which} not ready: complete the red cells, or use such columns in conditions only`), general(step));
  },
};

for (const [which, checked] of Object.entries(CHECKS)) {
  const step = $(`#step-${which}`);
  step.addEventListener("submit", (event) => {
    event.preventDefault();
    quiet(step);
    if (!step.reportValidity()) return;
    busy(event.submitter ?? $(".primary", step), async () => {
      try {
        const said = await checked(step);
        if (said instanceof HTMLElement) said.scrollIntoView({ block: "center" });
        else go(Number(which) + 1);
      } catch (error) {
        showStep(error, step);
      }
    });
  });
}

// Columns that the schema describes, for a policy to choose from; one that was cleared stays so.
function offerLimits() {
  const cleared = $$('[name="columns"]', policyForm).filter((box) => !box.checked).map((box) => box.value);
  const described = state.columns.filter((column) => column.use !== "unused" || column.name === unit());
  $("#column-picks").replaceChildren(...described.map(({ name }) => h("li", {}, h("label", { class: "beside" }, h("input", { type: "checkbox", name: "columns", value: name, checked: !cleared.includes(name) }), " ", h("code", { class: "break" }, name)))));
  $("#allowed-columns").hidden = !described.length;
}

listen(policyForm);
policyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  quiet(policyForm);
  const without = event.submitter?.name === "without";
  if (!without && !policyForm.reportValidity()) return;
  busy(event.submitter ?? $(".primary", policyForm), async () => {
    try {
      state.policy = without ? null : read(policyForm);
      review(await check(4, state.policy));
      go(LAST);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      showAt(error, policyForm);
    }
  });
});

// ----------------------------------------------------------------------------------------------- 5 review

function review(checked) {
  state.checked = checked;
  $("#schema-text").textContent = checked.schema_text;
  const list = (id, sentences) => $(id).replaceChildren(...sentences.map((sentence) => h("li", {}, sentence)));
  list("#schema-sentences", checked.sentences);
  list("#policy-sentences", checked.policy?.sentences ?? ["No policy yet: no one has access."]);
  $('[data-task="policy"]').hidden = state.policy === null;
  $("#tasks").querySelectorAll("li").forEach((item) => mark(item, ""));
  state.done = state.done.filter((task) => task === "schema" && state.name === checked.name);
}

const MARKS = { "": "", now: "…", done: "✓", failed: "✕" };

function mark(item, how) {
  item.dataset.state = how;
  item.dataset.mark = MARKS[how];
  if (how === "now") item.setAttribute("aria-current", "true");
  else item.removeAttribute("aria-current");
}

const TASKS = {
  schema: async () => {
    const body = { schema_text: state.checked.schema_text, title: $("#title").value };
    try {
      await call("POST", "/datasets", body);
    } catch (error) {
      // An earlier attempt stopped before its data was delivered: the schema of the same table is replaced.
      if (error.status !== 409) throw error;
      await call("PUT", `/datasets${at(state.checked.name)}/schema`, { schema_text: body.schema_text }).catch(() => {
        throw error;
      });
    }
    state.name = state.checked.name;
  },
  data: () =>
    upload(`/datasets${at(state.name)}/data`, state.file, (part) => {
      if (part < 1) $("#progress").value = part;
      else $("#progress").removeAttribute("value");
      $("#progress-said").textContent = part < 1 ? `${size(part * state.file.size)} of ${size(state.file.size)} sent (${Math.round(100 * part)}%)` : "Sent. The server is checking the file …";
    }),
  policy: () => call("PUT", `/datasets${at(state.name)}/policy`, state.policy),
};

const SAID = { schema: "The schema is registered", data: "the data is delivered", policy: "the policy is signed" };

$("#step-5").addEventListener("submit", (event) => {
  event.preventDefault();
  const step = $("#step-5");
  quiet(step);
  if (!state.done.includes("data") && state.file === null) {
    $("#file-again").hidden = false;
    show(fault("Choose the file again: a draft does not contain it"), place("redraw", step));
    return;
  }
  busy($("#register"), () => carryOut(step));
});

async function carryOut(step) {
  const leaving = (event) => event.preventDefault();
  addEventListener("beforeunload", leaving);
  $("#work").hidden = false;
  let item = null;
  try {
    for (const task of ["schema", "data", ...(state.policy ? ["policy"] : [])]) {
      item = $(`[data-task="${task}"]`);
      if (!state.done.includes(task)) {
        mark(item, "now");
        say(`Working … ${item.textContent}`);
        await TASKS[task]();
        state.done.push(task);
        keep();
      }
      mark(item, "done");
    }
    removeEventListener("beforeunload", leaving);
    sessionStorage.removeItem(DRAFT);
    location.assign(`/datasets${at(state.name)}`);
  } catch (error) {
    removeEventListener("beforeunload", leaving);
    if (!(error instanceof Problem)) throw error;
    mark(item, "failed");
    broken(error, step, item.dataset.task);
  }
}

function broken(error, step, task) {
  const done = state.done.map((one) => SAID[one]).join(", ");
  $("#progress-said").textContent = done ? `${done}. This step failed: ${item(task)}. Completed steps are kept.` : "Nothing is registered yet.";
  $("#progress").value = 0;
  say(`This step failed: ${item(task)}.`);
  $("#register").textContent = done ? "Continue" : "Register";
  show(error, general(step)).scrollIntoView({ block: "nearest" });
}

const item = (task) => $(`[data-task="${task}"]`).textContent.toLowerCase();

restore();
policyForm.dispatchEvent(new Event("filled"));
history.replaceState(null, "", `#step-${Math.min(stepOf(location.hash), state.reached)}`);
turn(stepOf(location.hash), false);
if ($("#file").files.length) $("#file").dispatchEvent(new Event("change")); // chosen before this script was here
