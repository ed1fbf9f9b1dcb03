import { $, $$, busy, call, facts, sent, show } from "./sfumato.js";

// It takes a moment, and then the next page does: the button says so until that is there.
async function signIn(button, name, password, next) {
  const was = button.textContent;
  button.textContent = "Signing in";
  try {
    await call("POST", "/session", { name, password });
  } catch (error) {
    button.textContent = was;
    throw error;
  }
  location.assign(next);
  await new Promise((over) => addEventListener("pagehide", over));
}

const form = $("#sign-in");
sent(form, async ({ name, password }, _, button) => {
  try {
    await signIn(button, name, password, facts().next);
  } catch (error) {
    if (error.status === 401) $("#password").value = "";
    $("#password").focus();
    throw error;
  }
});

for (const guest of $$(".guest")) {
  guest.addEventListener("click", () =>
    busy(guest, () => signIn(guest, guest.dataset.name, guest.dataset.password, guest.dataset.next).catch((error) => show(error, form))),
  );
  guest.disabled = false; // a click before this would be lost
}
