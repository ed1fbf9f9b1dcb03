// Utility signals: a task is stated and submitted, and its result is drawn (steps 4, 5 and 6).

import { $, $$, at, busy, call, h, number, onTheme, placed, Problem, say, sent, show } from "./sfumato.js";
import { icon } from "./drawing.js";
import { plotly } from "./result.js";

const words = (name) => name.replaceAll("_", " ");
const OPEN = ["submitted", "approved", "running", "computed"];

export function signalling(request, told) {
  const list = history(request, told);
  const form = $("#ask-signal");
  if (form) asking(form, request, told, list);
  if ($("#conclude")) concluding($("#conclude"), request, told, list);
}

// ------------------------------------------------------------------------------------------------ conclusions

// A conclusion is a free signal of a yes-or-no task: one row above another, or above all.
const concluded = ({ kind, task, result }) => kind === "free" && result?.verdict && (task?.task === "above" || (task?.task === "top_k" && task.k === 1 && task.reference?.length));

function conclusion({ task, result }) {
  const what = task.task === "above" ? `${task.a} above ${task.b}` : `${task.reference[0]} above all other rows`;
  const sure = result.score === 1 && result.changed <= 0.1;
  return h("li", {}, h("span", { class: sure ? "ok" : "wait" }, icon(sure ? "ok" : "noise")), h("div", {}, h("h3", {}, `${task.column}: ${what}`, h("span", {}, result.verdict))));
}

function concluding(form, request, told, list) {
  const place = $("#conclusions");
  const put = (one) => concluded(one) && place.append(conclusion(one));
  [...told.signals].reverse().forEach(put);
  const tables = told.tables.filter((one) => one.figures.length && one.labels.length > 1);
  const of = tables.flatMap((one) => one.figures.map((column) => ({ ...one, column })));
  const name = ({ query, column }) => (told.tables.length > 1 ? `Answer ${query}: ${column}` : column);
  form.elements.a.append(...of.map((one, i) => h("optgroup", { label: name(one) }, one.labels.map((label, j) => h("option", { value: `${i} ${j}` }, `${label} · ${one.column}`)))));
  const chosen = () => {
    const [i, j] = form.elements.a.value.split(" ").map(Number);
    return { ...of[i], a: of[i].labels[j] };
  };
  const fill = () => {
    const { labels, a } = chosen();
    form.elements.than.replaceChildren(h("option", { value: "" }, "is above all other rows"), ...labels.filter((label) => label !== a).map((label) => h("option", { value: label }, `is above ${label}`)));
  };
  form.elements.a.addEventListener("change", fill);
  fill();
  sent(form, async ({ than }) => {
    const { query, column, a } = chosen();
    const task = than ? { task: "above", column, a, b: than } : { task: "top_k", column, k: 1, reference: [a] };
    const now = await call("POST", `/requests${at(request)}/signals`, { query, kind: "free", task }, { headers: { "Idempotency-Key": crypto.randomUUID?.() ?? String(Math.random()) } });
    put(now);
    list.put(now, false);
    say(now.result?.verdict ?? now.next);
  });
}

// ------------------------------------------------------------------------------------------------ the task

