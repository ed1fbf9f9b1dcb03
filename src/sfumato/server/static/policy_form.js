// The form of a policy: filled from its tables, read back into them. What the form does not have stays as it was.

import { $, $$, Problem, h, show } from "./sfumato.js";

const BUDGETS = ["budget", "budget_delta"];
const LIMITS = ["columns", "aggregates"]; // all of them are allowed where the policy lists none
const KEEP = "as it is";

const kindsOf = (form) => $$(".kind", form).map((part) => part.dataset.kind);
const numbersOf = (form) => $$(".kind[data-beside]", form).map((part) => part.dataset.kind); // stated by one number
const same = (one, other) => one.toLowerCase() === other.toLowerCase();
const plain = (text) => text.split("/").reduce((above, below) => above / below); // a budget is kept exactly: 7/2

export function listen(form) {
  const turn = () => {
    form.elements.preregistered.disabled = !form.elements.declared.checked;
    for (const part of $$(".kind", form)) part.hidden = part.dataset.kind !== $("#rule-kind", form).value;
    for (const dot of presetsOf(form)) dot.checked = matches(form, JSON.parse(dot.dataset.preset));
  };
  form.addEventListener("change", ({ target }) => {
    if (target.name === "preset") fillPreset(form, JSON.parse(target.dataset.preset));
    turn();
  });
  form.addEventListener("filled", turn);
  turn();
}

// A preset fills some of the fields; a preset is marked as chosen where the fields say what it says.
const presetsOf = (form) => $$('[name="preset"]', form);
const chosen = (form, name) => $$(`[name="${name}"]`, form).filter((box) => box.checked).map((box) => box.value);
const sameNames = (some, others) => some.length === others.length && some.every((name) => others.includes(name));

function fillPreset(form, { rule, epsilon_max, access_rule: [access] }) {
  const fields = form.elements;
  fields.epsilon_max.value = epsilon_max;
  for (const name of ["preferences", "signals"]) for (const box of $$(`[name="${name}"]`, form)) box.checked = access[name].includes(box.value);
  for (const dot of $$('[name="approve"]', form)) dot.checked = dot.value === access.approve;
  if (fields.approvals) fields.approvals.value = access.approvals;
  fields.code.checked = access.code;
  fillRule(form, rule);
}

function matches(form, { rule, epsilon_max, access_rule: [access] }) {
  const fields = form.elements;
  const [[kind, limit]] = Object.entries(rule);
  return (
    fields.rule_kind.value === kind &&
    Number(fields[kind].value) === limit &&
    Number(fields.epsilon_max.value) === epsilon_max &&
    sameNames(chosen(form, "preferences"), access.preferences.filter((name) => name !== "rule")) &&
    sameNames(chosen(form, "signals"), access.signals) &&
    sameNames(chosen(form, "approve"), [access.approve]) &&
    Number(fields.approvals?.value ?? 1) === access.approvals &&
    fields.code.checked === access.code
  );
}

export function fill(form, policy) {
  const fields = form.elements;
  const [flow = {}, ...others] = policy.access_rule ?? [];
  fields.purpose.value = policy.purpose ?? "";
  fields.preregistered.value = policy.preregistered ?? "";
  fields.declared.checked = Boolean(policy.preregistered);
  fields.epsilon_max.value = policy.epsilon_max ?? "";
  for (const name of BUDGETS) fields[name].value = policy[name] === undefined ? "" : plain(String(policy[name]));
  for (const name of ["public_page", "separation", "introduction"]) {
    if (fields[name] && name in policy) fields[name].checked = policy[name];
  }
  $("#other-flows", form).hidden = !others.length;
  for (const name of flow.who ?? []) named(form, name);
  for (const box of $$('[name="who"]', form)) box.checked = (flow.who ?? []).some((name) => same(name, box.value));
  for (const name of LIMITS) fillLimit(form, name, flow[name]);
  for (const box of $$('[name="preferences"]', form)) box.checked = (flow.preferences ?? []).includes(box.value);
  for (const dot of $$('[name="approve"]', form)) dot.checked = dot.value === (flow.approve ?? "by a controller");
  if (fields.approvals) fields.approvals.value = flow.approvals ?? 1;
  for (const box of $$('[name="signals"]', form)) box.checked = (flow.signals ?? ["free"]).includes(box.value);
  fields.code.checked = flow.code ?? false;
  fields.signal_bits.value = flow.signal_bits ?? 20;
  fillRule(form, policy.rule ?? null);
  if (Object.keys(policy.trust ?? {}).length) keep(fields.trust);
  if (policy.sensitivity?.dataset !== undefined) choose(fields.sensitivity, policy.sensitivity.dataset);
}

export function fillRule(form, rule) {
  const fields = form.elements;
  const stated = kindsOf(form).filter((name) => name in (rule ?? {}));
  const kind = rule === null ? "" : stated.length === 1 ? stated[0] : "other";
  const other = $('option[value="other"]', fields.rule_kind);
  other.hidden = other.disabled = kind !== "other";
  fields.rule_kind.value = kind;
  if (numbersOf(form).includes(kind)) fields[kind].value = rule[kind];
  if (kind === "sharing_risk") {
    choose(fields.sharing_risk, rule.sharing_risk);
    fields.choices.value = rule.choices ?? "";
  }
  form.dispatchEvent(new Event("filled"));
}

// A level that is none of the five words, or several of them, is kept until another is chosen.
function choose(select, level) {
  if ([...select.options].some((option) => option.value === level)) select.value = level;
  else keep(select);
}

