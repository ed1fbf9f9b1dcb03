import { $, $$, at, busy, call, colour, facts, number, onTheme, plain, quiet, say, show, table, typeface } from "./sfumato.js";

// Sliders look up what the server worked out: risks[stakes[sensitivity][trust]][point]. Nothing is computed here.
const { grid, said, name, how, at: begin } = facts();
const form = $("#sliders");
const flat = window.Plotly;
const PLAIN = { displayModeBar: false, responsive: true };

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

const axis = (title, more = {}) => ({ title: { text: plain(title) }, gridcolor: colour("grid"), zeroline: false, ...more });
const frame = (more = {}) => ({
  paper_bgcolor: colour("paper"),
  plot_bgcolor: colour("paper"),
  font: { color: colour("ink"), family: typeface() },
  margin: { t: 20, r: 15, b: 60, l: 60 },
  ...more,
});
// More noise is to the right, also where it is told by epsilon.
const backwards = grid.points[0].across > grid.points.at(-1).across;
const across = () => axis(grid.across, { type: "log", dtick: 1, autorange: backwards ? "reversed" : true });
const up = (top) => axis("sharing risk, 0 to 1", { range: [0, top] });

// A line across at the limit, with its name.
function limitLine(limit) {
  const over = colour("over");
  return {
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: limit, y1: limit, line: { color: over, width: 2, dash: "dash" } }],
    annotations: [{ xref: "paper", x: 1, xanchor: "right", y: limit, yanchor: "bottom", showarrow: false, text: `your limit ${number(limit)}`, font: { color: colour("bad") } }],
  };
}

const drawn = { curve: false, trusts: false };
function draw(id, data, layout) {
  const work = drawn[id] ? flat.react : flat.newPlot;
  drawn[id] = true;
  work($(`#${id}`), data, layout, PLAIN);
}

function curve() {
  if (!flat) return;
  const { trust, sensitivity, limit, point } = read();
  const risks = course(sensitivity, trust);
  const x = grid.points.map((one) => one.across);
  const first = least(risks, limit);
  const data = [
    { x, y: risks, mode: "lines", name: "risk", line: { color: colour("chosen"), width: 3 }, text: grid.points.map((one) => plain(one.guess)), hovertemplate: "%{x:.3~g}: risk %{y:.3~g}<br>%{text}<extra></extra>" },
    { x: [x[point]], y: [risks[point]], mode: "markers", name: "your noise", marker: { color: colour("paper"), size: 14, line: { color: colour("ink"), width: 3 } }, hoverinfo: "skip" },
  ];
  const layout = frame({ xaxis: across(), yaxis: up(Math.min(1, Math.max(risks[0], limit) * 1.15)), showlegend: false, ...limitLine(limit) });
  if (first > 0) {
    layout.shapes.push({ type: "line", x0: x[first], x1: x[first], yref: "paper", y0: 0, y1: 1, line: { color: colour("ok"), width: 2, dash: "dot" } });
    const beside = first < grid.points.length / 2 ? "left" : "right";
    layout.annotations.push({ x: Math.log10(x[first]), yref: "paper", y: 1, xanchor: beside, yanchor: "top", showarrow: false, text: ` ✓ from ${grid.points[first].short} on `, font: { color: colour("good") } });
  }
  draw("curve", data, layout);
}

const TRUSTS = grid.levels.map(({ word: text }, i) => ({ text, step: Math.round((grid.steps / 10) * (2 * i + 1)) }));
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];

function trusts() {
  if (!$("#by-trust").open) return;
  const { sensitivity, limit, point } = read();
  const x = grid.points.map((one) => one.across);
  const colours = ["over", "other", "ink", "chosen", "ok"].map(colour);
  const lines = TRUSTS.map(({ text, step }, i) => ({ x, y: course(sensitivity, step), mode: "lines", name: `trust ${text}`, line: { color: colours[i], dash: DASHES[i], width: 2.5 } }));
  const top = Math.max(course(sensitivity, TRUSTS[0].step)[0], limit) * 1.15;
  if (flat) draw("trusts", lines, frame({ xaxis: across(), yaxis: up(Math.min(1, top)), legend: { orientation: "h", y: 1.12 }, ...limitLine(limit) }));
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
  const places = steps.map((step) => Number((step / grid.steps).toFixed(2)));
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
  const risks = steps.map((s) => steps.map((t) => course(s, t)[point]));
  const [t, s, r] = [places[trust], places[sensitivity], risks[sensitivity][trust]];
  const ink = colour("ink");
  const thread = (x, y, z) => ({ type: "scatter3d", mode: "lines", x, y, z, line: { color: ink, width: 4, dash: "dot" }, hoverinfo: "skip", showlegend: false });
  const data = [
    { type: "surface", x: places, y: places, z: risks, opacity: 0.55, showscale: false, colorscale: [[0, colour("grid")], [1, colour("chosen")]], cmin: 0, cmax: 1, hovertemplate: "trust %{x}<br>sensitivity %{y}<br>risk %{z:.3~g}<extra></extra>" },
    { type: "surface", x: [0, 1], y: [0, 1], z: [[limit, limit], [limit, limit]], opacity: 0.25, showscale: false, colorscale: [[0, colour("over")], [1, colour("over")]], hoverinfo: "skip" },
    thread([t, t], [s, s], [0, r]),
    thread([0, t], [s, s], [0, 0]),
    thread([t, t], [0, s], [0, 0]),
    thread([0, t], [s, s], [r, r]),
    { type: "scatter3d", mode: "markers", x: [t], y: [s], z: [r], marker: { color: colour("paper"), size: 7, line: { color: ink, width: 3 } }, hoverinfo: "skip", showlegend: false },
  ];
  const side = (title) => ({ title: { text: plain(title) }, range: [0, 1], gridcolor: colour("grid"), backgroundcolor: colour("paper"), color: ink });
  const scene = { xaxis: side("trust"), yaxis: side("sensitivity"), zaxis: side("risk"), camera: { eye: { x: 1.2, y: 1.45, z: 0.7 } } };
  const layout = frame({ margin: { t: 0, r: 0, b: 0, l: 0 }, scene, uirevision: "kept" });
  await plotly.react($("#space"), data, layout, PLAIN);
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
