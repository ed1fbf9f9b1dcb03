// The risk explorer: sliders look up what the server wrote for each of their stops, and the picture follows.
// Nothing is computed here but places on a screen; what is decided is in decision.js, which comes when it is needed.

import { $, $$, asks, at, call, facts, h, onTheme, opened, pageNow, placed, say } from "./sfumato.js";

const known = facts();
const sources = known.found ? { "worst case": known.found } : {};
const KINDS = ["gap", "chance", "error", "epsilon"];
const now = { source: "worst case", picture: "range", kind: known.found?.start.kind, index: {}, looked: known.looked };

// ------------------------------------------------------------------------------------------------ looking up

const found = () => sources[now.source];
const kindOf = () => ($('[name="guarantee"]:checked')?.value === "dp-selected" && found().sliders.selected.stops.length ? "selected" : now.kind);
const stop = () => {
  const stops = found().sliders[kindOf()].stops;
  return stops[Math.min(stops.length - 1, now.index[kindOf()])];
};
const pointAt = (epsilon) => found().points.find((point) => point.epsilon === epsilon);

// ------------------------------------------------------------------------------------------------ drawing

function words(asked) {
  const point = asked.selected ? undefined : pointAt(asked.epsilon);
  $("#asked").textContent = asked.words;
  const standing = kindOf() === "epsilon" && asked.epsilon === known.now ? found().standing : "";
  $("#leads").textContent = [standing, asked.why].filter(Boolean).join(" ");
  $("#words").replaceChildren(...(point ? point.words : [asked.why, asked.bound].filter(Boolean)).map((sentence) => h("p", {}, sentence)));
  for (const side of ["out", "in"]) {
    const most = asked.most ?? null;
    const n = point ? point[side] : most === null ? 0 : side === "in" ? most : 100 - most;
    $(`#${side}`).textContent = point || most !== null ? `${n}%` : "–";
    const all = "●".repeat(n) + "○".repeat(100 - n);
    $(`#${side}-dots`).textContent = all.match(/.{20}/gu).join("\n");
    $(`#${side}-dots`).setAttribute("aria-label", `${n} filled dots`);
  }
}

function rows(asked) {
  const cell = found().cell;
  $("#cell-head").hidden = cell === null;
  $("#cell-head").textContent = cell ?? "";
  const made = asked.rows.map(([index, name]) => {
    const [point, said] = [found().points[index], known.verdicts[name]];
    return h(
      "tr",
      said.name === "chosen" ? { class: "current" } : {},
      h("th", { scope: "row", class: "number" }, point.shown),
      cell === null ? null : h("td", { class: "number" }, point.cell ?? ""),
      h("td", { class: "number" }, point.noise),
      h("td", { class: "number" }, point.gap_shown),
      h("td", { class: "number" }, point.odds),
      h("td", { class: `nowrap verdict ${said.mark}` }, `${said.glyph} ${said.words}`),
    );
  });
  $("#rows").replaceChildren(...made);
}

function sliders() {
  for (const kind of [...KINDS, "selected"]) {
    const input = document.getElementById(kind);
    const stops = found().sliders[kind].stops;
    if (!input || !stops.length) continue;
    const here = stops[Math.min(stops.length - 1, now.index[kind])];
    document.getElementById(`${kind}-value`).textContent = here.shown;
    input.setAttribute("aria-valuetext", `${here.shown}. ${here.words}`);
    input.closest(".kind").classList.toggle("idle", kind !== kindOf());
  }
}

// Where bars are narrow, the sign of each stands above it without its number.
function ranges({ figure }) {
  if ($("#plot").clientWidth >= 480) return figure;
  const [bars, ...lines] = figure.data;
  const text = bars.text.map((words) => words.split("<br>").at(-1));
  const xaxis = { ...figure.layout.xaxis, tickfont: { size: 10 } };
  return { data: [{ ...bars, text }, ...lines], layout: { ...figure.layout, xaxis } };
}

