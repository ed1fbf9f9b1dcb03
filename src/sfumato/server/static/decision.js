// Decisions on a request as it was submitted, with the binding of the page. Where something has to be declared or accepted, a
// dialog asks for it; else the button approves.

import { $, $$, asks, at, busy, call, facts, h, opened, quiet, rounded, say, show, table } from "./sfumato.js";
import { decided, looked, noteLook, proposal, refresh } from "./explorer.js";
import { countdown, waitsFor } from "./undo.js";

const known = facts();
const here = `/requests${at(known.request)}`;

// ------------------------------------------------------------------------------------------------ asking

export function ask(id) {
  const name = { propose: "return", "see-answer": "answer" }[id] ?? id;
  if (name === "approve" && !known.looked && looked()) {
    location.hash = "approve"; // after the look an approval has another guarantee, which the page shows
    location.reload();
    return;
  }
  if (name === "approve" && !$("#approve-dialog")) return approve();
  if (id === "propose") {
    const note = $("#return-note");
    if (!note.value.includes(proposal())) note.value = [note.value, proposal()].filter(Boolean).join("\n");
    note.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (looked()) {
    for (const place of $$(".accept-no")) {
      place.hidden = false;
      $("input", place).required = true;
    }
  }
  opened(document.getElementById(`${name}-dialog`));
}

const written = () => $("#note").value;
const approving = (terms = {}) => call("POST", `${here}/approve`, { binding: known.binding, note: written(), ...terms }).then(over);

// One click; a second one finds the button at work, and the server has the first.
function approve() {
  quiet($("#bar"));
  return busy($("#approve"), async () => {
    try {
      await approving();
    } catch (error) {
      refused(error, $("#bar"));
    }
  });
}

function settled(name, work) {
  const dialog = document.getElementById(`${name}-dialog`);
  if (dialog) asks(dialog, work, refused);
}

// Show an error at its place, with a link or a button for the next step.
function refused(error, form) {
  if (error.code === "introduction") error.hint = "it takes three minutes."; // the link is added below
  const place = show(error, form);
  if (error.code === "introduction") {
    const next = encodeURIComponent(location.pathname + location.search);
    const link = h("a", { href: `/introduction?next=${next}` }, "Open introduction");
    place.append(" ", link);
    link.focus();
  } else if ([403, 409].includes(error.status)) {
    place.append(" ", h("button", { type: "button", class: "plain", onclick: () => location.reload() }, "Reload page"));
  }
  place.scrollIntoView({ block: "nearest" });
}

settled("approve", ({ allow_no_guarantee, preregistered = "" }) => approving({ allow_no_guarantee, preregistered }));
settled("return", async ({ note, allow_no_guarantee }) => over(await call("POST", `${here}/return`, { note, allow_no_guarantee })));
settled("refuse", async ({ note, allow_no_guarantee }) => over(await call("POST", `${here}/refuse`, { note, allow_no_guarantee })));
settled("undo", async ({ allow_no_guarantee }) => undo({ allow_no_guarantee }));
settled("cancel", async ({ allow_no_guarantee }) => over(await call("POST", `${here}/cancel`, { allow_no_guarantee })));
settled("answer", async () => {
  const answer = await call("POST", `${here}/answer`);
  noteLook();
  withheld(answer);
  refresh();
});

// The approver must accept that there is no guarantee, unless the approval was preregistered.
const accept = $("#allow-no-guarantee");
const declared = $("#declared");
if (declared) {
  const fixed = $("#fixed");
  const check = () => {
    fixed.disabled = !declared.checked;
    if (!accept) return;
    accept.required = fixed.disabled || !fixed.value.trim();
    $("#accept").hidden = !accept.required;
  };
  for (const event of ["input", "change"]) $("#approve-dialog").addEventListener(event, check);
  check();
}

// The noisy answer and the true one, for each query.
function withheld({ answers, true: truths, cells }) {
  const cell = (value, ends) => (value === null ? "" : typeof value === "number" ? rounded(value, ends)[0] : String(value));
  const parts = answers.flatMap((answer, i) => {
    const [released, truth] = answers.length > 1 ? [`Query ${i + 1}: answer to release`, `Query ${i + 1}: true answer`] : ["Answer to release", "True answer"];
    const width = truths[i][0]?.length ?? 0;
    const heads = ["cell", ...Array.from({ length: width }, (_, j) => (width > 1 ? `figure ${j + 1}` : "figure"))];
    return [
      h("h3", {}, released),
      table(released, answer.columns, answer.rows.map((row, j) => row.map((value, k) => cell(value, answer.intervals?.[j]?.[k])))),
      h("h3", {}, truth),
      table(truth, heads, truths[i].map((row, j) => [cells[i][j] || "all", ...row.map((value) => cell(value))])),
    ];
  });
  $("#withheld").replaceChildren(...parts);
  $("#see-answer").hidden = true;
  say("The withheld answer and the true answer are shown.");
}

// ------------------------------------------------------------------------------------------------ what comes of it

const DONE = ["released", "failed", "returned", "refused", "withdrawn"];
const status = $("#status");

function over(now) {
  if (!now.starts_at) sessionStorage.removeItem(`note ${known.request}`); // taken back, it is there again
  if (["submitted", "computed"].includes(now.state)) return location.reload(); // one approval of several
  for (const part of $$("#bar, #propose, #warning, #withholding, #waiting-place")) part.hidden = true;
  if (!waits(now)) {
    tell(now);
    if (!DONE.includes(now.state)) follow();
  }
  $("#status-text").tabIndex = -1;
  $("#status-text").focus();
}

export async function assign(select) {
  quiet(status);
  try {
    const { assigned_to } = await call("POST", `${here}/assign`, { to: select.value || null });
    say(assigned_to ? `Assigned to ${assigned_to}.` : "The assignment was removed.");
  } catch (error) {
    status.hidden = false;
    show(error, status);
  }
}

// While the approval can be taken back, the status says how long.
function waits(now) {
  const wait = waitsFor(now, known.undo);
  if (!wait) return false;
  const take = (button) => (looked() ? ask("undo") : busy(button, () => undo({}).catch((error) => refused(error, status))));
  const { line, button } = countdown(wait, { text: "Approved. Starts in", undo: take, over: () => follow() });
  status.hidden = false;
  $("#progress").hidden = true;
  const own = now.decided_by?.some((one) => one.who === known.me) ?? known.own;
  $("#cancel").hidden = own;
  $("#status-text").replaceChildren(line);
  if (own) $("#status-actions").prepend(button);
  return true;
}

async function undo(terms) {
  const note = $("#note")?.value;
  await call("POST", `${here}/undo`, terms);
  if (note) sessionStorage.setItem(`note ${known.request}`, note);
  location.reload();
}

if (known.starts_at) waits(known);

function tell(now) {
  status.hidden = false;
  const said = now.state === "released" ? `Released${now.charged === null ? "" : `, charged epsilon ${now.charged}`}.` : TOLD[now.state] ?? "";
  const note = ["failed", "returned", "refused"].includes(now.state) && now.note ? ` ${now.note}` : "";
  $("#status-text").replaceChildren(h("span", { class: `word ${now.state}` }, now.state), ` ${said}${note}`);
  const runs = ["approved", "running"].includes(now.state);
  $("#progress").hidden = !runs;
  if (runs && now.progress) $("#progress").value = now.progress;
  const actions = $("#status-actions");
  $("#cancel").hidden = !runs;
  if (!DONE.includes(now.state)) return;
  decided();
  refresh();
  const certificate = now.state === "released" && [
    h("a", { class: "button btn small primary", href: `${here}/certificate` }, "Certificate"),
    h("a", { class: "button btn small", href: `${here}?show=answer` }, "View answer"),
    h("a", { class: "button btn small", href: `${here}/posthoc-risk` }, "Post-hoc risk"),
  ];
  actions.replaceChildren(...[certificate, $("#next"), $("#open-inbox"), $("#cancel")].flat().filter(Boolean));
  for (const link of $$("#next, #open-inbox")) link.hidden = false;
  say(said);
}

const TOLD = {
  approved: "It is approved and waits in the queue.",
  running: "The answer is being computed.",
  failed: "It failed, and there is no answer. Anything charged stays charged.",
  returned: "It was returned to the analyst.",
  refused: "It was refused. The analyst is notified.",
  withdrawn: "It was stopped. No answer is released.",
};

// Poll the state, less often with time, until it is final.
let following = false;
export async function follow() {
  if (following) return;
  following = true;
  for (let pause = 300; ; pause = Math.min(5000, pause * 1.4)) {
    await new Promise((over) => setTimeout(over, pause));
    try {
      const now = await call("GET", here);
      if (waitsFor(now, known.undo)) continue;
      if (now.state === "computed") return location.reload(); // withheld: another decision is needed
      quiet(status);
      tell(now);
      if (DONE.includes(now.state)) break;
    } catch (error) {
      show(error, status);
    }
  }
  following = false;
}
