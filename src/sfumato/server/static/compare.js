// Allowed epsilons of each method as bars on one scale; names are placed where there is room.

import { $, facts, onTheme, placed } from "./sfumato.js";

const { figure } = facts();
const short = (text) => (text.length > 44 ? `${text.slice(0, 42)} …` : text);

const phone = matchMedia("(max-width: 719px)");
const draw = () => {
  const narrow = phone.matches;
  const [bars, ...lines] = figure.data;
  const names = figure.layout.yaxis.ticktext.map(short);
  // On a narrow page the name is above its bar.
  const above = { type: "scatter", mode: "text", x: bars.base, y: bars.y.map((row) => row - 0.42), text: names, textposition: "middle right", cliponaxis: false, hoverinfo: "skip" };
  const data = [{ ...bars, width: narrow ? 0.42 : 0.6, insidetextanchor: narrow ? "start" : "end" }];
  data.push(...lines.map((line) => ({ ...line, y: [narrow ? -0.8 : -0.5, line.y[1]] })), ...(narrow ? [above] : []));
  const yaxis = { ...figure.layout.yaxis, title: undefined, ...(narrow ? { tickvals: [] } : { ticktext: names }) };
  placed($("#plot"), { data, layout: { ...figure.layout, yaxis, height: 80 + (narrow ? 58 : 40) * names.length } });
};

onTheme(draw);
phone.addEventListener("change", draw);
