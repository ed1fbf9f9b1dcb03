import { $, $$, at, busy, call, facts, number, onTheme, placed, quiet, say, show, table } from "./sfumato.js";

// Sliders look up what the server worked out: risks[stakes[sensitivity][trust]][point]. Nothing is computed here.
const { grid, figures, said, name, how, at: begin } = facts();
const form = $("#sliders");
const flat = window.Plotly;

const read = () => ({
  trust: Number(form.trust.value),
  sensitivity: Number(form.sensitivity.value),
  limit: Number(form.limit.value),
  point: Number(form.point.value),
});
const course = (sensitivity, trust) => grid.risks[grid.stakes[sensitivity][trust]];
const word = (figure) => grid.levels.findLast((level) => figure >= level.from).word;
const level = (figure) => `${number(figure)} (${word(figure)})`;
const share = (step) => level(Number((step / grid.steps).toFixed(2)));
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);
// The first noise, from little to much, at which the risk is within the limit; -1 where there is none.
const least = (risks, limit) => risks.findIndex((risk) => risk <= limit);

// ---------------------------------------------------------------------------------------------- in words

function words() {
  const { trust, sensitivity, limit, point } = read();
  const risks = course(sensitivity, trust);
  const risk = risks[point];
  const chosen = { trust: share(trust), sensitivity: share(sensitivity), limit: level(limit), risk: level(risk) };
  const shown = { trust: chosen.trust, sensitivity: chosen.sensitivity, limit: chosen.limit, point: grid.points[point].short };
  for (const [slider, text] of Object.entries(shown)) {
    $(`#${slider}-said`).textContent = text;
    form[slider].setAttribute("aria-valuetext", text);
  }
  const sentences = [filled(said.partner, chosen), grid.points[point].noise, grid.points[point].guess];
  sentences.push(`${risk <= limit ? "✓" : "✕"} ${filled(risk <= limit ? said.within : said.over, chosen)}`);
  if (least(risks, limit) < 0) sentences.push(said.never);
  $("#summary").replaceChildren(
    ...sentences.map((text) => Object.assign(document.createElement("p"), { textContent: text })),
  );
  $$("#course tbody tr").forEach((row, i) => {
    row.children[3].textContent = number(risks[i]);
    row.children[4].textContent = risks[i] <= limit ? "✓ within" : "✕ over";
    row.classList.toggle("current", i === point);
  });
  const rule = encodeURIComponent(JSON.stringify({ sharing_risk: limit, ...how }));
  $("#rule").href = `/datasets${at(name)}/policy?rule=${rule}`;
  keep(trust, sensitivity, limit, point);
}

// The address has what was chosen: to come back to, and to send on.
function keep(trust, sensitivity, limit, point) {
  const here = new URL(location.href);
  const stated = { trust: trust / grid.steps, sensitivity: sensitivity / grid.steps, limit, epsilon: grid.points[point].epsilon };
  for (const [key, value] of Object.entries(stated)) here.searchParams.set(key, value);
  history.replaceState(null, "", here);
}

// ------------------------------------------------------------------------------------------- as pictures

// The figures are the server's: what the sliders look up is put in.
const bounded = (trace, limit) => Object.assign(trace, { y: [limit, limit], text: ["", ` your limit ${number(limit)}`] });

function curve() {
  const { trust, sensitivity, limit, point } = read();
  const risks = course(sensitivity, trust);
  const first = least(risks, limit);
  const [line, here, bound, pin] = figures.curve.data;
  line.y = risks;
  Object.assign(here, { x: [line.x[point]], y: [risks[point]] });
  bounded(bound, limit);
  const [from, side] = [line.x[Math.max(0, first)], first < grid.points.length / 2 ? "right" : "left"];
  const text = first > 0 ? ["", ` ✓ from ${grid.points[first].short} on `] : [];
  Object.assign(pin, { visible: first > 0, x: [from, from], y: [0, Math.max(risks[0], limit)], text, textposition: `bottom ${side}` });
  placed($("#curve"), figures.curve, flat);
}

const TRUSTS = grid.levels.map(({ word: text, step }) => ({ text, step }));

