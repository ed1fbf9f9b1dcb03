// A policy is shown in sentences, as the server understands it, before it is signed.

import { fill, fillRule, forForm, listen, read, showAt } from "./policy_form.js";
import { $, $$, at, busy, call, facts, h, Problem, quiet, sent, show } from "./sfumato.js";

const { name, policy, versions, rule } = facts();
const place = `/datasets${at(name)}`;
const form = $("#policy");
let drafted = null;

listen(form);
if (Object.keys(policy).length) fill(form, policy);
const base = structuredClone(policy);
if (rule) {
  base.rule = rule;
  fillRule(form, rule);
  $("#advanced").open = true;
  $("#rule").scrollIntoView({ block: "center" });
  $("#rule-kind").focus();
}

async function readBack(body, shown) {
  try {
    drafted = (await call("POST", `${place}/check-policy`, body)) ?? null;
    $("#would-say").replaceChildren(...drafted.sentences.map((sentence) => h("li", {}, sentence)));
    quiet($("#sign"));
    $("#sign").showModal();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    shown(error);
  }
}

// The draft in words, a moment after each change; what is wrong with it stands there too.
let changes = 0;
let pause = null;
form.addEventListener("input", () => {
  clearTimeout(pause);
  const change = ++changes;
  pause = setTimeout(async () => {
    const draft = $("#draft");
    let sentences = [];
    let wrong = null;
    try {
      ({ sentences } = await call("POST", `${place}/check-policy`, { policy: read(form, base) }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      wrong = forForm(error);
    }
    if (change !== changes) return;
    quiet(draft);
    draft.hidden = false;
    $("#draft-sentences").replaceChildren(...sentences.map((sentence) => h("li", {}, sentence)));
    if (wrong) show(wrong, draft);
  }, 400);
});

sent(form, () => readBack({ policy: read(form, base) }, (error) => showAt(error, form)));

sent($("#policy-as-text"), ({ text }, within) => readBack(parsed(text), (error) => show(error, within)));

// The text says what the form says, until it is edited itself.
const text = $("#policy-text");
$("#as-text").addEventListener("toggle", () => {
  if (text.value === text.defaultValue) text.value = text.defaultValue = JSON.stringify(read(form, base), null, 2);
});

// JSON begins with a brace; whatever else is written is a policy file.
function parsed(text) {
  if (!text.trimStart().startsWith("{")) return { policy_text: text };
  try {
    return { policy: JSON.parse(text) };
  } catch {
    throw new Problem({ detail: "The text is not valid JSON", hint: "check its braces, quotes and commas.", where: "" });
  }
}

$("#sign-no").addEventListener("click", () => $("#sign").close());
$("#sign-yes").addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    try {
      const accept = $("#allow-no-guarantee")?.checked ? "?allow_no_guarantee=true" : "";
      await call("PUT", `${place}/policy${accept}`, drafted.policy);
      location.assign(location.pathname);
    } catch (error) {
      show(error, $("#sign"));
    }
  }),
);

for (const button of $$(".put-back")) {
  button.addEventListener("click", () =>
    busy(button, () => readBack({ policy: versions[button.dataset.number] }, (error) => show(error, $("#put-back-problem")))),
  );
}
