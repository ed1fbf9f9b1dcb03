// Decisions on a utility signal: before it runs, and for as_published again when both scores are computed.

import { $, $$, asks, at, busy, call, facts, h, number, opened, quiet, say, show, table } from "./sfumato.js";
import { countdown, waitsFor } from "./undo.js";

const known = facts();
const here = `/signals${at(known.id)}`;
let looked = known.looked;

// ------------------------------------------------------------------------------------------------ asking

function ask(name) {
  for (const place of looked ? $$(".accept-no") : []) {
    place.hidden = false;
    $("input", place).required = true;
  }
  opened(document.getElementById(`${name}-dialog`));
}

function refused(error, form) {
  const place = show(error, form);
  if (error.code === "introduction") {
    const next = encodeURIComponent(location.pathname + location.search);
    place.append(" ", h("a", { href: `/introduction?next=${next}` }, "Open introduction"));
  } else if ([403, 409].includes(error.status)) {
    place.append(" ", h("button", { type: "button", class: "plain", onclick: () => location.reload() }, "Reload page"));
  }
  place.scrollIntoView({ block: "nearest" });
}

function settled(name, work) {
  const dialog = document.getElementById(`${name}-dialog`);
  if (!dialog) return;
  asks(dialog, work, refused);
  document.getElementById(name === "value" ? "see-value" : name)?.addEventListener("click", () => ask(name));
}

settled("approve", async ({ note, allow_no_guarantee, preregistered = "" }) => over(await call("POST", `${here}/approve`, { binding: known.binding, note, allow_no_guarantee, preregistered })));
settled("undo", async ({ allow_no_guarantee }) => undo({ allow_no_guarantee }));
settled("return", async ({ note, allow_no_guarantee }) => over(await call("POST", `${here}/return`, { note, allow_no_guarantee })));
settled("refuse", async ({ note, allow_no_guarantee }) => over(await call("POST", `${here}/refuse`, { note, allow_no_guarantee })));
settled("value", async () => {
  const found = await call("POST", `${here}/value`);
  looked = true;
  const score = (value) => (value === null ? "no score" : number(value, 6));
  $("#value").replaceChildren(
    table("Both scores", ["Score", "Value"], [["release", score(found.score)], ["exact answer", score(found.exact)]], { numbers: [1] }),
  );
  $("#see-value").hidden = true;
  say("Both scores are shown.");
});

// The approver must accept that there is no guarantee, unless the approval was preregistered.
const fixed = $("#fixed");
fixed?.addEventListener("input", () => {
  $("#allow-no-guarantee").required = !fixed.value.trim();
  $("#accept").hidden = Boolean(fixed.value.trim());
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const name = { a: "approve", r: "return" }[event.key.toLowerCase()];
  const button = name && document.getElementById(name);
  if (!button || button.closest("[hidden]")) return;
  event.preventDefault();
  button.click();
});

// ------------------------------------------------------------------------------------------------ what comes of it

const RUNS = ["approved", "running"];

function over(now) {
  if (["submitted", "computed"].includes(now.state)) return location.reload(); // another decision is needed
  for (const part of $$(".decide-bar, #warning, #see-value")) part.hidden = true;
  if (!waits(now)) tell(now);
  $("#status-text").focus();
  return RUNS.includes(now.state) ? follow(now.state) : undefined;
}

// While the approval can be taken back, the status says how long.
function waits(now) {
  const wait = waitsFor(now, known.undo);
  if (!wait) return false;
  const take = (button) => (looked ? ask("undo") : busy(button, () => undo({}).catch((error) => refused(error, $("#status")))));
  const { line, button } = countdown(wait, { text: "Approved. Starts in", undo: take, over: () => {} });
  $("#progress").hidden = true;
  $("#status-text").replaceChildren(line);
  if (now.decided_by?.some((one) => one.who === known.me) ?? known.own) $("#status-actions").replaceChildren(button);
  return true;
}

async function undo(terms) {
  await call("POST", `${here}/undo`, terms);
  location.reload();
}

function tell(now) {
  const charged = now.charged === null || now.charged === undefined ? "" : ` Charged epsilon ${number(now.charged, 6)}.`;
  const said = `${known.stands[now.state]}${charged}`;
  $("#status-text").replaceChildren(h("span", { class: `word ${now.state}` }, now.state), ` ${said}${now.note ? ` ${now.note}` : ""}`);
  $("#progress").hidden = !RUNS.includes(now.state);
  if (RUNS.includes(now.state)) return;
  const next = known.next ? h("a", { class: "button", id: "next", href: known.next.path }, `Next in the inbox: #${known.next.number}`) : h("a", { class: "button", id: "next", href: "/inbox" }, "Open inbox");
  $("#status-actions").replaceChildren(next);
  say(said);
}

// Poll the state, less often with time, until it changes.
async function follow(state, pause = 300) {
  await new Promise((later) => setTimeout(later, pause));
  let now = { state, starts_at: null };
  try {
    now = await call("GET", here);
    quiet($("#status"));
  } catch (error) {
    show(error, $("#status"));
  }
  if (now.state === "computed") return location.reload();
  if (now.state !== state || (RUNS.includes(now.state) && !waitsFor(now, known.undo))) tell(now);
  return RUNS.includes(now.state) ? follow(now.state, Math.min(5000, pause * 1.4)) : undefined;
}

waits(known);
if (RUNS.includes(known.state)) follow(known.state);
