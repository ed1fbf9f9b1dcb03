import { building, templates } from "./builder.js";
import { $, $$, at, busy, call, facts, h, number, opened, Problem, rounded, say, table } from "./sfumato.js";

const told = facts();
const form = $("#ask");
const draft = `ask ${told.person} ${told.dataset} ${told.before ?? ""}`;
const PAUSE = 500;
let editing = null; // creates an editor, once it is loaded
let unlisted = () => []; // literals that are no category of their column, once the editor is loaded
const editors = new WeakMap(); // by fieldset of a query
const builders = new WeakMap();

// ------------------------------------------------------------------------------------------------ queries

const questions = () => $$(".query", form);

function numbered() {
  const all = questions();
  all.forEach((one, i) => {
    const name = `SQL of query ${i + 1}`;
    for (const place of $$(".place", one)) place.textContent = i + 1;
    $("textarea", one).setAttribute("aria-label", name);
    $(".without-sql", one).setAttribute("aria-label", `Builder of query ${i + 1}`);
    editors.get(one)?.name(name);
  });
  form.classList.toggle("several", all.length > 1);
  $("#weights").hidden = all.length < 2;
}

function equipped(one) {
  const area = $("textarea", one);
  $(".remove button", one).addEventListener("click", () => {
    one.remove();
    numbered();
    changed();
    focus(questions()[0]);
  });
  builders.set(one, building($(".without-sql", one), told.vocabulary, (sql) => put(one, sql)));
  builders.get(one)?.follow(area.value);
  if (editing) edited(one);
}

const edited = (one) => editors.set(one, editing($("textarea", one), told.vocabulary, { run: dryRun, changed }));

