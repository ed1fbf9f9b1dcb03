import { $, $$, at, busy, call, facts, h, onTheme, pageNow, placed, Problem, quiet, say, sent, show } from "./sfumato.js";

// ------------------------------------------------------------------------------------------------ where it stands

// Poll the state, less often with time; the page is then replaced by the server's current one.
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

export const plotly = () =>
  (plotly.loaded ??= new Promise((done, failed) => {
    const script = h("script", { src: new URL("./vendor/plotly-basic.min.js", import.meta.url), onload: done, onerror: failed });
    document.head.append(script);
  }));

async function draw(charts) {
  const places = $$(".charts").flatMap((place) => charts[Number(place.dataset.answer)].map((chart) => [place, chart]));
  if (!places.length) return;
  await plotly();
  const plots = places.map(([, chart]) => h("div", { class: "plot", role: "img", "aria-label": chart.label }));
  places.forEach(([place], i) => place.append(plots[i])); // all of them first: each is drawn as wide as its place
  onTheme(() => places.forEach(([, chart], i) => placed(plots[i], chart)));
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
    $("#compared").prepend(
      h("li", {}, h("strong", {}, `${said.verdict} ${named(form.first)} > ${named(form.second)}? `), said.sentence, said.covers === each ? null : ` ${said.covers}`),
    );
  });
}

function shown() {
  const told = facts();
  steps(told.id);
  comparison(told.id);
  if (told.waiting) wait(told.id, told.state);
  if (told.signalling) import("./signals.js").then(({ signalling }) => signalling(told.id, told.signalling));
  return draw(told.charts);
}

shown();
