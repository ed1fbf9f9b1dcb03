// The page of a query's risk: sliders look up what the server wrote for each of their stops, and the chart follows.
// Nothing is computed here but places on a screen; decisions are in decision.js, which comes when it is needed.

import { answerRange, histogram, riskNoise, riskRange } from "./charts.js";
import { $, $$, asks, at, call, facts, h, opened, pageNow, rounded, say } from "./sfumato.js";

const known = facts();
const sources = known.found ? { "worst case": known.found } : {};
const now = { source: "worst case", view: "noise", kind: known.found?.start.kind, moved: false, group: 0, looked: known.looked };

// ------------------------------------------------------------------------------------------------ looking up

const found = () => sources[now.source];
const stops = (kind = now.kind) => known.found.sliders[kind].stops;
const slider = (kind = now.kind) => document.getElementById(kind);

// The criterion is a kind and a value; another source is asked for the same one.
function stop() {
  const here = stops()[Number(slider().value)];
  const there = found().sliders[now.kind].stops;
  return there.find((one) => one.value === here.value) ?? { ...here, epsilon: null, why: found().sliders[now.kind].why };
}
const pointAt = (epsilon) => (epsilon === null ? undefined : found().points.find((point) => point.epsilon === epsilon));
const requested = () => pointAt(known.now);
const previewed = () => (now.moved ? pointAt(stop().epsilon) : undefined);
const current = () => (now.moved ? previewed() : requested());

// ------------------------------------------------------------------------------------------------ showing

function words() {
  const [asked, point] = [stop(), current()];
  slider().setAttribute("aria-valuetext", asked.shown);
  document.getElementById(`${now.kind}-value`).textContent = asked.shown;
  const mark = point && now.moved ? known.verdicts[point.verdict] : null;
  $("#preview").replaceChildren(
    ...(!now.moved
      ? [known.say.preview]
      : point
        ? [h("b", { class: mark.mark }, `${mark.glyph} Epsilon ${point.shown}, ${mark.words}: `), `${point.short}.`]
        : [[asked.why, asked.bound].filter(Boolean).join(" ")]),
  );
  $("#leads").hidden = !now.moved;
  $("#leads").textContent = now.moved ? `${asked.words} ${point ? asked.why : ""}` : "";
  $("#words").textContent = point ? point.words.join(" ") : "";
  for (const side of ["out", "in"]) {
    const most = now.moved ? asked.most : null;
    const n = point ? point[side] : most === null ? 0 : side === "in" ? most : 100 - most;
    $(`#${side}`).textContent = point || most !== null ? `${n}%` : "–";
    $(`#${side}-dots`).textContent = ("●".repeat(n) + "○".repeat(100 - n)).match(/.{20}/gu).join("\n");
    $(`#${side}-dots`).setAttribute("aria-label", `${n} filled dots`);
  }
}

// The two ways to act on a preview; one that would do nothing is not offered.
function actions() {
  const asked = stop();
  const rule = Object.fromEntries(Object.entries(asked.rule).filter(([, value]) => value !== null));
  $("#preview-actions").hidden = !now.moved;
  $("#make-rule").hidden = !Object.keys(rule).length;
  $("#make-rule").href = `/datasets${at(known.dataset)}/policy?rule=${encodeURIComponent(JSON.stringify(rule))}`;
  if ($("#propose")) $("#propose").hidden = !asked.proposal;
}

const pill = (point) => (point === requested() ? h("span", { class: "pill info" }, known.say.pinned) : point === previewed() ? h("span", { class: "pill ghosty" }, "Preview") : null);

function rows() {
  const cell = now.view === "answer" || now.source === "people" ? found().cells[now.group] : undefined;
  const range = now.view === "range";
  $("#cell-head").hidden = !cell && !range;
  $("#cell-head").textContent = range ? "RDR, lowest to highest" : (cell?.name ?? "");
  $("#rows").replaceChildren(
    ...found()
      .points.filter((point) => point.listed || point === previewed())
      .map((point) => {
        const mark = known.verdicts[point.verdict];
        return h(
          "tr",
          { class: point === requested() ? "is-request" : point === previewed() ? "is-preview" : null },
          h("th", { scope: "row" }, point.shown, " ", pill(point)),
          range ? h("td", { class: "num cell" }, point.rdr_shown) : cell ? h("td", { class: "num cell" }, point.cell_half ? rounded(cell.value, [cell.value - point.cell_half, cell.value + point.cell_half]).slice(1).join(" to ") : "") : null,
          h("td", { class: "num noise" }, point.noise),
          h("td", { class: "num" }, point.odds),
          h("td", { class: "num" }, point.gap_shown),
          h("td", { class: `verdict ${mark.mark}` }, `${mark.glyph} ${mark.words}`),
        );
      }),
  );
}

