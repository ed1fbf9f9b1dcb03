import { $, $$, at, busy, call, facts, h, number, onTheme, placed, Problem, quiet, say, show, table } from "./sfumato.js";
import { s } from "./drawing.js";

// Sliders look up what the server worked out: risks[stakes[sensitivity][trust]][point], and the least noise within the
// limit, for which the server is asked again after each move. Nothing is computed here but places on the paper.
const { grid, space: surface, said, dashes, name, how, guessed, recipient, feasible: meets, at: begin, least: first } = facts();
const form = $("#sliders");
let least = first; // null where any noise meets the limit
let feasible = meets; // whether any noise meets the limit: not where the recipient holds too much already
let asked = null; // what it was worked out for
let chosen = null; // the epsilon of the noise that is looked at

const read = () => ({ trust: Number(form.trust.value), sensitivity: Number(form.sensitivity.value), limit: Number(form.limit.value) });
const word = (figure) => grid.levels.findLast((level) => figure >= level.from).word;
const level = (figure) => `${number(figure)} (${word(figure)})`;
const share = (step) => level(Number((step / grid.steps).toFixed(2)));
const judged = (risk, limit) => `${level(risk)}${risk > limit ? ", over your limit" : ""}`;
const otherwise = () => (feasible ? said.every : said.unmet);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);

// Every noise, little first, with its risk for this recipient and these data; the least noise within the limit is one.
function scale(sensitivity, trust, exact = least) {
  const stake = grid.stakes[sensitivity][trust];
  const rows = grid.points.map((point, i) => ({ ...point, risk: grid.risks[stake][i], of: (t, d) => grid.risks[grid.stakes[d][t]][i] }));
  if (exact) rows.push({ ...exact, least: true, of: (t, d) => exact.risks[grid.stakes[d][t]] });
  return rows.sort((a, b) => b.epsilon - a.epsilon);
}

const nearest = (rows, epsilon) => rows.reduce((best, row, i) => (Math.abs(row.epsilon - epsilon) < Math.abs(rows[best].epsilon - epsilon) ? i : best), 0);

// ---------------------------------------------------------------------------------------------- in words

function words(rows, row) {
  const { trust, sensitivity, limit } = read();
  const values = { trust: share(trust), sensitivity: share(sensitivity), limit: number(limit), risk: level(row.risk) };
  const shown = { trust: values.trust, sensitivity: values.sensitivity, limit: level(limit), point: row.short };
  for (const [slider, text] of Object.entries(shown)) {
    $(`#${slider}-said`).textContent = text;
    form[slider].setAttribute("aria-valuetext", text);
  }
  const within = row.risk <= limit;
  const sentences = [filled(said.partner, values), row.noise, row.guess, filled(within ? said.within : said.over, values)];
  $("#summary").replaceChildren(...sentences.map((text) => h("p", {}, text)));
  $("#verdict").className = `verdict-title ${within ? "ok" : "over"}`;
  $("#verdict").textContent = within ? "✓ Within your limit" : "✕ Over your limit";
  $("#least").textContent = least ? least.sentence : otherwise();
  $("#course tbody").replaceChildren(
    ...rows.map((one) =>
      h("tr", { class: one === row ? "current" : null }, h("th", { scope: "row" }, one.short), ...(grid.count ? [h("td", { class: "number" }, one.share)] : []), h("td", { class: "number only-wide" }, number(one.epsilon, 3)), ...[one.guesses, number(one.risk)].map((text) => h("td", { class: "number" }, text)), h("td", {}, one.risk > limit ? "✕ over" : one.least ? "✓ least noise" : "✓ within")),
    ),
  );
  const rule = encodeURIComponent(JSON.stringify({ sharing_risk: limit, ...guessed }));
  $("#rule").href = `/datasets${at(name)}/policy?rule=${rule}`;
}

