import { $, busy, call, facts, quiet, say, show } from "./sfumato.js";

// Verification of the ledger and the audit log, and checkpoints.
const place = $("#verifying");

async function verify(head) {
  quiet(place);
  $("#verdict").hidden = true;
  try {
    const found = await call("POST", "/audit/verify", { head });
    $("#verdict").textContent = `✓ ${found.sentence}`;
    $("#verdict").hidden = false;
    say("Verified.");
  } catch (error) {
    show(error, place);
  }
}

$("#verify")?.addEventListener("click", (event) => busy(event.currentTarget, () => verify(null)));

$("#print")?.addEventListener("click", () => print());

$("#head")?.addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    quiet(place);
    try {
      const head = await call("GET", "/audit/head");
      const file = new Blob([`${JSON.stringify(head, null, 2)}\n`], { type: "application/json" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(file);
      link.download = `sfumato-head-${head.audit.number}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
      say("The checkpoint was saved as a file. Keep it where this server cannot change it.");
    } catch (error) {
      show(error, place);
    }
  }),
);

$("#kept")?.addEventListener("change", async (event) => {
  const [file] = event.currentTarget.files;
  if (!file) return;
  let head;
  try {
    head = JSON.parse(await file.text());
  } catch {
    head = null;
  }
  if (head === null || typeof head !== "object") {
    $(".problem", place).textContent = "This file is not a checkpoint. Choose a file that “Save checkpoint” wrote.";
    $(".problem", place).hidden = false;
    $("#verdict").hidden = true;
    return;
  }
  await verify(head);
});

$("#copy-link")?.addEventListener("click", async () => {
  await navigator.clipboard.writeText(location.origin + facts().public);
  say("The link was copied.");
});
