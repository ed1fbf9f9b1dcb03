// Post-hoc risk: asked for once the controller presses the button, and shown as the server worked it out.

import { $, at, call, facts, h, onTheme, placed, say, sent, table } from "./sfumato.js";

const { id } = facts();
let figure = null;

const draw = () => figure && placed($("#plot"), { ...figure, layout: { ...figure.layout, height: 260, margin: { ...figure.layout.margin, r: 16 } } });
onTheme(draw);

sent($("#asked"), async ({ query = "1", between }) => {
  const found = await call("POST", `/requests${at(id)}/posthoc-risk`, { query: Number(query), between: between.trim() || null });
  const { columns, rows } = found.percentiles;
  figure = found.figure;
  $("#found").hidden = false;
  $("#figure-name").textContent = columns[1];
  $("#people").textContent = `${found.people.toLocaleString("en")} people`;
  $("#meaning").textContent = found.meaning;
  $("#sql").textContent = found.query;
  $("#percentiles").replaceChildren(table("Percentiles", columns, rows, { numbers: columns.map((_, i) => i).slice(1) }));
  $("#notes").replaceChildren(...found.sentences.map((text) => h("p", {}, text)));
  draw();
  say("The post-hoc risk is shown.");
});
$("#asked button").disabled = false; // before that, the browser would submit the form itself
