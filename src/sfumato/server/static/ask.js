import { $, $$, at, busy, call, facts, h, Problem, rounded, say, table } from "./sfumato.js";

const told = facts();
const form = $("#ask");
const draft = `ask ${told.person} ${told.dataset} ${told.before ?? ""}`;
const PAUSE = 900;
let editing = null; // creates an editor, once it is loaded
let unlisted = () => []; // literals that are no category of their column, once the editor is loaded
const editors = new WeakMap(); // by fieldset of a query

// ------------------------------------------------------------------------------------------------ queries

const questions = () => $$(".query", form);

function numbered() {
  const all = questions();
  all.forEach((one, i) => {
    const name = `SQL of query ${i + 1}`;
    for (const place of $$(".place", one)) place.textContent = i + 1;
    $("textarea", one).setAttribute("aria-label", name);
    editors.get(one)?.name(name);
  });
  form.classList.toggle("several", all.length > 1);
  $("#weights").hidden = all.length < 2;
}

function equipped(one) {
  const area = $("textarea", one);
  area.addEventListener("input", changed);
  $(".remove", one).addEventListener("click", () => {
    one.remove();
    numbered();
    changed();
    focus(questions()[0]);
  });
  if (editing) editors.set(one, editing(area, told.vocabulary, { run: dryRun, changed }));
}

const focus = (one) => (editors.get(one) ?? $("textarea", one)).focus();

function added({ sql = "", weight = 1 } = {}) {
  const one = document.importNode($("#another").content, true).querySelector(".query");
  $("textarea", one).value = sql;
  $('[name="weight"]', one).value = weight;
  $("#queries").append(one);
  equipped(one);
  numbered();
  return one;
}

$("#add").addEventListener("click", () => focus(added()));

// ------------------------------------------------------------------------------------------------ preference

function preference() {
  const chosen = form.elements.preference?.value;
  const offer = told.offers.find((one) => one.name === chosen);
  if (!offer || offer.name === "rule") return null;
  const figures = offer.figures.map((one) => [one.name, form.elements[`${offer.name}-${one.name}`].valueAsNumber]);
  if (offer.counts) figures.push(["expected_count", form.people.valueAsNumber]);
  if (!form.delta.disabled) figures.push(["delta", form.delta.valueAsNumber]);
  return { ...Object.fromEntries(figures.filter(([, value]) => !Number.isNaN(value))), ...offer.beside };
}

const people = () => (form.people.valueAsNumber >= 1 ? { expected_count: form.people.valueAsNumber } : {});

// Columns whose group keys are private; a query that names one needs a delta.
const secret = told.vocabulary.columns.filter((one) => one.private_keys).map((one) => one.name.toLowerCase());
const named = (sql) => sql.toLowerCase().match(/\w+/g) ?? [];

const asked = () =>
  questions().map((one) => ({ sql: $("textarea", one).value, weight: questions().length > 1 ? $('[name="weight"]', one).valueAsNumber || 1 : 1 }));

const stated = () => ({ queries: asked(), preference: preference() });

// Show and enable only the figures of the chosen preference.
function offered() {
  const chosen = form.elements.preference?.value;
  for (const figures of $$(".figures", form)) {
    const on = figures.dataset.of === chosen;
    figures.hidden = !on;
    for (const input of $$("input", figures)) input.disabled = !on;
  }
  const takesDelta = chosen && chosen !== "rule" && asked().some(({ sql }) => secret.some((name) => named(sql).includes(name)));
  $("#stated-delta").hidden = form.delta.disabled = !takesDelta;
}

// ------------------------------------------------------------------------------------------------ draft

const figured = () => $$(".figures input, .beside-noise input", form);

function kept() {
  try {
    return JSON.parse(localStorage.getItem(draft));
  } catch {
    return null;
  }
}

function keep(more = {}) {
  const figures = Object.fromEntries(figured().map((input) => [input.name, input.value]));
  const said = { ...kept(), purpose: form.purpose.value, queries: asked(), preference: form.elements.preference?.value, figures, ...more };
  try {
    localStorage.setItem(draft, JSON.stringify(said));
  } catch {
    // the browser stores nothing
  }
  return said;
}

function restore() {
  const said = kept();
  if (!said) return;
  form.purpose.value = said.purpose;
  for (const one of questions()) one.remove();
  for (const one of said.queries) added(one);
  for (const input of figured()) input.value = said.figures[input.name] ?? input.value;
  const radio = $$('[name="preference"]', form).find((one) => one.value === said.preference);
  if (radio) radio.checked = true;
}

// ------------------------------------------------------------------------------------------------ errors

function cleared() {
  for (const one of questions()) {
    $(".problem", one).hidden = true;
    editors.get(one)?.mark(null);
  }
  $("#refused").hidden = true;
}

// The message is shown below its query; the editor marks its place.
function placed(error, { aloud }) {
  if (!(error instanceof Problem)) throw error;
  const one = error.at ? questions()[error.at.query - 1] : undefined;
  const place = one ? $(".problem", one) : $("#refused");
  place.textContent = error.sentence;
  place.hidden = false;
  if (one) editors.get(one)?.mark({ ...error.at, message: error.sentence });
  if (!aloud) return;
  say(error.sentence);
  place.scrollIntoView({ block: "nearest" });
  if (one && error.at.line) editors.get(one)?.goTo(error.at);
}

function doubted() {
  for (const one of questions()) {
    const found = unlisted($("textarea", one).value, told.vocabulary).map(({ message }) => message);
    $(".unlisted", one).textContent = found.join(" ");
    $(".unlisted", one).hidden = !found.length;
  }
}

// ------------------------------------------------------------------------------------------------ estimate