// A field for each kind of parameter, with choices from the answer: its element, and how it is read.
const FIELDS = {
  column: (one, id, { figures }, place) => choice(id, figures, one.required ? null : "none", one.required ? place : (place + 1) % (figures.length + 1)),
  columns: (one, id, { figures }) => {
    const boxes = figures.map((name, i) => h("input", { type: "checkbox", id: i ? `${id}-${i}` : id, value: name, checked: i === 0 }));
    const labelled = boxes.map((box) => h("label", { class: "beside" }, box, ` ${box.value}`));
    return { part: h("div", { role: "group", "aria-label": words(one.name), class: "actions" }, labelled), read: () => boxes.filter((box) => box.checked).map((box) => box.value) };
  },
  row: (one, id, { labels }) => choice(id, labels, null, one.name === "b" ? 1 : 0),
  "row or number": (one, id, { labels }) => {
    const NUMBER = "\u0000";
    const list = h("select", { id }, labels.map((label) => h("option", { value: label }, label)), h("option", { value: NUMBER }, "a number"));
    list.selectedIndex = Math.min(1, labels.length);
    const figure = h("input", { type: "number", step: "any", value: 0, "aria-label": `${words(one.name)}: the number` });
    const turn = () => (figure.hidden = list.value !== NUMBER);
    list.addEventListener("change", turn);
    turn();
    return { part: h("div", {}, list, figure), read: () => (list.value === NUMBER ? figure.valueAsNumber : list.value) };
  },
  rows: (one, id, { labels }) => {
    const area = h("textarea", { id, rows: Math.min(6, labels.length + 1), spellcheck: "false" });
    const fill = h("button", { type: "button", class: "plain", onclick: () => ((area.value = labels.join("\n")), area.focus()) }, "Insert all rows");
    return { part: h("div", {}, area, h("p", { class: "hint" }, "One row per line, in order. ", fill)), read: () => lines(area.value) };
  },
  numbers: (one, id, { labels }) => {
    const area = h("textarea", { id, rows: Math.min(6, labels.length + 1), spellcheck: "false" });
    const fill = h("button", { type: "button", class: "plain", onclick: () => ((area.value = labels.map((label) => `${label} = `).join("\n")), area.focus()) }, "Insert all rows");
    const pairs = () => lines(area.value).map((line) => /^(.*?)\s*[=\t]\s*([^=\t]*)$/.exec(line)?.slice(1) ?? [line, ""]);
    const wrong = () => pairs().find(([, value]) => value === "" || Number.isNaN(Number(value)));
    area.addEventListener("input", () => area.setCustomValidity(wrong() ? `Write a number after ${wrong()[0]} =` : ""));
    return { part: h("div", {}, area, h("p", { class: "hint" }, "One row per line: label = public number. ", fill)), read: () => Object.fromEntries(pairs().map(([label, value]) => [label, Number(value)])) };
  },
  cells: (one, id, { figures, labels }) => {
    const names = figures.flatMap((column) => [...labels.map((label) => cell(column, label)), labels.length > 1 ? `sum(${/^\w+$/.test(column) ? column : JSON.stringify(column)})` : null]).filter(Boolean);
    const input = h("input", { id, class: "code", spellcheck: "false", autocomplete: "off", value: names[0] ?? "" });
    const list = h("select", { "aria-label": "Insert cell" }, h("option", { value: "" }, "Insert cell …"), names.map((name) => h("option", { value: name }, name)));
    list.addEventListener("change", () => {
      input.setRangeText(list.value, input.selectionStart, input.selectionEnd, "end");
      list.value = "";
      input.focus();
    });
    return { part: h("div", {}, input, list), read: () => input.value };
  },
  number: (one, id) => figure(one, id, "any"),
  "whole number": (one, id, { labels }) => figure(one.name === "k" ? { ...one, default: Math.min(one.default, Math.max(1, labels.length - 1)) } : one, id, "1"),
  choice: (one, id) => choice(id, one.choices, null, Math.max(0, one.choices.indexOf(one.default))),
  text: (one, id) => {
    const input = h("input", { id, value: one.default ?? "", autocomplete: "off" });
    return { part: input, read: () => input.value };
  },
};

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

function choice(id, names, none, at = 0) {
  const list = h("select", { id }, none === null ? null : h("option", { value: "" }, none), names.map((name) => h("option", { value: name }, name || "all")));
  list.selectedIndex = Math.min(at, list.options.length - 1);
  return { part: list, read: () => list.value };
}

function figure(one, id, step) {
  const input = h("input", { id, type: "number", step, value: one.default, required: one.required });
  return { part: input, read: () => (Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber) };
}

// people["Bern"] where the column is a plain word; where it is not, cell("COUNT(*)", "Bern").
function cell(column, label) {
  if (/^[A-Za-z_]\w*$/.test(column)) return label ? `${column}[${JSON.stringify(label)}]` : column;
  return `cell(${[column, label].filter(Boolean).map((text) => JSON.stringify(text)).join(", ")})`;
}

// Empty fields are not stated: the task has a default for them.
const stated = (value) => value !== undefined && value !== "" && !(typeof value === "object" && !Object.keys(value).length);

