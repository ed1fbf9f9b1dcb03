// Names and likely types of a file's columns: read in the browser, from its first bytes or its footer.

const FIRST = 256 * 1024;
const LINES = 500;
const MISSING = new Set(["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."]);
const KINDS = [
  ["boolean", /^(true|false)$/i],
  ["integer", /^[+-]?\d{1,18}$/],
  ["number", /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i],
  ["date", /^\d{4}-\d{2}-\d{2}$/],
  ["timestamp", /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/],
];
// Formats that the values of a text cannot have by chance; a day that is at most 12 may be a month: the person says so.
const FORMATS = [
  ["number", "1,234.56", /^-?[$€£¥]?\s?-?\d{1,3}(,\d{3})*(\.\d+)?\s?[$€£¥]?$/, /,\d{3}|[$€£¥]/],
  ["number", "1.234,56", /^-?[$€£¥]?\s?-?(\d{1,3}(\.\d{3})*|\d+)(,\d+)?\s?[$€£¥]?$/, /,\d/],
  ["number", "12.5%", /^[+-]?\d+(\.\d+)?\s?%$/, /%/],
  ["number", "12,5%", /^[+-]?\d+(,\d+)?\s?%$/, /,/],
  ["date", "31/12/2025", /^([12]?\d|0\d|3[01])[/.-](0?\d|1[0-2])[/.-]\d{4}$/, /^(1[3-9]|2\d|3[01])\D/],
  ["date", "12/31/2025", /^(0?\d|1[0-2])\/([12]?\d|0\d|3[01])\/\d{4}$/, /^\d+\D(1[3-9]|2\d|3[01])\D/],
];

// [{name, type, format}, …]; throws an Error that says why not.
export async function columnsOf(file) {
  const found = await (/\.(parquet|pq)$/i.test(file.name) ? ofParquet(file) : ofCsv(file));
  const names = found.map((column) => column.name.toLowerCase());
  if (!names.length || names.some((name) => !name) || new Set(names).size < names.length) {
    throw new Error("The file needs a header line with a different name for each column. Add one.");
  }
  return found;
}

async function ofParquet(file) {
  const { parquetMetadataAsync, parquetSchema } = await import("./vendor/hyparquet.min.js");
  try {
    const told = await parquetMetadataAsync({ byteLength: file.size, slice: (from, to) => file.slice(from, to).arrayBuffer() });
    return parquetSchema(told).children.map(({ element }) => ({ name: element.name, type: stored(element) }));
  } catch {
    throw new Error("This Parquet file cannot be read.");
  }
}

function stored({ type, converted_type, logical_type }) {
  const said = logical_type?.type ?? converted_type ?? "";
  if (said === "DATE") return "date";
  if (type === "BOOLEAN") return "boolean";
  if (said === "DECIMAL" || ["FLOAT", "DOUBLE"].includes(type)) return "number";
  if (/^TIMESTAMP/.test(said)) return "timestamp";
  return ["INT32", "INT64"].includes(type) && !said.startsWith("TIME") ? "integer" : "text";
}

async function ofCsv(file) {
  const whole = file.size <= FIRST;
  const text = new TextDecoder().decode(await file.slice(0, FIRST).arrayBuffer()).replace(/^\ufeff/, "");
  if (text.includes("\0")) throw new Error("The file is neither CSV text nor Parquet.");
  const header = text.split("\n", 1)[0];
  const count = (sign) => header.split(sign).length;
  const delimiter = [...",;\t|"].reduce((best, sign) => (count(sign) > count(best) ? sign : best));
  const [names, ...rows] = rowsOf(text, delimiter);
  const seen = (whole ? rows : rows.slice(0, -1)).slice(0, LINES);
  return (names ?? []).map((name, i) => ({ name, ...guessed(seen.map((row) => row[i] ?? "")) }));
}

export function rowsOf(text, delimiter) {
  const rows = [[]];
  let field = "";
  let quoted = false;
  const end = () => rows.at(-1).push(field) && (field = "");
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (quoted && sign === '"' && text[i + 1] === '"') field += text[(i += 1)];
    else if (quoted && sign === '"') quoted = false;
    else if (quoted) field += sign;
    else if (sign === '"' && field === "") quoted = true;
    else if (sign === delimiter) end();
    else if (sign === "\n") end(), rows.push([]);
    else if (sign !== "\r") field += sign;
  }
  end();
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}

function guessed(values) {
  const there = values.map((value) => value.trim()).filter((value) => !MISSING.has(value));
  if (!there.length) return { type: "text" };
  const [plain] = KINDS.find(([, shape]) => there.every((value) => shape.test(value))) ?? [];
  if (plain) return { type: plain };
  const [type, format] = FORMATS.find(([, , shape, sure]) => there.every((value) => shape.test(value)) && there.some((value) => sure.test(value))) ?? ["text"];
  return { type, format };
}