// SQL that was not typed goes into the editor, or into the textarea that it would be.
function put(one, sql) {
  if (editors.has(one)) return editors.get(one).write(sql);
  $("textarea", one).value = sql;
  return changed();
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

const figure = (one, name) => {
  const value = $(`[name="${name}"]`, one)?.valueAsNumber;
  return questions().length > 1 && Number.isFinite(value) ? { [name]: value } : {};
};
const asked = () =>
  questions().map((one) => ({ sql: $("textarea", one).value, weight: questions().length > 1 ? $('[name="weight"]', one).valueAsNumber || 1 : 1, ...figure(one, "index"), ...figure(one, "expected") }));

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
  const said = { ...kept(), purpose: form.purpose.value, accuracy: form.accuracy.value, due: form.due.value, queries: asked(), preference: form.elements.preference?.value, figures, ...more };
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
  form.accuracy.value = said.accuracy ?? form.accuracy.value;
  form.due.value = said.due ?? "";
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

async function estimate() {
  clearTimeout(changed.timer);
  running?.abort();
  const mine = (running = new AbortController());
  const place = $("#estimate-shown");
  place.setAttribute("aria-busy", "true");
  try {
    if (empty({ aloud: false })) return;
    const said = await call("POST", `/datasets${at(told.dataset)}/estimate`, { ...stated(), ...people() }, { signal: mine.signal });
    cleared();
    place.replaceChildren(...costs(said));
    $("#bar-facts").replaceChildren(...inShort(said));
  } catch (error) {
    if (error.name === "AbortError") return;
    cleared();
    place.replaceChildren(h("p", { class: "soft" }, "There is no estimate: correct the error first."));
    $("#bar-facts").replaceChildren();
    placed(error, { aloud: false });
  } finally {
    if (mine === running) place.removeAttribute("aria-busy");
  }
}

// Intervals of the answer's columns at the expected count, and at any count where it plays no part.
const expected = (one) => one.expected.filter((each) => each.count === null || each.count === one.expected_count?.count);

function costs(said) {
  const several = said.queries.length > 1;
  const parts = said.queries.flatMap((one, i) => [several ? h("h3", {}, `Query ${i + 1}`) : null, ...intervals(one)]);
  const barred = said.barred ? [h("p", { class: "notice ill", id: "barred" }, said.barred)] : [];
  return [...barred, ...parts.filter(Boolean), charge(said), reasons(said)];
}

// The accuracy that the analyst needs, and whether the interval of the first figure is within it.
const needed = () => Number(form.accuracy.value) || 0;

function within(one) {
  const [most, first] = [needed(), expected(one)[0]];
  if (!most || !first || first.half === null) return "";
  const met = first.at_most !== null && first.at_most <= most;
  return h("p", { class: met ? "sm ok" : "sm over" }, `${met ? "✓ Within" : "✕ Not within"} the ±${number(most)} that you need`);
}

function intervals(one) {
  const [first, ...others] = expected(one);
  if (!first) return [];
  const counted = (each) => (each.count === null ? "" : `, if ${number(each.count)} are counted`);
  return [
    h("div", {}, h("p", { class: "big" }, first.interval), h("p", { class: "sm muted" }, `90% interval of ${first.column}${counted(first)}`), within(one)),
    others.length ? h("dl", { class: "kv" }, others.flatMap((each) => [h("dt", {}, each.column), h("dd", {}, each.interval)])) : null,
    one.expected_count ? h("p", { class: "hint" }, told.sources[one.expected_count.source]) : null,
    sizes(one, expected(one).find((each) => each.count !== null)),
  ];
}

// How the interval of an average narrows with the size of its group, as the server computed it.
function sizes(one, chosen) {
  const rows = chosen ? one.expected.filter((each) => each.column === chosen.column && each.count !== null) : [];
  if (rows.length < 2) return null;
  const cells = rows.map((each) => h("tr", { class: each.count === chosen.count ? "current" : null }, h("th", { scope: "row", class: "num" }, number(each.count)), h("td", { class: "num" }, each.interval)));
  const head = h("tr", {}, h("th", { scope: "col", class: "num" }, "Group size"), h("th", { scope: "col", class: "num" }, "90% interval"));
  return h("details", {}, h("summary", {}, `${chosen.column} by group size`), h("table", {}, h("thead", {}, head), h("tbody", {}, cells)));
}

function charge(said) {
  const odds = said.queries.length === 1 ? said.queries[0].odds : null;
  const word = h("li", {}, mark(said.guarantee === "none" ? "✕" : "✓"), h("div", {}, h("h3", {}, told.guarantees[said.guarantee]), odds ? h("p", {}, odds) : null));
  const left = said.left === null ? "no budget is set" : `${number(said.left, 6)} left now`;
  const cost = said.epsilon === null ? "Charge not known in advance" : `Epsilon ${number(said.epsilon, 6)}`;
  return h("ul", { class: "lines" }, word, h("li", {}, mark("ε"), h("div", {}, h("h3", {}, cost, h("span", {}, left)), meter(said))));
}

const mark = (text) => h("span", { class: "faint", "aria-hidden": "true" }, text);

// The budget: used, and what this request would use.
function meter({ spent, epsilon, left }) {
  if (spent === null || epsilon === null || left === null || !(spent + left > 0)) return null;
  const drawing = (tag, attributes) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    return part;
  };
  const wide = (amount) => Math.min(300, (300 * amount) / (spent + left));
  const whole = drawing("svg", { class: "meter", viewBox: "0 0 300 8", preserveAspectRatio: "none", role: "img", "aria-label": `Budget: ${number(spent)} used, ${number(epsilon)} for this request, of ${number(spent + left)}` });
  whole.append(drawing("rect", { class: "bg", width: 300, height: 8 }), drawing("rect", { class: "used", width: wide(spent), height: 8 }), drawing("rect", { class: "now", x: wide(spent), width: Math.min(wide(epsilon), 300 - wide(spent)), height: 8 }));
  return whole;
}

function reasons(said) {
  const each = said.queries.flatMap((one, i) => [said.queries.length > 1 ? h("h3", {}, `Query ${i + 1}`) : null, ...[one.why, one.means, one.meaningful, said.queries.length > 1 ? one.odds : null].filter(Boolean).map((text) => h("p", {}, text))]);
  return h("details", {}, h("summary", {}, "Why this epsilon, and what it means"), said.sentences.map((text) => h("p", {}, text)), each);
}

