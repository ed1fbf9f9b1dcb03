// An approval starts after some seconds, and can be taken back until then.

import { h } from "./sfumato.js";

// Milliseconds until an approval starts, at most as long as the server waits: this browser's clock may be another.
export function waitsFor({ state, starts_at }, most) {
  if (state !== "approved" || !starts_at) return 0;
  const left = Date.parse(starts_at) - Date.now();
  return left > 0 ? Math.min(left, most * 1000) : 0;
}

// "Starts in 9 s." and the button that takes it back, until it starts; then `over` is called.
export function countdown(wait, { text = "Starts in", undo, over }) {
  const until = performance.now() + wait;
  const seconds = h("span", {});
  const button = h("button", { type: "button", class: "button btn small primary", id: "undo", onclick: () => undo(button) }, "Undo");
  const line = h("span", { class: "countdown", role: "timer", "aria-live": "off" }, `${text} `, seconds, " s.");
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    seconds.textContent = Math.max(left, 0);
    if (left > 0 && line.isConnected) return;
    clearInterval(timer);
    button.remove();
    if (left <= 0) over();
  };
  seconds.textContent = Math.ceil(wait / 1000);
  const timer = setInterval(tick, 250);
  return { line, button };
}
