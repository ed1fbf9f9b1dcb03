// The charts of a query's risk, as SVG: places on a screen for what the server computed. Colours are in sfumato.css.

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes = {}, ...children) {
  const drawn = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) drawn.setAttribute(name, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  drawn.append(...children.flat().filter((child) => child !== null));
  return drawn;
}

const text = (x, y, words, kind = "", anchor = "start") => s("text", { x, y, class: kind, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2, kind) => s("line", { x1, y1, x2, y2, class: kind });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const wide = (words) => 6.6 * words.length; // of small letters, about

const cut = (words, width) => (wide(words) <= width ? words : `${words.slice(0, Math.floor(width / 6.6) - 1)}…`);
// The name of an axis, on two lines where one is too narrow.
const named = (words, width) => (wide(words) <= width ? [words] : words.split(/(?<=,) (?=if )/)).map((line) => cut(line, width));

// A frame inside margins, and two scales into it.
function frame(width, height, { left = 46, right = 12, top = 24, bottom = 42 } = {}) {
  const [x0, x1, y0, y1] = [left, width - right, height - bottom, top];
  return { x0, x1, y0, y1, width, height, at: (part) => x0 + part * (x1 - x0), up: (part) => y0 + part * (y1 - y0) };
}

const linear = (low, high) => (value) => (value - low) / (high - low || 1);
const log = (low, high) => (value) => Math.log(value / low) / (Math.log(high / low) || 1);

// 1, 2 and 5 times the powers of ten between two figures.
function rounds(low, high, times = [1, 2, 5]) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const one of times) {
      const figure = Number(`${one}e${power}`);
      if (figure >= low && figure <= high) found.push(figure);
    }
  }
  return found;
}

function steps(low, high, most = 5) {
  const rough = (high - low) / most || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * unit).find((one) => one >= rough);
  const found = [];
  for (let figure = Math.ceil(low / step) * step; figure <= high + step / 1e6; figure += step) found.push(figure);
  return found;
}

const chart = ({ width, height }, parts) => s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, parts);

// ------------------------------------------------------------------------------------------------ risk against noise

