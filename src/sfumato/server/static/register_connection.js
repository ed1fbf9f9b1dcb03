// A table that stays in a database: the server opens it before it is registered.
import { $, at, call, sent } from "./sfumato.js";

sent($("#connection"), async ({ schema_text, title, url, table, password, version }) => {
  const { name } = await call("POST", "/datasets", { schema_text, title, connection: { url, table, password, version } });
  location.assign(`/datasets${at(name)}`);
});
