// Small pictures in SVG, in percent of their width: they are drawn at the width that there is, and never scaled.

const SVG = "http://www.w3.org/2000/svg";

// s("line", {class: "gridl", x1: "10%"}): an element of SVG, its attributes, its children.
export function s(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const ICONS = {
  ok: ["M3.5 8.5 6.5 11.5 12.5 4.5"],
  over: ["M4.5 4.5l7 7M11.5 4.5l-7 7"],
  noise: ["M1.5 8h2l1.5-4 2.2 8L9.4 5l1.6 5 1-2h2.5"],
};
export const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, ICONS[name].map((d) => s("path", { d })));

// A difference with its interval beside 0, on an axis with ticks.
export function dots({ place, ticks, larger, smaller }) {
  const noisy = !larger && !smaller;
  const bar = 26;
  const anchor = (i) => (i === 0 ? "start" : i === ticks.length - 1 ? "end" : "middle");
  return s(
    "svg",
    { class: "chart cap beside-zero", height: 46, "aria-hidden": "true" },
    ticks.map(({ at }) => s("line", { class: "gridl", x1: `${at}%`, x2: `${at}%`, y1: 0, y2: bar })),
    s("line", { class: "axisl", x1: `${place.zero}%`, x2: `${place.zero}%`, y1: 0, y2: bar }),
    ticks.map(({ at, text }, i) => (text ? s("text", { x: `${at}%`, y: 42, "text-anchor": anchor(i) }, text) : null)),
    s("line", { class: noisy ? "ival-w" : "ival", x1: `${place.start}%`, x2: `${place.end}%`, y1: bar / 2, y2: bar / 2 }),
    s("circle", { class: noisy ? "dot-w" : "dot", cx: `${place.at}%`, cy: bar / 2, r: noisy ? 4 : 5 }),
  );
}

// An SVG as a PNG, enlarged by this factor.
export async function canvas(text, times) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [picture.width * times, picture.height * times];
  sheet.getContext("2d").drawImage(picture, 0, 0, sheet.width, sheet.height);
  return new Promise((done) => sheet.toBlob(done, "image/png"));
}
