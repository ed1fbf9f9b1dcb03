import { $, $$, busy, call, facts, sent, show } from "./sfumato.js";

async function signIn(name, password, next) {
  await call("POST", "/session", { name, password });
  location.assign(next);
}

const form = $("#sign-in");
sent(form, async ({ name, password }) => {
  try {
    await signIn(name, password, facts().next);
  } catch (error) {
    if (error.status === 401) $("#password").value = "";
    $("#password").focus();
    throw error;
  }
});

for (const guest of $$(".guest")) {
  guest.addEventListener("click", () =>
    busy(guest, () => signIn(guest.dataset.name, guest.dataset.password, guest.dataset.next).catch((error) => show(error, form))),
  );
}