function picture(asked) {
  const tab = $("#pictures");
  tab.hidden = !found().histogram;
  if (tab.hidden && now.picture === "histogram") {
    now.picture = "range";
    $('[name="picture"][value="range"]').checked = true;
  }
  const { data, layout } = now.picture === "histogram" ? found().histogram.figure : ranges(asked);
  const notes = now.picture === "histogram" ? found().histogram.notes.join(" ") : "";
  $("#picture-title").textContent = now.picture === "histogram" ? found().histogram.title : "Risk gap";
  $("#picture-notes").textContent = notes;
  $("#picture-notes").hidden = !notes;
  const label = now.picture === "histogram" ? `${found().histogram.title}. ${notes}` : asked.label;
  $("#plot").setAttribute("aria-label", label);
  return placed($("#plot"), { data, layout: { ...layout, height: 330 } });
}

// After a look, a private selection counts only if it was requested before.
const tooLate = () => now.looked && known.word !== "dp-selected";

// A moved slider is a preview: approval covers the submitted request.
function thought(asked) {
  const changed = known.now === null || asked.selected || asked.epsilon !== known.now;
  const shut = now.looked && changed;
  for (const radio of $$('[name="guarantee"]')) {
    if (radio.value === "none") radio.disabled = !now.looked;
    else radio.disabled = shut || (radio.value === "dp-selected" && (tooLate() || !found().sliders.selected.stops.length));
  }
  if (kindOf() !== "selected") {
    const word = shut ? "none" : changed ? "dp" : known.word;
    $(`[name="guarantee"][value="${word}"]`).checked = true;
  }
  $("#open").textContent = now.looked ? known.say.looked : known.say.no_one_looked;
  const rule = Object.fromEntries(Object.entries(asked.rule).filter(([, value]) => value !== null));
  $("#thought").hidden = !changed;
  $("#thought-text").textContent = known.now === null ? known.say.unknown : known.say.thought;
  $("#make-rule").hidden = !Object.keys(rule).length;
  $("#make-rule").href = `/datasets${at(known.dataset)}/policy?rule=${encodeURIComponent(JSON.stringify(rule))}`;
  if ($("#propose")) $("#propose").hidden = !asked.proposal;
}

function about() {
  const { words, deciding, size, notes, no_probability } = found();
  $("#source").textContent = words;
  $("#deciding").textContent = now.looked ? known.say.after : deciding;
  $("#size").textContent = size;
  $("#no-probability").textContent = no_probability;
  $("#notes").replaceChildren(...notes.map((note) => h("p", { class: "hint" }, note)));
}

let waiting = 0;
function draw() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    const asked = stop();
    if ($("#privately")) $("#privately").hidden = kindOf() !== "selected";
    sliders();
    words(asked);
    rows(asked);
    thought(asked);
    picture(asked);
  });
}

// ------------------------------------------------------------------------------------------------ moving

function moved(kind) {
  now.index[kind] = Number(document.getElementById(kind).value);
  if (kind !== "selected") {
    now.kind = kind;
    $(`[name="kind"][value="${kind}"]`).checked = true;
    const privately = $('[name="guarantee"][value="dp-selected"]');
    if (privately.checked) $('[name="guarantee"][value="dp"]').checked = true;
  }
  draw();
}

// Another source: where nothing was moved, it stands at what is in force there too.
function turned(source) {
  const before = stop();
  now.source = source;
  if (before.epsilon === known.now && known.now !== null && kindOf() !== "selected") stand(found().start);
  $(`[name="source"][value="${source}"]`).checked = true;
  about();
  draw();
}

function stand({ kind, index }) {
  now.kind = kind;
  now.index[kind] = index;
  $(`[name="kind"][value="${kind}"]`).checked = true;
  document.getElementById(kind).value = index;
}

function ready(source) {
  const radio = $(`[name="source"][value="${source}"]`);
  radio.disabled = false;
  radio.closest("label").hidden = false;
}

async function explored(source, more = {}) {
  const { how, ...beside } = more;
  const body = { sql: known.sql, source, how: { ...known.how, ...how }, preference: known.preference, now: known.now, ...beside };
  sources[source] = await call("POST", `/datasets${at(known.dataset)}/explore`, body);
  ready(source);
}