function trusts() {
  if (!$("#by-trust").open) return;
  const { sensitivity, limit, point } = read();
  const lines = figures.trusts.data;
  TRUSTS.forEach(({ step }, i) => (lines[i].y = course(sensitivity, step)));
  bounded(lines.at(-1), limit);
  placed($("#trusts"), figures.trusts, flat);
  const rows = TRUSTS.map(({ text, step }) => {
    const risks = course(sensitivity, step);
    const first = least(risks, limit);
    return [`${text}, ${share(step).split(" ")[0]}`, level(risks[point]), first < 0 ? "none on this scale" : grid.points[first].short];
  });
  $("#trusts-table").replaceChildren(table("Sharing risk by level of trust", ["Trust", "Sharing risk at your noise", "Least noise within your limit"], rows));
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

async function space() {
  if (!$("#in-space").open) return;
  const { trust, sensitivity, limit, point } = read();
  const steps = [...Array(grid.steps + 1).keys()];
  const heads = ["Sensitivity", ...TRUSTS.map(({ text }) => `trust ${text}`)];
  const rows = TRUSTS.map(({ text, step }) => [text, ...TRUSTS.map((one) => number(course(step, one.step)[point]))]);
  $("#space-table").replaceChildren(table("Sharing risk by trust and sensitivity", heads, rows, { numbers: [1, 2, 3, 4, 5] }));
  $("#space-said").textContent = $("#summary p:nth-last-child(1)").textContent;
  if (!hasWebGL()) {
    $("#space-problem").textContent = said.flat;
    $("#space-problem").hidden = false;
    $("#space").hidden = true;
    return;
  }
  const plotly = await loaded();
  const [surface, plane, ...marks] = figures.space.data;
  surface.z = steps.map((s) => steps.map((t) => course(s, t)[point]));
  plane.z = plane.z.map((row) => row.map(() => limit));
  const [t, s, r] = [trust / grid.steps, sensitivity / grid.steps, course(sensitivity, trust)[point]];
  const places = [[[t, t], [s, s], [0, r]], [[0, t], [s, s], [0, 0]], [[t, t], [0, s], [0, 0]], [[0, t], [s, s], [r, r]], [[t], [s], [r]]];
  places.forEach(([x, y, z], i) => Object.assign(marks[i], { x, y, z }));
  const { eye } = (space.camera ??= structuredClone(figures.space.layout.scene.camera));
  const away = $("#space").clientWidth < 480 ? 1.6 : 1; // from further away where there is less room
  figures.space.layout.scene.camera.eye = { x: eye.x * away, y: eye.y * away, z: eye.z * away };
  await placed($("#space"), figures.space, plotly);
}

// ------------------------------------------------------------------------------------------------- moves

function all() {
  words();
  curve();
  trusts();
  space();
}

form.addEventListener("input", () => {
  $("#exact").textContent = "";
  all();
});
form.addEventListener("submit", (event) => event.preventDefault());
for (const id of ["by-trust", "in-space"]) $(`#${id}`).addEventListener("toggle", id === "by-trust" ? trusts : space);

$("#take").addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    quiet(form);
    const { trust, sensitivity, limit } = read();
    const first = least(course(sensitivity, trust), limit);
    form.point.value = first < 0 ? grid.points.length - 1 : first;
    all();
    say(first < 0 ? said.never : grid.points[first].noise);
    try {
      const partner = { trust: trust / grid.steps, data_sensitivity: sensitivity / grid.steps, limit };
      const found = await call("POST", `/datasets${at(name)}/guessing`, { sql: grid.query, how: { ...how, ...partner } });
      const exact = found.candidates.findIndex((one) => one.epsilon === found.epsilon);
      $("#exact").textContent = exact < 0 ? "" : `Exact result under a rule: ${found.why} ${found.sentences[exact]}`;
    } catch (error) {
      show(error, form);
    }
  }),
);

form.trust.value = begin.trust;
form.sensitivity.value = begin.sensitivity;
form.limit.value = begin.limit;
form.point.value = begin.point;
onTheme(all);
