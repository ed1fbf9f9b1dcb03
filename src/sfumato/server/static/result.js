import { $, $$, at, busy, call, facts, h, pageNow, Problem, quiet, say, sent, show } from "./sfumato.js";
import { canvas, dots, icon } from "./drawing.js";

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

// A picture of the server as PNG, at twice its size.
function downloads() {
  for (const button of $$(".as-png"))
    button.addEventListener("click", () =>
      busy(button, async () => {
        const answer = await fetch(button.dataset.from, { credentials: "same-origin" });
        if (!answer.ok) return say("The chart could not be loaded. Reload the page and try again.");
        const address = URL.createObjectURL(await canvas(await answer.text(), 2));
        h("a", { href: address, download: button.dataset.name }).click();
        return setTimeout(() => URL.revokeObjectURL(address), 10000);
      }),
    );
  $("#copy-link")?.addEventListener("click", async (event) => {
    const link = new URL(event.currentTarget.dataset.link, location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      say("The link to the certificate is copied.");
    } catch {
      say(`Copy this link: ${link}`);
    }
  });
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
    const kind = said.larger ? "ok" : said.smaller ? "over" : "wait";
    $("#compared").prepend(
      h(
        "li",
        { class: "stack" },
        h("p", { class: "sm" }, `Is ${named(form.first)} above ${named(form.second)}?`),
        h("p", { class: `verdict-title ${kind}` }, icon(kind === "wait" ? "noise" : kind), said.title),
        h("p", { class: "sm muted" }, "Difference ", h("b", {}, said.figure), `, 90% interval ${said.interval}.`, said.covers === each ? null : ` ${said.covers}`),
        dots(said),
      ),
    );
  });
}

function shown() {
  const told = facts();
  steps(told.id);
  comparison(told.id);
  downloads();
  if (told.waiting) wait(told.id, told.state);
  $("#to-signals")?.addEventListener("click", () => {
    $("#new-signal").open = true;
    $("#new-signal").scrollIntoView({ block: "start" });
    $("#signal-task").focus({ preventScroll: true });
  });
  if (told.signalling) import("./signals.js").then(({ signalling }) => signalling(told.id, told.signalling));
}

shown();
