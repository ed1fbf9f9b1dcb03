import { $, say } from "./sfumato.js";

$("#print").addEventListener("click", () => print());
$("#copy-link").addEventListener("click", async () => {
  const link = location.origin + location.pathname;
  try {
    await navigator.clipboard.writeText(link);
    say("The link is copied. You and the controllers of the dataset can open it.");
  } catch {
    say(`Copy this link: ${link}`);
  }
});

// From the page of the answer, to print at once.
if (new URLSearchParams(location.search).has("print")) addEventListener("load", () => print());