// The address has what was chosen: to come back to, and to send on.
function keep() {
  const { trust, sensitivity, limit } = read();
  const here = new URL(location.href);
  const stated = { trust: trust / grid.steps, sensitivity: sensitivity / grid.steps, limit, epsilon: chosen };
  for (const [key, value] of Object.entries(stated)) here.searchParams.set(key, value);
  history.replaceState(null, "", here);
}

// ------------------------------------------------------------------------------------------- as pictures

const TALL = 250;
const STEPS = [1, 2, 5];

function round(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = power * ([...STEPS, 10].find((times) => power * times >= most / 4 - 1e-12) ?? 10);
  return { step, top: Math.ceil(most / step - 1e-9) * step };
}

// Paper with both axes: noise on a log scale from little to much, risk from 0 up; the limit has its name at the right.
function paper(place, xs, most, limit) {
  const wide = Math.max(260, place.clientWidth);
  const [left, right, top] = [36, wide - 76, 40];
  const bottom = top + TALL;
  const [low, high] = [Math.log10(Math.min(...xs)), Math.log10(Math.max(...xs))];
  const falling = xs[0] > xs.at(-1);
  const part = (x) => (Math.log10(x) - low) / (high - low || 1);
  const x = (value) => left + (right - left) * (falling ? 1 - part(value) : part(value));
  const { step, top: highest } = round(Math.max(most, limit, 0.01));
  const y = (value) => bottom - (TALL * value) / highest;
  const ticks = Array.from({ length: Math.round(highest / step) + 1 }, (_, i) => i * step);
  const decades = Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, i) => 10 ** (Math.ceil(low) + i));
  const sheet = s("svg", { class: "chart", viewBox: `0 0 ${wide} ${bottom + 40}`, width: wide, height: bottom + 40, "aria-hidden": "true" });
  sheet.append(
    ...ticks.flatMap((tick) => [s("line", { class: "gridl", x1: left, x2: right, y1: y(tick), y2: y(tick) }), s("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, number(tick))]),
    ...decades.flatMap((tick) => [s("line", { class: "gridl", x1: x(tick), x2: x(tick), y1: top, y2: bottom }), s("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, falling ? number(tick) : `±${number(tick)}`)]),
    s("text", { class: "t-faint", x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, "little noise → much noise"),
    s("line", { class: "axisl", x1: left, x2: right, y1: bottom, y2: bottom }),
    s("line", { class: "limit", x1: left, x2: right, y1: y(limit), y2: y(limit) }),
    s("text", { class: "t-over", x: right + 6, y: y(limit) - 3 }, "your limit"),
    s("text", { class: "t-over", x: right + 6, y: y(limit) + 12 }, number(limit)),
  );
  return { sheet, x, y, top, bottom, left, right };
}

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A label in a lane above the curve, beside the place that it belongs to.
function flag({ sheet, left, right }, x, lane, from, text, kind) {
  const ends = x > (left + right) / 2;
  sheet.append(s("line", { class: kind === "t-ok" ? "lead-ok" : "lead-g", x1: x, x2: x, y1: lane + 4, y2: from }), s("text", { class: kind, x: x + (ends ? -2 : 2), y: lane, "text-anchor": ends ? "end" : "start" }, text));
}

function curve(rows, row) {
  const { limit } = read();
  const place = $("#curve");
  const drawn = paper(place, rows.map((one) => one.across), Math.max(...rows.map((one) => one.risk)), limit);
  const { sheet, x, y, bottom } = drawn;
  const spot = (one) => [x(one.across), y(one.risk)];
  sheet.append(s("path", { class: "curve", d: path(rows.map(spot)) }));
  const within = rows.filter((one) => one.risk <= limit);
  if (within.length) sheet.append(s("path", { class: "curve-ok", d: path(within.map(spot)) }));
  if (least) flag(drawn, x(least.across), 12, bottom, `✓ from ${least.short} on`, "t-ok");
  const [cx, cy] = spot(row);
  flag(drawn, cx, 30, cy, row.least ? `chosen: risk ${number(row.risk)}` : `chosen: ${row.short}, risk ${number(row.risk)}`, "t-acc");
  sheet.append(s("circle", { class: "req", cx, cy, r: 7 }));
  place.replaceChildren(sheet);
}

const TRUSTS = grid.levels.map(({ word: text, step }) => ({ text, step }));

async function trusts(row) {
  const fold = $("#by-trust");
  if (!fold.open) return;
  const { sensitivity, limit } = read();
  const lines = TRUSTS.map(({ step }) => scale(sensitivity, step, null));
  const { sheet, x, y } = paper($("#trusts"), lines[0].map((one) => one.across), Math.max(...lines.flat().map((one) => one.risk)), limit);
  sheet.append(...lines.map((rows, i) => s("path", { class: `series s${i + 1}`, "stroke-dasharray": dashes[i], d: path(rows.map((one) => [x(one.across), y(one.risk)])) })));
  $("#trusts").replaceChildren(sheet);
  $("#trusts-legend").replaceChildren(
    ...TRUSTS.map(({ text }, i) => h("span", {}, s("svg", { class: "chart", viewBox: "0 0 36 12", "aria-hidden": "true" }, s("path", { class: `series s${i + 1}`, "stroke-dasharray": dashes[i], d: "M0 6H36" })), `trust ${text}`)),
  );
  const cells = (found) => TRUSTS.map(({ text, step }, i) => [`${text}, ${share(step).split(" ")[0]}`, judged(row.of(step, sensitivity), limit), found[i]]);
  const put = (found) => $("#trusts-table").replaceChildren(table("Sharing risk by level of trust", ["Trust", "Sharing risk at your noise", "Least noise within your limit"], cells(found)));
  put(TRUSTS.map(() => "…"));
  const text = JSON.stringify(terms());
  if (asked !== text) return; // it is drawn again once the server has answered
  const each = await Promise.all(TRUSTS.map(({ step }) => noiseFor({ ...terms(), trust: step / grid.steps })));
  if (JSON.stringify(terms()) === text) put(each.map((one) => one.least?.short ?? (one.feasible ? "any noise" : "none")));
}

// The least noise that meets the limit under these terms, by the server; each is asked for once.
const solved = new Map();
function noiseFor(stated) {
  const text = JSON.stringify(stated);
  if (!solved.has(text)) solved.set(text, call("POST", `/datasets${at(name)}/guessing`, { sql: grid.query, how: { ...how, ...stated }, recipient }).then((answer) => ({ least: answer.least, feasible: answer.feasible })));
  solved.get(text).catch(() => solved.delete(text));
  return solved.get(text);
}

let deep;
function loaded() {
  deep ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = $("#sharing-script").dataset.space;
    script.addEventListener("load", () => done(window.Plotly));
    script.addEventListener("error", failed);
    document.head.append(script);
  });
  return deep;
}

const hasWebGL = () => Boolean(document.createElement("canvas").getContext("webgl"));

async function space(row) {
  if (!$("#in-space").open) return;
  const { trust, sensitivity, limit } = read();
  const steps = [...Array(grid.steps + 1).keys()];
  const heads = ["Sensitivity", ...TRUSTS.map(({ text }) => `trust ${text}`)];
  const cells = TRUSTS.map(({ text, step }) => [text, ...TRUSTS.map((one) => number(row.of(one.step, step)))]);
  $("#space-table").replaceChildren(table("Sharing risk by trust and sensitivity", heads, cells, { numbers: [1, 2, 3, 4, 5] }));
  $("#space-said").textContent = $("#summary p:nth-last-child(1)").textContent;
  if (!hasWebGL()) {
    $("#space-problem").textContent = said.flat;
    $("#space-problem").hidden = false;
    $("#space").hidden = true;
    return;
  }
  const plotly = await loaded();
  const [shape, plane, ...marks] = surface.data;
  shape.z = steps.map((d) => steps.map((t) => row.of(t, d)));
  plane.z = plane.z.map((line) => line.map(() => limit));
  const [t, d, r] = [trust / grid.steps, sensitivity / grid.steps, row.risk];
  const places = [[[t, t], [d, d], [0, r]], [[0, t], [d, d], [0, 0]], [[t, t], [0, d], [0, 0]], [[0, t], [d, d], [r, r]], [[t], [d], [r]]];
  places.forEach(([x, y, z], i) => Object.assign(marks[i], { x, y, z }));
  const { camera } = surface.layout.scene;
  const away = $("#space").clientWidth < 480 ? 2.1 : 1; // so that all of it fits a telephone
  const eye = Object.fromEntries(Object.entries(camera.eye).map(([axis, far]) => [axis, far * away]));
  const scene = { ...surface.layout.scene, camera: { ...camera, eye } };
  await placed($("#space"), { ...surface, layout: { ...surface.layout, scene } }, plotly);
}

// ------------------------------------------------------------------------------------------------- moves

// The noise that was looked at stays, wherever the least one moves to.
function all() {
  const { trust, sensitivity } = read();
  const rows = scale(sensitivity, trust);
  const index = nearest(rows, chosen);
  form.point.max = rows.length - 1;
  form.point.value = index;
  words(rows, rows[index]);
  keep();
  curve(rows, rows[index]);
  trusts(rows[index]).catch(failed);
  space(rows[index]);
}

const terms = () => {
  const { trust, sensitivity, limit } = read();
  return { trust: trust / grid.steps, data_sensitivity: sensitivity / grid.steps, limit };
};

// The least noise for these terms; an answer to earlier ones is too late.
async function solve() {
  const stated = terms();
  const text = JSON.stringify(stated);
  if (asked === text) return;
  const found = await noiseFor(stated);
  if (JSON.stringify(terms()) !== text) return;
  [least, feasible, asked] = [found.least, found.feasible, text];
  all();
}

let pause;
form.addEventListener("input", (event) => {
  if (event.target.name === "point") {
    const { trust, sensitivity } = read();
    chosen = scale(sensitivity, trust)[Number(form.point.value)].epsilon;
    return all();
  }
  // Until the server has answered, there is no mark: an old one would be wrong.
  if (JSON.stringify(terms()) !== asked) [least, asked] = [null, null];
  all();
  $("#least").textContent = "…";
  clearTimeout(pause);
  pause = setTimeout(() => solve().catch(failed), 150);
  return undefined;
});
// Trust is the lowest of its factors, once each is rated.
$("#factors").addEventListener("change", () => {
  const rated = $$("[data-factor]").map((select) => select.value);
  if (rated.some((value) => value === "")) return;
  form.trust.value = Math.min(...rated.map(Number));
  form.trust.dispatchEvent(new Event("input", { bubbles: true }));
});
const failed = (error) => {
  if (!(error instanceof Problem)) throw error;
  show(error, form);
};
form.addEventListener("submit", (event) => event.preventDefault());
for (const id of ["by-trust", "in-space"]) $(`#${id}`).addEventListener("toggle", () => all());

$("#take").addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    quiet(form);
    try {
      clearTimeout(pause);
      await solve();
      if (least) chosen = least.epsilon;
      all();
      say(least ? least.sentence : otherwise());
    } catch (error) {
      failed(error);
    }
  }),
);

form.trust.value = begin.trust;
form.sensitivity.value = begin.sensitivity;
form.limit.value = begin.limit;
asked = JSON.stringify(terms());
chosen = scale(begin.sensitivity, begin.trust)[begin.point].epsilon;
onTheme(all);
let width = 0;
new ResizeObserver(([{ contentRect }]) => {
  if (Math.round(contentRect.width) === width) return;
  width = Math.round(contentRect.width);
  all();
}).observe($("#curve"));