function fields(task, table) {
  let place = 0; // each parameter that is a column begins with another one
  const made = task.parameters.map((one) => {
    const id = `task-${one.name}`;
    const { part, read } = FIELDS[one.kind](one, id, table, place);
    place += one.kind.startsWith("column");
    const label = part.getAttribute("role") ? h("span", { class: "label" }, words(one.name)) : h("label", { for: id }, words(one.name));
    return { name: one.name, part: h("div", { class: "field" }, label, part, one.said ? h("p", { class: "hint" }, one.said) : null), read };
  });
  $("#task-fields").replaceChildren(...made.map(({ part }) => part));
  return () => Object.fromEntries([["task", task.name], ...made.map(({ name, read }) => [name, read()]).filter(([, value]) => stated(value))]);
}

// ------------------------------------------------------------------------------------------------ asking

function asking(form, request, told, list) {
  let read = () => null;
  const query = () => Number(form.elements.query?.value ?? told.tables[0].query);
  const table = () => told.tables.find((one) => one.query === query());
  const kind = () => told.kinds.find((one) => one.kind === form.elements.kind.value);
  const task = () => told.tasks.find((one) => one.name === form.elements.task.value);

  const turn = async () => {
    const chosen = task();
    $("#own-code").hidden = Boolean(chosen);
    $("#ask-signal-button").disabled = false;
    $("#task-said").textContent = chosen?.said ?? "";
    if (chosen) read = fields(chosen, table());
    else {
      $("#task-fields").replaceChildren();
      read = () => null;
      await coding();
    }
    for (const [name, [usual, most]] of Object.entries(chosen ? told.amounts : told.code_amounts)) {
      form.elements[name].max = most;
      form.elements[name].value = usual;
    }
    which();
  };
  // Whether code can run here is known once the sandbox was tested, which takes a moment the first time.
  const coding = async () => {
    turn.editor ??= import("./editor.js").then(({ writing }) => writing($("#signal-code")));
    $("#code-ready").textContent = "Checking the sandbox …";
    try {
      const [{ code }] = await Promise.all([call("GET", "/tasks"), turn.editor]);
      $("#code-ready").textContent = code.ready ? `${code.sentence} ${code.padding}` : code.sentence;
      $("#ask-signal-button").disabled = !code.ready && !task();
    } catch (error) {
      $("#code-ready").textContent = "";
      show(error, form);
    }
  };
  const which = () => {
    for (const part of $$("[data-for]", form)) {
      part.hidden = !part.dataset.for.split(" ").includes(kind().kind);
      $("input", part).disabled = part.hidden;
    }
    $("#signal-inspected").textContent = task() ? kind().inspected : kind().inspected_code;
  };
  form.elements.task.addEventListener("change", turn);
  form.elements.query?.addEventListener("change", turn);
  for (const dot of $$('[name="kind"]', form)) dot.addEventListener("change", which);
  turn();

  let key = null; // the same body sent twice is one signal
  let before = "";
  sent(form, async ({ code, low, high, epsilon, blocks, draws, by_range }) => {
    const given = { epsilon, blocks, draws };
    const own = task() ? {} : { code, range: [Number(low), Number(high)] };
    const amounts = Object.fromEntries(Object.entries(given).filter(([, value]) => value).map(([name, value]) => [name, Number(value)]));
    const body = { query: query(), kind: kind().kind, task: read(), ...own, ...amounts, ...(by_range ? { by_range: true } : {}) };
    const text = JSON.stringify(body);
    if (text !== before) [key, before] = [crypto.randomUUID?.() ?? String(Math.random()), text];
    const progress = $("#signal-progress");
    progress.hidden = false;
    try {
      const now = await call("POST", `/requests${at(request)}/signals`, body, { headers: { "Idempotency-Key": key } });
      key = before = "";
      list.put(now);
      $(`#signal-${CSS.escape(now.id)}`).focus();
      say(now.next);
    } finally {
      progress.hidden = true;
    }
  });
}

// ------------------------------------------------------------------------------------------------ what comes back