function keep(select) {
  const option = $(`option[value="${KEEP}"]`, select);
  option.hidden = option.disabled = false;
  select.value = KEEP;
}

// A user whom the policy names and the form does not offer: disabled, or not an analyst.
function named(form, name) {
  if ($$('[name="who"]', form).some((box) => same(box.value, name))) return;
  const box = h("input", { type: "checkbox", name: "who", value: name });
  $("#other-flows", form).before(h("p", {}, h("label", { class: "beside" }, box, ` ${name}`)));
}

function fillLimit(form, name, allowed) {
  const boxes = $$(`[name="${name}"]`, form);
  for (const box of boxes) box.checked = allowed === undefined || allowed.some((one) => same(one, box.value));
}

// No list where all are selected; a list that says the same as before stays as it was written.
function readLimit(form, name, flow) {
  const boxes = $$(`[name="${name}"]`, form);
  if (!boxes.length) return;
  const offered = (one) => boxes.find((box) => same(box.value, one))?.value;
  const before = flow[name] ?? boxes.map((box) => box.value);
  const now = chosen(form, name);
  if (sameNames(now, before.map(offered).filter(Boolean))) return;
  if (now.length === boxes.length) delete flow[name];
  else flow[name] = [...now, ...before.filter((one) => !offered(one))];
}

export function read(form, base = {}) {
  const policy = structuredClone(base);
  const said = new FormData(form);
  const flow = (policy.access_rule ??= [{}])[0];
  state(policy, "purpose", said.get("purpose"));
  state(policy, "preregistered", said.get("preregistered"));
  state(policy, "epsilon_max", figure(said.get("epsilon_max")));
  for (const name of BUDGETS) {
    const budget = figure(said.get(name));
    if (base[name] === undefined || budget !== plain(String(base[name]))) state(policy, name, budget);
  }
  for (const name of ["public_page", "separation", "introduction"]) {
    if (form.elements[name]) policy[name] = said.has(name);
  }
  flow.who = said.getAll("who");
  for (const name of LIMITS) readLimit(form, name, flow);
  const beside = (flow.preferences ?? []).filter((name) => ![...numbersOf(form), "rule"].includes(name));
  const kind = said.get("rule_kind");
  flow.preferences = [...(kind === "" ? [] : ["rule"]), ...said.getAll("preferences"), ...beside];
  if (!flow.preferences.length) delete flow.preferences;
  flow.approve = said.get("approve");
  if (flow.approve === "after the answer") flow.guarantees = ["none"];
  else if (String(flow.guarantees) === "none") delete flow.guarantees;
  if (said.has("approvals")) flow.approvals = figure(said.get("approvals")) ?? 1;
  flow.signals = said.getAll("signals");
  flow.code = said.has("code");
  state(flow, "signal_bits", figure(said.get("signal_bits")));
  readRule(form, policy, said, kind, base.rule ?? {});
  return policy;
}

function readRule(form, policy, said, kind, before) {
  if (kind === "other") return;
  delete policy.rule;
  if (kind === "") return;
  const beside = $(`.kind[data-kind="${kind}"]`, form).dataset.beside;
  policy.rule = kind in before ? { ...before } : { [kind]: null, ...JSON.parse(beside ?? "{}") };
  if (beside !== undefined) return void (policy.rule[kind] = figure(said.get(kind)) ?? 0);
  if (said.get("sharing_risk") !== KEEP) policy.rule.sharing_risk = said.get("sharing_risk");
  state(policy.rule, "choices", figure(said.get("choices")));
  const trust = said.get("trust");
  const rated = policy.trust ?? {};
  const level = trust === KEEP ? null : trust;
  if (level) for (const name of said.getAll("who")) rated[name] = level;
  policy.trust = rated;
  if (said.get("sensitivity") !== KEEP) policy.sensitivity = { ...policy.sensitivity, dataset: said.get("sensitivity") };
}

const figure = (text) => (text === null || text.trim() === "" ? null : Number(text));

function state(table, name, value) {
  if (value === null || value === "") delete table[name];
  else table[name] = value;
}

// An error of the server's at the field that it is about.
export function showAt(error, form) {
  const place = $(`[data-place="${placeOf(error)}"]`, form) ?? $('[data-place="elsewhere"]', form);
  if (place.closest("details")) place.closest("details").open = true;
  show(error instanceof Problem ? forForm(error) : error, place).scrollIntoView({ block: "nearest" });
  $("input, select", place)?.focus();
}

// In a form, a place of the file and how to write it there are of no use.
export const forForm = (error) => new Problem({ ...error, detail: error.detail, where: "", hint: error.values?.interface === "schema" ? "" : error.hint });

function placeOf({ where = "", reason = "", values = {} }) {
  if (/person-unknown|without-people|without-access-rule/.test(reason)) return "who"; // an access rule, not the rule
  const about = `${reason} ${values?.name ?? ""} ${where}`;
  if (["epsilon_max", ...BUDGETS].includes(where)) return where;
  if (/column/.test(reason)) return "columns";
  if (/aggregate/.test(about)) return "aggregates";
  if (/signal/.test(about)) return "signals";
  if (/approv|after-the-answer|automatic|exact-score/.test(about)) return "approve";
  if (/rule|preference|trust|sensitiv/.test(about)) return "rule";
  return where.startsWith("[[access_rule]]") ? "who" : "elsewhere";
}
