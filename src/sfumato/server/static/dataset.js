import { $, $$, at, busy, call, facts, number, quiet, say, sent, show, table, upload } from "./sfumato.js";

const { name, person } = facts();
const place = `/datasets${at(name)}`;

for (const button of $$("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());

const schema = $("#new-schema");
if (schema) {
  const unfold = () => location.hash === "#schema" && ($("#schema").open = true);
  $("#change-schema").addEventListener("click", () => ($("#schema").open = true));
  addEventListener("hashchange", unfold);
  unfold();
  sent(schema, async ({ schema_text }) => {
    await call("PUT", `${place}/schema`, { schema_text });
    location.reload();
  });
}

const delivery = $("#deliver");
if (delivery) {
  sent(delivery, async () => {
    const [file] = $("#file").files;
    $("#delivering").hidden = false;
    try {
      await upload(`${place}/data`, file, (part) => {
        $("#progress").value = part;
        if (part === 1) $("#progress").removeAttribute("value");
        $("#delivered").textContent = part < 1 ? `${Math.round(100 * part)}% sent` : "Sent. The server is checking the file …";
      });
      location.reload();
    } finally {
      $("#delivering").hidden = true;
    }
  });
}

const connection = $("#connect");
if (connection) {
  sent(connection, async () => {
    await call("PUT", `${place}/connection`, {});
    location.reload();
  });
}

const holders = $("#new-controllers");
if (holders) {
  const stated = () => new FormData(holders).getAll("controllers");
  const keep = async (next) => {
    await call("PUT", `${place}/controllers`, { controllers: stated() });
    location.assign(next);
  };
  sent(holders, () => (stated().length && !stated().includes(person) ? $("#leave-dialog").showModal() : keep(location.pathname)));
  $("#leave-yes").addEventListener("click", () => {
    $("#leave-dialog").close();
    keep("/datasets").catch((error) => show(error, holders));
  });
}

const people = $("#new-population");
if (people) {
  sent(people, async ({ population }) => {
    await call("PUT", `${place}/population`, { population });
    location.reload();
  });
}

$("#check")?.addEventListener("click", () => $("#check-dialog").showModal());
$("#check-yes")?.addEventListener("click", () => {
  $("#check-dialog").close();
  const section = $("#check").closest("section");
  quiet(section);
  busy($("#check"), async () => {
    say("Working …");
    try {
      const fit = await call("POST", `${place}/check`);
      const heads = ["Column", "Missing", "Wrong type", "Outside bounds", "Not in categories"];
      const rows = fit.columns.map((one) => [one.name, ...[one.missing, one.unfit, one.clamped, one.unlisted].map((n) => number(n))]);
      $("#fit").replaceChildren(`${number(fit.people)} rows.`, table("Schema check", heads, rows, { numbers: [1, 2, 3, 4] }));
      say("Check done. It is logged as a look.");
    } catch (error) {
      show(error, section);
    }
  });
});

$("#retire")?.addEventListener("click", () => $("#retire-dialog").showModal());
$("#retire-yes")?.addEventListener("click", (event) =>
  busy(event.currentTarget, async () => {
    try {
      await call("DELETE", place);
      location.assign("/datasets");
    } catch (error) {
      show(error, $("#retire-dialog"));
    }
  }),
);
