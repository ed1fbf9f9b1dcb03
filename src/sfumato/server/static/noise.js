// The curves of the noise of a query, as the server worked them out.

import { facts, onTheme, placed } from "./sfumato.js";

const { plots } = facts();

onTheme(() => {
  for (const [kind, { data, layout }] of Object.entries(plots)) {
    const legend = { orientation: "h", y: 1.16, x: 0 };
    placed(document.getElementById(kind), { data, layout: { ...layout, height: 340, legend, margin: { ...layout.margin, t: 48, r: 16, l: 72 } } });
  }
});
