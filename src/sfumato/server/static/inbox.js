// J and K walk through what waits; Enter is the link's own. A notification that was read goes.

import { $, $$, at, busy, call, say, show } from "./sfumato.js";

const links = $$("#requests .open, #signals .open");

function walk(step) {
  const here = links.indexOf(document.activeElement);
  const next = links[Math.min(links.length - 1, Math.max(0, here < 0 ? 0 : here + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step === undefined) return;
  event.preventDefault();
  walk(step);
});

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
