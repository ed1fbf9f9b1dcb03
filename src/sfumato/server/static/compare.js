// Epsilon by method, as bars on one scale.

import { $, colour, facts, onTheme, plain, typeface } from "./sfumato.js";

const { spans, pins, low, high } = facts().figure;
const TICKS = [-4, -3, -2, -1, 0, 1, 2, 3].flatMap((power) => [1, 2, 5].map((times) => Number(`${times}e${power}`)));
const HATCHED = { over: "/" };
const short = (text) => plain(text.length > 44 ? `${text.slice(0, 42)} …` : text);

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
    insidetextanchor: narrow ? "start" : "end",
    customdata: spans.map((span) => [span.label, span.words, span.note].map(plain).join("<br>")),
    hovertemplate: "%{customdata}<extra></extra>",
    width: narrow ? 0.42 : 0.6,
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
  // Where the page is narrow, a name stands above its bar.
  const above = {
    type: "scatter",
    mode: "text",
    x: spans.map(() => low),
    y: spans.map((_, i) => i - 0.42),
    text: spans.map((span) => short(span.label)),
    textposition: "middle right",
    cliponaxis: false,
    hoverinfo: "skip",
  };
  const axis = { gridcolor: colour("grid"), zeroline: false, color: colour("ink"), fixedrange: true, automargin: true };
  const layout = {
    paper_bgcolor: colour("paper"),
    plot_bgcolor: colour("paper"),
    font: { color: colour("ink"), family: typeface(), size: 13 },
    margin: { t: 28, r: 24, b: 44, l: 24 },
    height: 80 + (narrow ? 58 : 40) * spans.length,
    showlegend: false,
    xaxis: { ...axis, type: "log", range: [Math.log10(low), Math.log10(high)], tickvals: TICKS, ticktext: TICKS.map(String), title: { text: "epsilon" } },
    yaxis: { ...axis, autorange: "reversed", tickvals: narrow ? [] : spans.map((_, i) => i), ticktext: spans.map((span) => short(span.label)) },
  };
  window.Plotly?.react($("#plot"), [bars, ...lines, ...(narrow ? [above] : [])], layout, { displayModeBar: false, responsive: true });
});