// For the bar at the bottom of a telephone.
function inShort(said) {
  const [first] = said.queries.flatMap(expected);
  const facts = [
    ["90% interval", first?.interval ?? "not known"],
    ["Epsilon", said.epsilon === null ? "not known" : number(said.epsilon, 6)],
    ["Guarantee", told.guarantees[said.guarantee]],
  ];
  return facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
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
    answer.intervals.forEach((row, r) => cells[r].push(row[c] ? rounded(answer.rows[r][c], row[c]).slice(1).join(" to ") : ""));
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
  busy(event.submitter ?? $("#submit"), async () => {
    cleared();
    if (empty({ aloud: true }) || !form.reportValidity()) return;
    const also = { ...(needed() ? { accuracy: needed() } : {}), ...(form.due.value ? { due: form.due.value } : {}) };
    const body = { dataset: told.dataset, purpose: form.purpose.value, ...stated(), ...also };
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
  for (const one of questions()) builders.get(one)?.follow($("textarea", one).value);
  offered();
  doubted();
  keep();
  older();
  clearTimeout(changed.timer);
  changed.timer = setTimeout(estimate, PAUSE);
}

$("#dry-run").addEventListener("click", dryRun);
form.addEventListener("input", changed);

addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  dryRun();
});

// ------------------------------------------------------------------------------------------------ templates, saved queries

const SAVED = `saved ${told.person} ${told.dataset}`;

function saved() {
  try {
    return JSON.parse(localStorage.getItem(SAVED)) ?? [];
  } catch {
    return [];
  }
}

function store(all) {
  try {
    localStorage.setItem(SAVED, JSON.stringify(all));
  } catch {
    say("The browser stores nothing: the query was not saved.");
  }
  list();
}

function use(queries) {
  for (const one of questions().slice(queries.length)) one.remove();
  queries.forEach(({ sql, weight, index, expected }, i) => {
    const one = questions()[i] ?? added();
    $('[name="weight"]', one).value = weight;
    for (const [name, value] of Object.entries({ index, expected })) $(`[name="${name}"]`, one).value = value ?? "";
    put(one, sql);
  });
  numbered();
  changed();
}

function list() {
  const all = saved();
  const entry = ({ label, queries }, i) => {
    const take = h("button", { type: "button", class: "btn small", onclick: () => (use(queries), $("#saved").close()) }, "Use", h("span", { class: "vh" }, ` ${label}`));
    const drop = h("button", { type: "button", class: "btn small quiet", onclick: () => store(saved().filter((_, each) => each !== i)) }, "Delete", h("span", { class: "vh" }, ` ${label}`));
    return h("li", { class: "row" }, h("span", { class: "grow break" }, label), take, drop);
  };
  $("#saved-list").replaceChildren(...all.map(entry));
  $("#saved-none").hidden = all.length > 0;
}

$("#open-saved").hidden = false;
$("#open-saved").addEventListener("click", () => (list(), opened($("#saved"))));
$("#saved .close").addEventListener("click", () => $("#saved").close());
$("#save").addEventListener("submit", (event) => {
  event.preventDefault();
  const { label } = event.target.elements;
  const name = label.value.trim();
  if (!name) return;
  store([...saved().filter((one) => one.label !== name), { label: name, queries: asked() }]);
  label.value = "";
});

const patterns = templates(told.vocabulary);
$("#templates").hidden = !patterns.length;
$("#templates").append(...patterns.map(([heading, all]) => h("optgroup", { label: heading }, all.map(([name, sql]) => h("option", { value: sql }, name)))));
$("#templates").addEventListener("change", ({ target }) => {
  if (target.value) use([{ sql: target.value, weight: 1 }]);
  target.value = "";
});

for (const one of questions()) equipped(one);
restore();
numbered();
offered();
try {
  ({ editing, unlisted } = await import("./editor.js"));
  for (const one of questions()) edited(one);
  doubted();
} catch (error) {
  console.warn(error); // it stays a textarea
}
if (told.ready) estimate();
else $("#estimate-shown").removeAttribute("aria-busy");
