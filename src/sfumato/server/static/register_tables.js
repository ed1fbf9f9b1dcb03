// Several tables: the schema is registered, then the ZIP file is delivered; a second try goes on with the delivery.
import { $, at, call, sent, upload } from "./sfumato.js";

let registered = null;

sent($("#tables"), async ({ schema_text, title }) => {
  const [file] = $("#file").files;
  if (registered?.schema_text !== schema_text) {
    const { name } = await call("POST", "/datasets", { schema_text, title });
    registered = { name, schema_text };
  }
  const place = `/datasets${at(registered.name)}`;
  $("#delivering").hidden = false;
  try {
    await upload(`${place}/data`, file, (part) => {
      $("#progress").value = part;
      if (part === 1) $("#progress").removeAttribute("value");
      $("#delivered").textContent = part < 1 ? `${Math.round(100 * part)}% sent` : "Sent. The server is checking the file …";
    });
    location.assign(place);
  } finally {
    $("#delivering").hidden = true;
  }
});