function drawing(width, height) {
  const { points, cells, needs } = found();
  const { axis } = known.found; // with the unit of the answer
  const shared = { points, request: requested(), preview: previewed(), narrow: width < 480 };
  if (now.view === "range") return riskRange(width, height, shared);
  if (now.view === "histogram") {
    const point = current() ?? points[0];
    return found().histogram ? histogram(width, height, { ...found().histogram, point }) : known.say.no_histogram;
  }
  if (now.view === "answer") return (cells.length && answerRange(width, height, { ...shared, ...cells[now.group] })) || known.say.no_cells;
  const own = ["worst case", "exposure histogram"].includes(now.source) ? "" : found().title;
  return riskNoise(width, height, { ...shared, pinned: known.say.pinned, limit: known.limit, needs, axis, own }) ?? riskRange(width, height, shared);
}

function picture() {
  const plot = $("#plot");
  const drawn = drawing(Math.max(280, plot.clientWidth), 260);
  plot.replaceChildren(drawn instanceof Node ? drawn : h("p", { class: "empty" }, drawn));
  const point = current();
  const named = $(`[name="view"]:checked`).nextElementSibling.textContent;
  plot.setAttribute("aria-label", `${named}. ${point ? `Epsilon ${point.shown}: ${point.short}.` : ""} The table below has the figures.`);
  const notes = now.view === "histogram" ? (found().histogram?.notes ?? []).join(" ") : "";
  $("#picture-notes").textContent = notes;
  $("#picture-notes").hidden = !notes;
  $("#groups").hidden = now.view !== "answer" || found().cells.length < 2;
  $("#use-rehearsal").hidden = drawn instanceof Node || now.source === "rehearsal" || !sources.rehearsal;
  plot.dispatchEvent(new Event("drawn"));
}

function about() {
  const { title, words, notes, no_probability, heading, cells } = found();
  $("#source").textContent = now.source === "people" && $("#warning") ? `${title}.` : words; // what a look means is said once
  $("#no-probability").textContent = no_probability;
  $("#noise-head").textContent = heading.charAt(0).toUpperCase() + heading.slice(1);
  $("#notes").replaceChildren(...notes.map((note) => h("p", { class: "hint" }, note)));
  now.group = Math.min(now.group, Math.max(0, cells.length - 1));
  $("#group").replaceChildren(...cells.map(({ name }, i) => h("option", { value: i, selected: i === now.group }, name)));
}

let waiting = 0;
function draw() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    words();
    actions();
    rows();
    picture();
  });
}

// ------------------------------------------------------------------------------------------------ moving

const only = (kind) => {
  for (const one of $$(".slider")) one.hidden = document.getElementById(`${one.id}-value`).hidden = one.id !== kind;
};

// Another criterion starts at the largest epsilon that is no more than the one before.
function turnTo(kind) {
  const epsilon = current()?.epsilon ?? 0;
  now.kind = kind;
  only(kind);
  const places = stops().map((one, i) => [i, one.epsilon]).filter(([, one]) => one !== null && one <= epsilon);
  if (places.length) slider().value = places.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
  now.moved = true;
  draw();
}

function reset() {
  const { kind, index } = known.found.start;
  now.kind = $("#kind").value = kind;
  only(kind);
  slider().value = index;
  now.moved = false;
  draw();
}

function turned(source) {
  now.source = source;
  $(`[name="source"][value="${source}"]`).checked = true;
  about();
  draw();
}

function ready(source) {
  const radio = $(`[name="source"][value="${source}"]`);
  radio.disabled = false;
  radio.hidden = radio.nextElementSibling.hidden = false;
}

async function explored(source, more = {}) {
  const { how, ...beside } = more;
  const body = { sql: known.sql, source, how: { ...known.how, ...how }, preference: known.preference, now: known.now, limit: known.rule, ...(known.accuracy ? { accuracy: known.accuracy } : {}), ...(known.candidates ? { candidates: known.candidates } : {}), ...beside };
  sources[source] = await call("POST", `/datasets${at(known.dataset)}/explore`, body);
  ready(source);
}

