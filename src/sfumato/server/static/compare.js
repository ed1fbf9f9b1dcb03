// Epsilon by method, as bars on one scale.

import { $, colour, facts, onTheme } from "./sfumato.js";

const { spans, pins, low, high } = facts().figure;
const TICKS = [-4, -3, -2, -1, 0, 1, 2, 3].flatMap((power) => [1, 2, 5].map((times) => Number(`${times}e${power}`)));
const HATCHED = { over: "/" };
const short = (text) => (text.length > 44 ? `${text.slice(0, 42)} …` : text);

onTheme(() => {
  const narrow = innerWidth < 700;
  const bars = {
    type: "bar",
    orientation: "h",
    y: spans.map((_, i) => i),
    base: spans.map((span) => span.low),
    x: spans.map((span) => span.high - span.low),
    text: spans.map((span) => `${span.words}${span.endless ? " ▶" : ""}`),
    textposition: "auto",
    insidetextanchor: "end",
    customdata: spans.map((span) => `${span.label}<br>${span.words}<br>${span.note}`),
    hovertemplate: "%{customdata}<extra></extra>",
    width: 0.6,
    marker: {
      color: spans.map((span) => colour(span.mark)),
      pattern: { shape: spans.map((span) => HATCHED[span.mark] ?? ""), bgcolor: colour("paper") },
    },
  };
  const lines = pins.map((pin) => ({
    type: "scatter",
    mode: "lines+text",
    x: [pin.at, pin.at],
    y: [-0.6, spans.length - 0.4],
    text: [pin.label, ""],
    textposition: "top center",
    cliponaxis: false,
    line: { color: colour("ink"), width: 1.5, dash: "5px,3px" },
    hoverinfo: "skip",
  }));
  const names = narrow ? spans.map((span) => span.label.slice(0, 1)) : spans.map((span) => short(span.label));
  const axis = { gridcolor: colour("grid"), zeroline: false, color: colour("ink"), fixedrange: true, automargin: true };
  const layout = {
    paper_bgcolor: colour("paper"),
    plot_bgcolor: colour("paper"),
    font: { color: colour("ink"), family: "system-ui, sans-serif", size: 13 },
    margin: { t: 28, r: 24, b: 44, l: 24 },
    height: 80 + 40 * spans.length,
    showlegend: false,
    xaxis: { ...axis, type: "log", range: [Math.log10(low), Math.log10(high)], tickvals: TICKS, ticktext: TICKS.map(String), title: { text: "epsilon" } },
    yaxis: { ...axis, autorange: "reversed", tickvals: spans.map((_, i) => i), ticktext: names },
  };
  window.Plotly?.react($("#plot"), [bars, ...lines], layout, { displayModeBar: false, responsive: true });
});
