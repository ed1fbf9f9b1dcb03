import { $, $$, at, busy, call, colour, facts, h, onTheme, pageNow, plain, Problem, quiet, rounded, say, sent, show, typeface } from "./sfumato.js";

// ------------------------------------------------------------------------------------------------ where it stands

// Looks again after a while, and less often the longer it takes; the page then turns into what the server shows now.
const FIRST = 1000;
const LONGEST = 15000;

async function wait(id, state, pause = FIRST) {
  await new Promise((later) => setTimeout(later, pause));
  let now = null;
  try {
    now = document.hidden ? null : await call("GET", `/requests${at(id)}`);
  } catch (error) {
    if (!(error instanceof Problem) || (error.status && error.status < 500 && error.status !== 429)) throw error;
  }
  if (now && now.state !== state) return turn(now.next);
  return wait(id, state, Math.min(LONGEST, pause * 1.5));
}

async function turn(said) {
  const fresh = await pageNow();
  if (!fresh) return location.reload();
  const had = document.activeElement === document.body || $("#request").contains(document.activeElement);
  for (const id of ["request", "facts"]) document.getElementById(id).replaceWith(document.adoptNode(fresh.getElementById(id)));
  document.title = fresh.title;
  if (had) $("#main").focus();
  say(said);
  return shown();
}

function steps(id) {
  const act = (button, verb) =>
    button?.addEventListener("click", () =>
      busy(button, async () => {
        quiet($("#request"));
        try {
          const now = await call("POST", `/requests${at(id)}/${verb}`);
          await turn(now.next);
        } catch (error) {
          $("#stopping")?.close();
          show(error, $("#request"));
        }
      }),
    );
  act($("#withdraw"), "withdraw");
  act($("#stop"), "cancel");
  $("#cancel")?.addEventListener("click", () => $("#stopping").showModal());
  $("#go-on")?.addEventListener("click", () => $("#stopping").close());
}

// ------------------------------------------------------------------------------------------------ the answer

const MOST_CHARTS = 8;

export const plotly = () =>
  (plotly.loaded ??= new Promise((done, failed) => {
    const script = h("script", { src: new URL("./vendor/plotly-basic.min.js", import.meta.url), onload: done, onerror: failed });
    document.head.append(script);
  }));

const NUMBERS = ["integer", "number"];

async function charts(answers) {
  const drawn = $$(".charts").flatMap((place) => {
    const answer = answers[Number(place.dataset.answer)];
    if (!answer) return []; // too many rows for a picture
    const figures = answer.columns.map((_, i) => i).filter((i) => answer.ranged[i] && NUMBERS.includes(answer.types[i]));
    if (answer.rows.length < 2) return [];
    return figures.slice(0, MOST_CHARTS).map((i) => [place, answer, i]);
  });
  if (!drawn.length) return;
  await plotly();
  for (const [place, answer, i] of drawn) {
    const plot = h("div", { class: "plot", role: "img", "aria-label": label(answer, i) });
    place.append(plot);
    onTheme(() => window.Plotly.react(plot, ...chart(answer, i)));
  }
}

const keys = (answer) => answer.columns.map((_, i) => i).filter((i) => !answer.ranged[i]);

function label(answer, i) {
  const by = keys(answer).map((k) => answer.columns[k]).join(", ");
  const how = answer.intervals ? "with noise ranges" : "noise size withheld";
  return `${answer.columns[i]}${by ? ` by ${by}` : ""}, ${how}. The table has the figures.`;
}

const short = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

function chart(answer, i) {
  const names = answer.rows.map((row) => keys(answer).map((k) => row[k]).join(" · "));
  const values = answer.rows.map((row) => row[i]);
  const ends = answer.intervals?.map((row) => row[i]);
  const noise = ends && {
    type: "data",
    symmetric: false,
    array: ends.map((end, n) => (end ? end[1] - values[n] : 0)),
    arrayminus: ends.map((end, n) => (end ? values[n] - end[0] : 0)),
    color: colour("ink"),
    thickness: 1.5,
  };
  const bars = answer.types[i] === "integer";
  const trace = {
    ...(bars ? { type: "bar", marker: { color: colour("chosen"), opacity: 0.75 } } : { type: "scatter", mode: "markers", marker: { color: colour("chosen"), size: 9 } }),
    x: names.map((_, n) => n),
    y: values,
    error_y: noise || undefined,
    text: names.map((name, n) => {
      const [figure, ...reach] = rounded(values[n], ends?.[n]);
      return `${plain(name)}<br>${figure}${reach.length ? `, noise range ${reach.join(" to ")}` : ""}`;
    }),
    textposition: "none",
    hovertemplate: "%{text}<extra></extra>",
  };
  const axis = { gridcolor: colour("grid"), zerolinecolor: colour("line"), linecolor: colour("line"), automargin: true };
  return [
    [trace],
    {
      height: 340,
      margin: { t: 36, r: 10, b: 40, l: 50 },
      title: { text: plain(answer.columns[i]), font: { size: 15 }, x: 0, xanchor: "left" },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("ink"), family: typeface() },
      xaxis: { ...axis, showgrid: false, zeroline: false, tickmode: "array", tickvals: names.map((_, n) => n), ticktext: names.map((name) => plain(short(name))), fixedrange: true },
      yaxis: { ...axis, rangemode: bars ? "tozero" : "normal", fixedrange: true },
    },
    { displayModeBar: false, responsive: true },
  ];
}

function comparison(id) {
  const form = $("#compare");
  if (!form) return;
  if (form.second.options.length > 1) form.second.selectedIndex = 1;
  const cell = (text) => {
    const [query, row, column] = text.split(" ").map(Number);
    return { query, row, column };
  };
  const each = $("#each").textContent;
  const named = (select) => select.selectedOptions[0].textContent;
  sent(form, async ({ first, second }) => {
    const said = await call("POST", `/requests${at(id)}/difference`, { first: cell(first), second: cell(second) });
    const verdict = said.larger ? "✓" : said.smaller ? "✕" : "●";
    $("#compared").prepend(
      h("li", {}, h("strong", {}, `${verdict} ${named(form.first)} > ${named(form.second)}? `), said.sentence, said.covers === each ? null : ` ${said.covers}`),
    );
  });
}

function shown() {
  const told = facts();
  steps(told.id);
  comparison(told.id);
  if (told.waiting) wait(told.id, told.state);
  if (told.signalling) import("./signals.js").then(({ signalling }) => signalling(told.id, told.signalling));
  return charts(told.answers);
}

shown();