// The worst case is the curve, for every source: limits are about it. Another source is a second curve below it.
export function riskNoise(width, height, { points, request, preview, pinned: name, limit, needs, axis, own, narrow }) {
  const placed = points.filter((point) => point.half !== null && point.half > 0);
  if (!placed.length) return null;
  const axisLines = named(axis, width);
  const f = frame(width, height, { bottom: 28 + 14 * axisLines.length });
  const ends = [Math.min(...placed.map((p) => p.half)), Math.max(...placed.map((p) => p.half))];
  const across = log(ends[0] / 1.15, ends[1] * 1.15);
  const top = Math.min(1, Math.ceil(20 * Math.max(...placed.map((p) => p.chance)) + 0.2) / 20);
  const up = linear(0.47, top); // room for the names of points near 50%
  const x = (point) => f.at(across(point.half));
  const y = (chance) => f.up(up(Math.max(0.5, chance)));
  const parts = [];
  if (limit.chance !== null && limit.chance < top) parts.push(s("rect", { class: "zone-over", x: f.x0, y: f.y1, width: f.x1 - f.x0, height: y(limit.chance) - f.y1 }));
  for (const tick of [0.5, 0.6, 0.7, 0.8, 0.9, 1].filter((one) => one <= top)) {
    parts.push(line(f.x0, y(tick), f.x1, y(tick), "gridl"), text(f.x0 - 8, y(tick) + 4, `${Math.round(100 * tick)}%`, "", "end"));
  }
  parts.push(line(f.x0, f.y0, f.x1, f.y0, "axisl"));
  let last = -Infinity;
  const long = Math.max(...ends) >= 1e6; // 1, 2 and 5 times would be uneven where not all of them fit
  for (const tick of rounds(...ends, narrow || long ? [1] : [1, 2, 5])) {
    const [place, words] = [f.at(across(tick)), `±${short.format(tick)}`];
    if (place - wide(words) / 2 < last + 8) continue;
    last = place + wide(words) / 2;
    parts.push(line(place, f.y0, place, f.y0 + 4, "axisl"), text(place, f.y0 + 18, words, "", "middle"));
  }
  const middle = axisLines.length > 1 ? f.width / 2 : (f.x0 + f.x1) / 2;
  parts.push(axisLines.map((line, i) => text(middle, f.height - 4 - 14 * (axisLines.length - 1 - i), line, "t-faint", "middle")), text(4, f.y1 - 12, "Attack success at most", "t-faint"));
  const path = (key) => `M${[...placed].sort((a, b) => a.half - b.half).map((p) => `${x(p).toFixed(1)} ${y(p[key]).toFixed(1)}`).join("L")}`;
  parts.push(s("path", { class: "curve", d: path("chance") }));
  const taken = []; // of labels: from, to, and where they stand
  if (own) {
    const from = f.x1 - wide(own) - 34;
    taken.push([from, f.x1, f.y1 + 17]);
    parts.push(s("path", { class: "proj", d: path("own_chance") }), line(from, f.y1 + 13, from + 24, f.y1 + 13, "proj"), text(f.x1 - 6, f.y1 + 17, own, "halo", "end"));
  }
  if (limit.chance !== null) parts.push(line(f.x0, y(limit.chance), f.x1, y(limit.chance), "limit"), text(f.x0 + 6, y(limit.chance) - 5, limit.label, "t-over halo"));
  if (needs && needs >= ends[0] && needs <= ends[1]) {
    const [place, words] = [f.at(across(needs)), `needs ±${short.format(needs)}`];
    const right = place - 5 - wide(words) < f.x0;
    const from = right ? place + 5 : place - 5 - wide(words);
    let y = f.y1 + 12;
    while (taken.some(([a, b, at]) => from < b && from + wide(words) > a && Math.abs(at - y) < 15)) y += 16;
    taken.push([from, from + wide(words), y]);
    parts.push(line(place, f.y0, place, f.y1, "need"), text(right ? from : place - 5, y, words, "halo", right ? "start" : "end"));
  }
  const pinned = [request, preview].filter(Boolean);
  let kept = Infinity;
  for (const point of placed.filter((one) => one.listed && !pinned.includes(one))) {
    parts.push(s("circle", { class: "cand", cx: x(point), cy: y(point.chance), r: 3.5 }));
    if (kept - x(point) < 34 || pinned.some((one) => one.half && Math.abs(x(one) - x(point)) < 30)) continue;
    kept = x(point);
    const steep = y(point.chance) + 15 < f.y0 - 20;
    parts.push(text(x(point) - (steep ? 6 : 0), y(point.chance) + 16, point.shown, "t-faint halo", steep ? "end" : "middle"));
  }
  const label = (point, named, mark, kind) => {
    if (!point?.half) return;
    parts.push(s("circle", { class: mark, cx: x(point), cy: y(point.chance), r: 7 }));
    const words = narrow ? `${named} ${point.shown}` : `${named} ${point.shown}: ${point.first.length < 16 ? point.first : `±${short.format(point.half)}`}, ${point.odds}`;
    const left = x(point) + 12 + wide(words) > f.x1;
    let [tx, ty] = [left ? Math.min(x(point), f.x1) : x(point) + 12, y(point.chance) - 12];
    if (left) tx = Math.min(f.x1, x(point) + wide(words) / 3);
    const start = left ? tx - wide(words) : tx;
    const free = (at) => !taken.some(([a, b, y]) => start < b && start + wide(words) > a && Math.abs(y - at) < 15);
    const places = Array.from({ length: 12 }, (_, i) => ty + (i % 2 ? 8 : -8) * (i + (i % 2))); // above it, or else below
    ty = places.find((at) => at >= f.y1 + 10 && at < f.y0 && free(at)) ?? Math.max(ty, f.y1 + 10);
    taken.push([start, start + wide(words), ty]);
    parts.push(text(tx, ty, words, `${kind} halo`, left ? "end" : "start"));
  };
  label(request, name, "req", "t-acc");
  label(preview, "Preview", "ghost", "t-acc");
  return chart(f, parts.flat());
}

// ------------------------------------------------------------------------------------------------ a box per epsilon

// The points that have a column: on a narrow page at most four of those that are listed.
function columns(points, { request, preview, narrow }) {
  const listed = points.filter((point) => point.listed);
  const every = narrow ? Math.ceil(listed.length / 4) : 1;
  const kept = listed.filter((_, i) => i % every === every - 1);
  return points.filter((point) => kept.includes(point) || point === request || point === preview);
}

// A column for each of the listed epsilons, the request and the preview; its box goes from RDR_min to RDR_max.
export function riskRange(width, height, { points, request, preview, narrow }) {
  const shown = columns(points, { request, preview, narrow });
  const f = frame(width, height, { left: 56, bottom: 52 });
  const ends = [Math.min(...shown.map((p) => p.rdr[0])), Math.max(...shown.map((p) => p.rdr[1]))];
  const up = log(ends[0] / 1.2, ends[1] * 1.2);
  const parts = [text(4, f.y1 - 12, "RDR (log scale)", "t-faint")];
  let last = Infinity;
  for (const tick of rounds(...ends)) {
    const y = f.up(up(tick));
    if (last - y < 18) continue;
    last = y;
    parts.push(line(f.x0, y, f.x1, y, "gridl"), text(f.x0 - 8, y + 4, short.format(tick), "", "end"));
  }
  const column = (f.x1 - f.x0) / shown.length;
  shown.forEach((point, i) => {
    const [middle, low, high] = [f.x0 + (i + 0.5) * column, f.up(up(point.rdr[0])), f.up(up(point.rdr[1]))];
    const [tall, half] = [Math.max(4, low - high), Math.min(22, column * 0.34)];
    const box = { x: middle - half, y: (low + high) / 2 - tall / 2, width: 2 * half, height: tall, rx: 2 };
    parts.push(s("rect", { class: point === preview ? "ghost" : "box", ...box }));
    const kind = point === request || point === preview ? "t-acc" : "";
    parts.push(text(middle, f.y0 + 18, point.shown, kind || "strong", "middle"), text(middle, f.y0 + 34, point.gap_shown === "unbounded" ? "∞" : point.gap_shown, kind, "middle"));
  });
  parts.push(line(f.x0, f.y0, f.x1, f.y0, "axisl"), text(f.x0 - 8, f.y0 + 18, "epsilon", "t-faint", "end"), text(f.x0 - 8, f.y0 + 34, "gap", "t-faint", "end"));
  return chart(f, parts);
}

