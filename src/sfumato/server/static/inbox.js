// J and K walk through the list, X selects, Enter is the link's own. A decision on several requests is one decision
// each, with the binding of its preview; its cost is shown before it can be sent.

import { $, $$, at, busy, call, facts, quiet, say, show } from "./sfumato.js";
import { countdown, waitsFor } from "./undo.js";

const known = facts();

// ------------------------------------------------------------------------------------------------ keys

const links = $$("#requests .open, #signals .open");

function walk(step) {
  const here = links.indexOf(document.activeElement);
  const next = links[Math.min(links.length - 1, Math.max(0, here < 0 ? 0 : here + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const KEYS = {
  j: () => walk(1),
  k: () => walk(-1),
  x: () => document.activeElement.closest("tr")?.querySelector(".pick")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
  const act = KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});

// ------------------------------------------------------------------------------------------------ notifications

for (const button of $$(".read")) {
  button.addEventListener("click", () =>
    busy(button, async () => {
      const section = button.closest("section");
      try {
        await call("POST", `/notifications${at(button.dataset.id)}/read`);
      } catch (error) {
        show(error, section);
        return;
      }
      const row = button.closest("li");
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      if (next) $(".read", next).focus();
      else section.remove();
      say("Marked as read.");
    }),
  );
}

$("#read-all")?.addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    await call("POST", "/notifications/read");
    $("#notifications")?.closest("section").remove();
    event.target.remove();
    say("All notifications are marked as read.");
  }),
);

// ------------------------------------------------------------------------------------------------ several at once

const MOST = 200; // requests of one decision
const bulk = $("#bulk");
const picks = $$(".pick");
const ACTS = { approve: "Approve", return: "Return", refuse: "Refuse" };
let preview = null; // of what is selected, once the server has said what it costs
let asked = 0;

const chosen = () => picks.filter((pick) => pick.checked);

// The requests behind a row: one, or all that are identical to it and wait.
async function behind(pick) {
  if (pick.dataset.rows === "1") return [pick.dataset.id];
  const { items } = await call("GET", `/requests?waiting=true&limit=${MOST}&identical=${encodeURIComponent(pick.dataset.id)}`);
  return items.map((one) => one.id);
}

function ready(is) {
  for (const act of Object.keys(ACTS)) $(`#bulk-${act}`).disabled = !is;
}

async function selected() {
  const rows = chosen();
  for (const pick of picks) pick.closest("tr").classList.toggle("sel", pick.checked);
  bulk.hidden = !rows.length;
  preview = null;
  ready(false);
  if (!rows.length) return;
  const many = rows.reduce((sum, pick) => sum + Number(pick.dataset.rows), 0);
  $("#bulk-count").textContent = `${many} selected`;
  $("#bulk-cost").textContent = "The cost is being computed.";
  quiet(bulk);
  const turn = ++asked;
  try {
    const ids = (await Promise.all(rows.map(behind))).flat().slice(0, MOST);
    const found = await call("POST", "/requests/decision-preview", { ids });
    if (turn !== asked) return;
    preview = found;
    const left = many > ids.length ? ` The first ${ids.length} are decided now.` : "";
    const alone = found.requests.filter((one) => one.problem).length;
    $("#bulk-count").textContent = `${ids.length} selected`;
    $("#bulk-cost").textContent = `${found.sentence}${left}${alone ? ` ${alone} can only be approved on their own page.` : ""}`;
    $("#bulk-approve").textContent = `Approve ${ids.length - alone}`;
    ready(true);
    $("#bulk-approve").disabled = alone === ids.length;
  } catch (error) {
    if (turn === asked) show(error, bulk);
  }
}

for (const pick of picks) pick.addEventListener("change", selected);
$("#select-all")?.addEventListener("change", (event) => {
  for (const pick of picks) pick.checked = event.target.checked;
  selected();
});
$("#bulk-clear")?.addEventListener("click", () => {
  for (const pick of picks) pick.checked = false;
  $("#select-all").checked = false;
  selected();
});

// The first of identical requests is released before the others are approved: these then get the same answer.
async function released(id) {
  for (let pause = 200; ; pause = Math.min(3000, pause * 1.5)) {
    const { state } = await call("GET", `/requests${at(id)}`);
    if (!["approved", "running"].includes(state)) return;
    await new Promise((over) => setTimeout(over, pause));
  }
}

async function decide(act) {
  const note = $("#bulk-reason").value.trim();
  const todo = preview.requests.filter((one) => act !== "approve" || !one.problem);
  const begun = new Set(), undoable = [];
  let done = 0;
  try {
    for (const one of todo) {
      // Requests that are identical to one that was released already need no time to take them back.
      const terms = act === "approve" ? { binding: one.binding, note, at_once: begun.has(one.identical) } : { note };
      const { starts_at, state } = await call("POST", `/requests${at(one.id)}/${act}`, terms);
      if (waitsFor({ state, starts_at }, known.undo)) undoable.push({ id: one.id, number: one.number, starts_at });
      done += 1;
      $("#bulk-cost").textContent = `${done} of ${todo.length} done.`;
      const more = act === "approve" && !begun.has(one.identical) && todo.some((other) => other !== one && other.identical === one.identical);
      begun.add(one.identical);
      if (more) await released(one.id);
    }
    sessionStorage.setItem("inbox done", `${done} request${done === 1 ? " was" : "s were"} ${{ approve: "approved", return: "returned", refuse: "refused" }[act]}.`);
    if (undoable.length) sessionStorage.setItem("inbox undo", JSON.stringify(undoable));
    location.reload();
  } catch (error) {
    show(error, bulk).prepend(`${done} of ${todo.length} were decided. `);
  }
}

for (const act of Object.keys(ACTS)) {
  const button = $(`#bulk-${act}`);
  button?.addEventListener("click", () => {
    const reason = $("#bulk-reason");
    reason.required = act !== "approve";
    if (preview && reason.reportValidity()) busy(button, () => decide(act));
  });
}

const done = sessionStorage.getItem("inbox done");
sessionStorage.removeItem("inbox done");
if (done) say(done);

// ------------------------------------------------------------------------------------------------ undo

async function takeBack(requests) {
  const late = [];
  for (const { id, number } of requests) {
    await call("POST", `/requests${at(id)}/undo`, {}).catch(() => late.push(`#${number}`));
  }
  const taken = requests.length - late.length;
  const said = `${taken} approval${taken === 1 ? " was" : "s were"} taken back.`;
  sessionStorage.setItem("inbox done", late.length ? `${said} These had started, or need a decision on their own page: ${late.join(", ")}.` : said);
  location.reload();
}

const approvals = JSON.parse(sessionStorage.getItem("inbox undo") ?? "[]");
sessionStorage.removeItem("inbox undo");
const left = Math.max(0, ...approvals.map(({ starts_at }) => waitsFor({ state: "approved", starts_at }, known.undo)));
if (left) {
  const many = approvals.length === 1 ? "1 request was approved. It starts in" : `${approvals.length} requests were approved. They start in`;
  const place = $("#undoing");
  const { line, button } = countdown(left, { text: many, undo: () => busy(button, () => takeBack(approvals)), over: () => (place.hidden = true) });
  place.replaceChildren(line, " ", button);
  place.hidden = false;
}

// ------------------------------------------------------------------------------------------------ assignment

for (const button of $$(".assign")) {
  button.addEventListener("click", () =>
    busy(button, async () => {
      for (const id of await behind(button)) await call("POST", `/requests${at(id)}/assign`, { to: button.dataset.to || null });
      location.reload();
    }),
  );
}