let running = null;

function empty({ aloud }) {
  const found = questions().findIndex((one) => !$("textarea", one).value.trim());
  if (found < 0) return false;
  const said = { detail: "This query has no SQL", hint: "write it, or remove the query.", where: "", at: { query: found + 1, line: 1, column: 1 } };
  if (aloud) placed(new Problem(said), { aloud });
  return true;
}

async function estimate({ aloud }) {
  clearTimeout(changed.timer);
  running?.abort();
  const mine = (running = new AbortController());
  const place = $("#estimate-shown");
  if (empty({ aloud })) return;
  place.setAttribute("aria-busy", "true");
  try {
    const said = await call("POST", `/datasets${at(told.dataset)}/estimate`, { ...stated(), ...people() }, { signal: mine.signal });
    cleared();
    place.replaceChildren(...costs(said));
    if (aloud) say(said.barred ?? said.sentences[0]);
  } catch (error) {
    if (error.name === "AbortError") return;
    cleared();
    place.replaceChildren(h("p", { class: "soft" }, "There is no estimate: correct the error above."));
    placed(error, { aloud });
  } finally {
    if (mine === running) place.removeAttribute("aria-busy");
  }
}

function costs(said) {
  const parts = said.queries.map((one, i) =>
    h(
      "div",
      {},
      said.queries.length > 1 ? h("h3", {}, `Query ${i + 1}`) : null,
      h("p", {}, h("span", { class: `word ${one.guarantee}` }, one.guarantee), ` ${one.why}`),
      one.means ? h("p", {}, one.means) : null,
      one.averages ? h("p", {}, one.averages) : null,
      one.odds ? h("p", {}, one.odds) : null,
    ),
  );
  const barred = said.barred ? [h("p", { class: "notice ill", id: "barred" }, said.barred)] : [];
  return [...barred, ...said.sentences.map((text) => h("p", { class: "lead" }, text)), ...parts];
}

// ------------------------------------------------------------------------------------------------ dry run

async function dryRun() {
  await busy($("#dry-run"), async () => {
    const place = $("#dry-shown");
    cleared();
    if (empty({ aloud: true })) return;
    const of = question();
    $("#dry").hidden = false;
    place.replaceChildren(h("p", {}, "Running …"), h("progress", { "aria-label": "Dry run" }));
    try {
      const said = await call("POST", `/datasets${at(told.dataset)}/dry-run`, stated());
      place.replaceChildren(h("p", { class: "notice" }, said.sentence), ...said.answers.flatMap(invented));
      $("#dry").dataset.of = of;
      older();
      say(said.sentence);
      $("#dry").scrollIntoView({ block: "nearest" });
    } catch (error) {
      $("#dry").hidden = true;
      placed(error, { aloud: true });
    }
  });
}

// A dry run of an older version of the request is marked.
const question = () => JSON.stringify(stated());

function older() {
  const dry = $("#dry");
  const other = !dry.hidden && "of" in dry.dataset && dry.dataset.of !== question();
  dry.classList.toggle("older", other);
  $("#older").hidden = !other;
}

function invented(answer, i, all) {
  const numbers = [];
  const heads = [];
  const cells = answer.rows.map(() => []);
  answer.columns.forEach((name, c) => {
    const figure = ["integer", "number"].includes(answer.types[c]);
    if (figure) numbers.push(heads.length);
    heads.push(name);
    answer.rows.forEach((row, r) => cells[r].push(figure ? rounded(row[c], answer.intervals?.[r][c])[0] : String(row[c] ?? "")));
    if (!answer.intervals || !answer.ranged[c]) return;
    numbers.push(heads.length);
    heads.push("90% interval");
    answer.intervals.forEach((row, r) => cells[r].push(row[c] ? rounded(answer.rows[r][c], row[c]).slice(1).join(" – ") : ""));
  });
  const title = all.length > 1 ? `Query ${i + 1}, synthetic data` : "Synthetic data";
  return [h("h3", {}, title), h("div", { class: "invented" }, table(title, heads, cells, { numbers }))];
}

// ------------------------------------------------------------------------------------------------ submission

// The same body has the same key: a second click, or a retry after a lost connection, is one request.
function keyed(body) {
  const said = kept();
  const text = JSON.stringify(body);
  if (said?.sent === text && said.key) return said.key;
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  keep({ sent: text, key });
  return key;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  busy($("#submit"), async () => {
    cleared();
    if (empty({ aloud: true }) || !form.reportValidity()) return;
    const body = { dataset: told.dataset, purpose: form.purpose.value, ...stated() };
    try {
      const made = await call("POST", "/requests", body, { headers: { "Idempotency-Key": keyed(body) } });
      clearTimeout(changed.timer);
      localStorage.removeItem(draft);
      location.assign(`/requests${at(made.id)}`);
      await new Promise(() => {}); // the page is going away
    } catch (error) {
      placed(error, { aloud: true });
    }
  });
});

function changed() {
  offered();
  doubted();
  keep();
  older();
  clearTimeout(changed.timer);
  changed.timer = setTimeout(() => estimate({ aloud: false }), PAUSE);
}

$("#estimate").addEventListener("click", (event) => busy(event.currentTarget, () => estimate({ aloud: true })));
$("#dry-run").addEventListener("click", dryRun);
form.addEventListener("input", changed);

addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  dryRun();
});

for (const one of questions()) equipped(one);
restore();
numbered();
offered();
try {
  ({ editing, unlisted } = await import("./editor.js"));
  for (const one of questions()) editors.set(one, editing($("textarea", one), told.vocabulary, { run: dryRun, changed }));
  doubted();
} catch (error) {
  console.warn(error); // it stays a textarea
}
