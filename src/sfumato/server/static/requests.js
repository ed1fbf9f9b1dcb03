import { $, $$, at, busy, call, say, show } from "./sfumato.js";

const section = $('section[aria-label="Requests"]');

for (const button of $$(".withdraw")) {
  button.addEventListener("click", () =>
    busy(button, async () => {
      try {
        await call("POST", `/requests${at(button.dataset.id)}/withdraw`);
        location.reload();
      } catch (error) {
        show(error, section);
      }
    }),
  );
}

for (const button of $$(".read")) {
  button.addEventListener("click", () =>
    busy(button, async () => {
      await call("POST", `/notifications${at(button.dataset.id)}/read`);
      const item = button.closest("li");
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      (next?.querySelector("button") ?? $("#main")).focus();
      say(next ? "The notification is marked as read." : "You have no unread notifications.");
    }),
  );
}

$("#read-all")?.addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    await call("POST", "/notifications/read");
    location.reload();
  }),
);