// ------------------------------------------------------------------------------------------------ histogram

// People by RDR at the epsilon under the slider: the bars stay, their axis moves.
export function histogram(width, height, { edges, people, noise, point }) {
  const f = frame(width, height, { left: 60 });
  const most = Math.max(1, ...people.map((one) => one + noise));
  const [across, up] = [linear(edges[0], edges.at(-1)), linear(0, most)];
  const parts = [text(4, f.y1 - 12, "People", "t-faint")];
  for (const tick of steps(0, most, 4)) parts.push(line(f.x0, f.up(up(tick)), f.x1, f.up(up(tick)), tick ? "gridl" : "axisl"), text(f.x0 - 8, f.up(up(tick)) + 4, short.format(tick), "", "end"));
  const { marks } = point;
  const alike = marks.every((mark) => mark === marks[0]); // one narrow bar in the middle
  const [bars, places] = alike ? [[people.reduce((sum, one) => sum + one, 0)], [0.44, 0.56]] : [people, edges.map(across)];
  bars.forEach((count, i) => {
    const [from, to] = [f.at(places[i]), f.at(places[i + 1])];
    if (count > 0) parts.push(s("rect", { class: "bar", x: from + 1, y: f.up(up(count)), width: Math.max(1, to - from - 2), height: f.y0 - f.up(up(count)) }));
    if (noise && count > 0) parts.push(line((from + to) / 2, f.up(up(Math.max(0, count - noise))), (from + to) / 2, f.up(up(count + noise)), "axisl"));
  });
  if (alike) parts.push(text(f.at(0.5), f.y0 + 18, marks[0], "", "middle"));
  else marks.forEach((mark, i) => parts.push(text(f.at(i / (marks.length - 1)), f.y0 + 18, mark, "", i === 0 ? "start" : i === marks.length - 1 ? "end" : "middle")));
  parts.push(text((f.x0 + f.x1) / 2, f.height - 4, `RDR at epsilon ${point.shown} (gap ${point.gap_shown})`, "t-faint", "middle"));
  return chart(f, parts);
}

// ------------------------------------------------------------------------------------------------ one figure of the answer

// The noise range around one figure at each epsilon; a range that goes beyond the frame is dotted.
export function answerRange(width, height, { points, request, preview, value, name, narrow }) {
  const shown = columns(points, { request, preview, narrow }).filter((point) => point.cell_half);
  if (!shown.length) return null;
  const f = frame(width, height, { left: 70 });
  const reach = 2.2 * (request?.cell_half ?? Math.max(...shown.map((point) => point.cell_half)));
  const up = linear(value - reach, value + reach);
  const parts = [text(4, f.y1 - 12, name, "t-faint")];
  for (const tick of steps(value - reach, value + reach, 4)) parts.push(line(f.x0, f.up(up(tick)), f.x1, f.up(up(tick)), "gridl"), text(f.x0 - 8, f.up(up(tick)) + 4, short.format(tick), "", "end"));
  const column = (f.x1 - f.x0) / shown.length;
  shown.forEach((point, i) => {
    const middle = f.x0 + (i + 0.5) * column;
    const [low, high] = [Math.max(0, up(value - point.cell_half)), Math.min(1, up(value + point.cell_half))];
    const beyond = point.cell_half > reach;
    parts.push(line(middle, f.up(low), middle, f.up(high), beyond ? "ival-w" : point === preview ? "lead-g" : "ival"));
    parts.push(s("circle", { class: point === request ? "req" : point === preview ? "ghost" : "dot", cx: middle, cy: f.up(up(value)), r: point === request || point === preview ? 6 : 4 }));
    parts.push(text(middle, f.y0 + 18, point.shown, point === request || point === preview ? "t-acc" : "strong", "middle"));
  });
  parts.push(line(f.x0, f.y0, f.x1, f.y0, "axisl"), text((f.x0 + f.x1) / 2, f.height - 4, "Epsilon", "t-faint", "middle"));
  return chart(f, parts);
}
