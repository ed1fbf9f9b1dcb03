// What is changed can be undone until another page is opened: the change before is kept for the next showing.

import { $, $$, at, busy, call, facts, say, sent, show } from "./sfumato.js";

const { people, self } = facts();
const DONE = "people done";
const byName = new Map(people.map((one) => [one.name, one]));

async function change(name, to, before, text) {
  await call("PATCH", `/people${at(name)}`, to);
  sessionStorage.setItem(DONE, JSON.stringify({ name, text, before }));
  location.reload();
}

const done = JSON.parse(sessionStorage.getItem(DONE) ?? "null");
sessionStorage.removeItem(DONE);
if (done) {
  $("#done-text").textContent = done.text;
  $("#undo").hidden = !done.before;
  $("#done").hidden = false;
}
$("#undo").addEventListener("click", (event) =>
  busy(event.currentTarget, () =>
    change(done.name, done.before, null, `The change to ${done.name} was undone.`).catch((error) => show(error, $("#list-problem"))),
  ),
);

function opened(dialog, name) {
  dialog.dataset.name = name;
  $(".whom", dialog).textContent = name;
  dialog.showModal();
}
for (const button of $$("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());

function each(kind, work) {
  for (const button of $$(`button.${kind}`)) button.addEventListener("click", () => work(byName.get(button.closest("tr").dataset.name), button));
}

each("change", (one) => {
  $("#change-organisation").value = one.organisation;
  for (const box of $$('[name="roles"]', $("#change"))) box.checked = one.roles.includes(box.value);
  opened($("#change"), one.name);
});
sent($("#change-form"), ({ organisation }, form) => {
  const { name, ...before } = byName.get($("#change").dataset.name);
  const roles = new FormData(form).getAll("roles");
  return change(name, { organisation, roles }, { organisation: before.organisation, roles: before.roles }, `${name} was changed.`);
});

each("turn", ({ name, disabled }, button) =>
  busy(button, async () => {
    try {
      const text = disabled ? `${name} is enabled.` : `${name} is disabled and signed out everywhere.`;
      await change(name, { disabled: !disabled }, { disabled }, text);
    } catch (error) {
      show(error, $("#list-problem"));
    }
  }),
);

each("password", ({ name }) => {
  $("#password-form").reset();
  $("#own-password").hidden = name !== self;
  opened($("#password-dialog"), name);
});
sent($("#password-form"), ({ password, current }) => {
  const { name } = $("#password-dialog").dataset;
  const known = name === self ? { current_password: current } : {};
  return change(name, { password, ...known }, null, `${name} has a new password.`);
});

each("token", ({ name }) => {
  $("#token-form").hidden = false;
  $("#secret").hidden = true;
  opened($("#token-dialog"), name);
});
sent($("#token-form"), async ({ label, days, scopes }, form) => {
  const person = $("#token-dialog").dataset.name;
  const made = await call("POST", "/tokens", { label, days: Number(days), scopes: scopes.split(" "), person });
  form.hidden = true;
  $("#secret-text").textContent = made.secret;
  $("#secret").hidden = false;
  $("#copy").focus();
  say("Token created. It is shown once.");
});
$("#token-dialog").addEventListener("close", () => ($("#secret-text").textContent = ""));
$("#copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText($("#secret-text").textContent);
  say("Copied.");
});

const way = () => {
  const byPassword = $('[name="way"]:checked').value === "password";
  $("#first-password").hidden = !byPassword;
  $("#password").required = byPassword;
};
$("#new-person").addEventListener("change", way);
way();

sent($("#new-person"), async ({ name, organisation, password, way: by }, form) => {
  const roles = new FormData(form).getAll("roles");
  const made = await call("POST", "/people", { name, organisation, roles, ...(by === "password" ? { password } : {}) });
  const text = by === "password" ? `${made.name} was added.` : `${made.name} was added. Create a token for them now.`;
  sessionStorage.setItem(DONE, JSON.stringify({ name: made.name, text, before: null }));
  location.reload();
});