async function rehearsed() {
  const told = $("#rehearsing");
  told.textContent = " …";
  $("#working").hidden = false;
  try {
    await explored("rehearsal");
    told.textContent = "";
  } catch (error) {
    told.textContent = " ✕";
    told.parentElement.title = error.sentence ?? "";
    $("#source-problem").textContent = `The rehearsal failed. ${error.sentence ?? ""}`;
    $("#source-problem").hidden = false;
  } finally {
    $("#working").hidden = true;
  }
}

// After a look, another preference has no guarantee.
export function noteLook() {
  now.looked = true;
  if (tooLate() && kindOf() === "selected") $('[name="guarantee"][value="none"]').checked = true;
  for (const place of ["#exposure-histogram-none", "#warning"]) if ($(place)) $(place).hidden = false;
  about();
  draw();
}

// Parts of the page that change after a charge, a look or a decision, as the server renders them now.
export async function refresh() {
  const now = await pageNow();
  if (!now) return;
  for (const part of ["#cost", "#spent", "#spent-meter", "#to-inbox"]) {
    const [old, fresh] = [$(part), now.querySelector(part)];
    if (old && fresh) old.replaceWith(document.adoptNode(fresh));
    else old?.remove();
  }
}

function explorer() {
  for (const kind of [...KINDS, "selected"]) {
    const input = document.getElementById(kind);
    if (!input) continue;
    now.index[kind] = Number(input.value);
    input.addEventListener("input", () => moved(kind));
  }
  for (const radio of $$('[name="kind"]')) radio.addEventListener("change", () => moved(radio.value));
  for (const radio of $$('[name="guarantee"]')) radio.addEventListener("change", draw);
  for (const radio of $$('[name="source"]')) radio.addEventListener("change", () => turned(radio.value));
  for (const radio of $$('[name="picture"]')) {
    radio.addEventListener("change", () => {
      now.picture = radio.value;
      draw();
    });
  }
  $("#look").addEventListener("click", () => (sources.people ? turned("people") : opened($("#look-dialog"))));
  $("#draw-histogram").addEventListener("click", () => opened($("#exposure-histogram-dialog")));
  asks($("#look-dialog"), async () => {
    await explored("people");
    noteLook();
    turned("people");
    refresh();
    say(found().words);
  });
  asks($("#exposure-histogram-dialog"), async ({ epsilon, allow_no_guarantee }) => {
    await explored("exposure histogram", { epsilon: Number(epsilon), how: allow_no_guarantee ? { allow_no_guarantee } : {} });
    turned("exposure histogram");
    say(`${found().words} ${sources["exposure histogram"].spent.words}`);
    await refresh();
    setTimeout(() => $(".picture").scrollIntoView({ block: "start" })); // once the dialog is closed
  });
  const reading = $("#reading"); // open until it was closed once
  if (localStorage.getItem("reading") === "closed") reading.open = false;
  reading.addEventListener("toggle", () => !reading.open && localStorage.setItem("reading", "closed"));
  stand(known.found.start);
  onTheme(draw);
  addEventListener("resize", draw);
  rehearsed();
}

if (known.found) explorer();

// The preference proposed when a request is returned; and whether the data was looked at meanwhile.
export const proposal = () => stop().proposal;
export const looked = () => now.looked;

if (known.request) {
  const decision = () => import("./decision.js");
  if (["approved", "running"].includes(known.state)) decision().then((made) => made.follow());
  if (location.hash === "#approve" && $("#approve-dialog")) decision().then((made) => made.ask("approve"));
  for (const id of ["approve", "return", "refuse", "propose", "cancel", "see-answer"]) {
    document.getElementById(id)?.addEventListener("click", () => decision().then((made) => made.ask(id)));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=range], [type=radio]), textarea, select, dialog") || $("dialog[open]")) return;
    const button = document.getElementById({ a: "approve", r: "return" }[event.key.toLowerCase()] ?? "");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