function history(request, told) {
  const place = $("#signals");
  const put = (one, open = true) => {
    const made = item(one, told, put);
    const had = document.getElementById(made.id);
    if (had) had.replaceWith(made);
    else place.prepend(made);
    $("#no-signals").hidden = true;
    const fold = $("details", made);
    // A closed <details> has no width: the plot is drawn when it opens.
    if (one.result?.picture) fold.addEventListener("toggle", () => fold.open && drawn($(".plot", made), one.result.picture), { once: true });
    fold.open = open;
    if (OPEN.includes(one.state)) follow(one, put);
  };
  told.signals.forEach((one, i) => put(one, i === 0 || OPEN.includes(one.state)));
  return { put };
}

const FIRST = 1000;
const LONGEST = 15000;

// Poll the state, less often with time, until it changes.
async function follow(one, put, pause = FIRST) {
  await new Promise((later) => setTimeout(later, pause));
  let now = null;
  try {
    now = document.hidden ? null : await call("GET", `/signals${at(one.id)}`);
  } catch (error) {
    if (!(error instanceof Problem) || (error.status && error.status < 500 && error.status !== 429)) throw error;
  }
  if (now) $(`#signal-${CSS.escape(one.id)} .next`).textContent = now.next;
  if (!now || now.state === one.state) return follow(one, put, Math.min(LONGEST, pause * 1.5));
  say(now.next);
  return put(now);
}

const given = (value) => (Array.isArray(value) ? value.join(", ") : typeof value === "object" ? Object.entries(value).map(([name, n]) => `${name} ${n}`).join(", ") : String(value));

function title({ kind, task }, told) {
  const parts = Object.entries(task ?? {}).filter(([name, value]) => !["task", "table"].includes(name) && value !== null && stated(value));
  const what = task ? `${words(task.task)}${parts.length ? ` (${parts.map(([name, value]) => `${words(name)} ${given(value)}`).join(", ")})` : ""}` : "own code";
  return `${told.kinds.find((one) => one.kind === kind).title}: ${what}`;
}

function item(one, told, put) {
  const said = one.result?.sentences ?? [];
  const cost = [
    one.guarantee ? h("span", { class: `word ${one.guarantee}` }, told.guarantees[one.guarantee]) : null,
    one.charged === null || one.charged === undefined ? null : ` Charged epsilon ${number(one.charged, 6)}.`,
    one.bits ? ` ${number(one.bits, 3)} bits ${one.state === "released" ? "used" : "at most"}.` : null,
  ].filter(Boolean);
  const fold = h(
    "details",
    {},
    h("summary", {}, h("h4", {}, h("span", { class: `word ${one.state}` }, one.state), ` #${one.number} ${title(one, told)}`)),
    h("p", { class: "soft next" }, one.next),
    one.note ? h("p", { class: `notice${["refused", "failed"].includes(one.state) ? " ill" : ""}` }, one.note) : null,
    one.result?.picture ? h("div", { class: `plot${one.result.picture.spans ? " strip" : ""}`, role: "img", "aria-label": `${one.result.picture.title}. ${one.result.picture.pinned}.` }) : null,
    one.result?.picture?.spans ? h("ul", { class: "places" }, one.result.picture.places.map((sentence) => h("li", {}, sentence))) : null,
    said.map((sentence) => h("p", {}, sentence)),
    cost.length ? h("p", { class: "cost" }, cost) : null,
    h("p", { class: "problem", role: "alert", hidden: true }),
  );
  const made = h("li", { class: "signal", id: `signal-${one.id}`, tabindex: "-1" }, fold);
  if (["submitted", "approved", "running"].includes(one.state)) {
    const button = h("button", { type: "button", class: "button withdraw" }, one.state === "running" ? "Stop" : "Withdraw", h("span", { class: "unseen" }, ` signal ${one.number}`));
    button.addEventListener("click", () =>
      busy(button, async () => {
        try {
          put(await call("POST", `/signals${at(one.id)}/withdraw`));
        } catch (error) {
          show(error, made);
        }
      }),
    );
    fold.append(button);
  }
  return made;
}

// Free signals: a histogram of scores; others: the interval of the exact score. The score of the release is marked.
async function drawn(place, { figure, spans }) {
  await plotly();
  const { data, layout } = figure;
  const sized = spans ? { height: 170, yaxis: { ...layout.yaxis, visible: false } } : { height: 300 };
  onTheme(() => placed(place, { data, layout: { ...layout, ...sized } }));
}
