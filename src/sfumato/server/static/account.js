import { $, $$, at, busy, call, chooseTheme, chooseZone, chosenZone, exactTime, facts, h, pageNow, quiet, say, sent, show } from "./sfumato.js";

// ------------------------------------------------------------------------------------------------ display

const themes = $("#theme-choice"), zones = $("#zone");
const zoneNames = [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC"])].sort();
const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

zones.options[0].textContent = `Browser's time zone (${browserZone})`;
zones.append(...zoneNames.map((name) => h("option", { value: name }, name)));
zones.value = zoneNames.includes(chosenZone()) ? chosenZone() : "";
tellTime();

zones.addEventListener("change", () => {
  chooseZone(zones.value);
  tellTime();
  say("Time zone saved in this browser.");
});

themes.addEventListener("change", () => {
  chooseTheme(themes.value);
  say("Theme saved in this browser.");
});
document.addEventListener("theme", () => (themes.value = document.documentElement.dataset.theme ?? ""));

function tellTime() {
  $("#zone-now").textContent = `Now: ${exactTime(new Date())}`;
}

// ------------------------------------------------------------------------------------------------ notifications

const topics = $("#topics");
topics.addEventListener("change", async () => {
  const muted = $$("input:not(:checked)", topics).map((box) => box.value);
  quiet(topics);
  try {
    await call("PUT", "/notifications/settings", { muted });
    say("Notifications saved.");
  } catch (error) {
    show(error, topics);
  }
});

// ------------------------------------------------------------------------------------------------ sessions

for (const button of [...$$(".end-session"), ...$$("#end-others")]) {
  const path = button.dataset.id ? `/sessions${at(button.dataset.id)}` : "/sessions";
  button.addEventListener("click", () =>
    busy(button, async () => {
      await call("DELETE", path);
      location.reload();
    }),
  );
}

// ------------------------------------------------------------------------------------------------ tokens and password

sent($("#new-token"), async ({ label, days, scopes }) => {
  const made = await call("POST", "/tokens", { label, days: Number(days), scopes: scopes.split(" ") });
  $("#secret-text").textContent = made.secret;
  $("#secret").hidden = false;
  await listed();
  $("#secret").scrollIntoView({ block: "nearest" });
  say("Token created. It is shown once.");
});

$("#copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText($("#secret-text").textContent);
  say("Copied.");
});

// The list as the server has it now.
async function listed() {
  const fresh = await pageNow();
  if (!fresh) return;
  $("#token-list").replaceWith(document.adoptNode(fresh.getElementById("token-list")));
  revocable();
}

function revocable() {
  for (const button of $$(".revoke")) {
    button.addEventListener("click", () =>
      busy(button, async () => {
        await call("DELETE", `/tokens${at(button.dataset.id)}`);
        location.reload();
      }),
    );
  }
}
revocable();

sent($("#new-password"), async (said, form) => {
  await call("PATCH", `/people${at(facts().name)}`, { password: said.new, current_password: said.current });
  form.reset();
  location.assign("/sign-in?changed=password");
});