async function rehearsed() {
  const told = $("#rehearsing");
  told.textContent = " …";
  try {
    await explored("rehearsal");
    told.textContent = "";
    if (now.view === "histogram" || now.view === "answer") draw();
  } catch (error) {
    told.textContent = " ✕";
    told.parentElement.title = error.sentence ?? "";
    $("#source-problem").textContent = `The rehearsal failed. ${error.sentence ?? ""}`;
    $("#source-problem").hidden = false;
  }
}

// After a look, another preference has no guarantee, and a private selection counts only if it was requested before.
export function noteLook() {
  now.looked = true;
  if (known.found && known.word !== "dp-selected") $('#kind option[value="selected"]').disabled = true;
  if (now.kind === "selected" && known.word !== "dp-selected") reset();
  for (const place of ["#exposure-histogram-none", "#warning"]) if ($(place)) $(place).hidden = false;
}

// Parts of the page that change after a charge, a look or a decision, as the server renders them now.
export async function refresh() {
  const fresh = await pageNow();
  if (!fresh) return;
  const found = JSON.parse(fresh.getElementById("facts").textContent).found;
  if (known.found && found) {
    // The noise of an average is now that for the counts of the answer; the stops of the sliders stay.
    sources["worst case"] = known.found = { ...found, sliders: known.found.sliders };
    if (now.source === "worst case") about();
    draw();
  }
  for (const part of ["#verdict", "#bar-facts", "#approve", "#to-inbox"]) {
    const [old, one] = [$(part), fresh.querySelector(part)];
    if (old && one) old.replaceWith(document.adoptNode(one));
    else old?.remove();
  }
}

function explorer() {
  for (const input of $$(".slider")) {
    input.addEventListener("input", () => {
      now.moved = true;
      draw();
    });
  }
  $("#kind").addEventListener("change", ({ target }) => turnTo(target.value));
  $("#reset").addEventListener("click", reset);
  for (const radio of $$('[name="source"]')) radio.addEventListener("change", () => turned(radio.value));
  for (const radio of $$('[name="view"]')) {
    radio.addEventListener("change", () => {
      now.view = radio.value;
      draw();
    });
  }
  $("#use-rehearsal").addEventListener("click", () => turned("rehearsal"));
  $("#group").addEventListener("change", ({ target }) => {
    now.group = Number(target.value);
    draw();
  });
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
    now.view = "histogram";
    $("#view-histogram").checked = true;
    turned("exposure histogram");
    say(`${found().words} ${sources["exposure histogram"].spent.words}`);
    await refresh();
  });
  addEventListener("resize", draw);
  reset();
  rehearsed();
}

if (known.found) explorer();

// The preference proposed when a request is returned; and whether the data was looked at meanwhile.
export const proposal = () => stop().proposal;
export const looked = () => now.looked;

// From a decision on there is nothing that a preview could lead to.
export function decided() {
  if (!known.found) return;
  known.say.preview = known.say.decided;
  words();
}

// ------------------------------------------------------------------------------------------------ deciding

const ACTS = ["approve", "return", "refuse", "propose", "cancel", "see-answer"];

if (known.request) {
  const decision = () => import("./decision.js");
  const kept = `note ${known.request}`; // until it is sent
  const notes = $$("#note, #return-note, #refuse-note");
  for (const note of notes) {
    note.value = sessionStorage.getItem(kept) ?? "";
    note.addEventListener("input", () => {
      sessionStorage.setItem(kept, note.value);
      for (const other of notes) other.value = note.value;
    });
  }
  if (["approved", "running"].includes(known.state)) decision().then((made) => made.follow());
  $("#assigned")?.addEventListener("change", () => decision().then((made) => made.assign($("#assigned"))));
  if (location.hash === "#approve" && $("#approve-dialog")) decision().then((made) => made.ask("approve"));
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(ACTS.map((id) => `button#${id}`).join(","));
    if (button) decision().then((made) => made.ask(button.id));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=range], [type=radio]), textarea, select, dialog") || $("dialog[open]")) return;
    const button = document.getElementById({ a: "approve", r: "return", j: "to-following", k: "to-previous" }[event.key.toLowerCase()] ?? "");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
