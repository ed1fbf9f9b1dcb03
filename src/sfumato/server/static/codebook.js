// A codebook in place of typing: a table (CSV, TSV or pasted cells), a DDI codebook (XML) or SPSS syntax. It is read in
// the browser, and says nothing about the rows of the data.

import { rowsOf } from "./file_columns.js";

const MOST = 5 * 1024 * 1024;
const FIELDS = {
  name: ["name", "column", "variable", "var"],
  type: ["type"],
  label: ["label", "description"],
  format: ["format"],
  low: ["low", "lowest", "min", "minimum", "lower"],
  high: ["high", "highest", "max", "maximum", "upper"],
  keys: ["categories", "keys", "values", "codes"],
  unit: ["unit", "units"],
  missing: ["missing", "missing codes", "missing values"],
};
const TYPES = { int: "integer", integer: "integer", number: "number", numeric: "number", float: "number", double: "number", text: "text", string: "text", character: "text", bool: "boolean", boolean: "boolean", date: "date", timestamp: "timestamp", datetime: "timestamp" };
const DAY = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$/;
const several = (text) => text.split(/[;|\n]/).map((part) => part.trim()).filter(Boolean);

// [{name, type, label, format, low, high, keys: […] | null, missing: […]}, …]; throws an Error that says why not.
export async function codebookOf(file) {
  if (file.size > MOST) throw new Error("The codebook is larger than 5 MB. Take out what is not about the columns.");
  return read(await file.text());
}

export function read(text) {
  if (text.length > MOST) throw new Error("The codebook is larger than 5 MB. Take out what is not about the columns.");
  const plain = text.replace(/^\ufeff/, "").trim();
  const variables = plain.startsWith("<") ? ofDdi(plain) : /^\s*(variable\s+labels|value\s+labels|missing\s+values)\b/im.test(plain) ? ofSpss(plain) : ofTable(plain);
  if (!variables.length) throw new Error("No column is described in it.");
  return variables;
}

function ofTable(text) {
  const first = text.split("\n", 1)[0];
  const delimiter = [..."\t,;|"].reduce((best, sign) => (first.split(sign).length > first.split(best).length ? sign : best));
  const [heads, ...rows] = rowsOf(text, delimiter);
  const names = heads.map((head) => head.trim().toLowerCase());
  const place = Object.fromEntries(Object.entries(FIELDS).map(([field, known]) => [field, names.findIndex((name) => known.includes(name))]));
  if (place.name < 0) throw new Error("The first line must name the columns of the table: name, type, low, high, unit, categories, missing.");
  const value = (row, field) => (place[field] < 0 ? "" : (row[place[field]] ?? "").trim());
  return rows.filter((row) => value(row, "name")).map((row) => {
    const keys = value(row, "keys");
    const list = /[;|\n]/.test(keys) || delimiter === "," ? several(keys) : keys.split(",").map((key) => key.trim()).filter(Boolean);
    return {
      name: value(row, "name"), type: TYPES[value(row, "type").toLowerCase()] ?? null, label: value(row, "label"), format: value(row, "format"),
      low: value(row, "low"), high: value(row, "high"), unit: value(row, "unit"), keys: keys === "" ? null : list, missing: several(value(row, "missing").replaceAll(",", ";")),
    };
  });
}

// DDI Codebook 1 to 2.5. Statistics of the data (sumStat, catStat) are never taken over.
function ofDdi(text) {
  if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new Error("The XML has a document type or entities, which are not read. Remove the DOCTYPE.");
  const document = new DOMParser().parseFromString(text, "application/xml");
  if (document.getElementsByTagName("parsererror").length) throw new Error("The file is not well-formed XML.");
  const below = (one, name) => [...one.getElementsByTagNameNS("*", name)];
  const words = (one, name) => [...one.children].find((each) => each.localName === name)?.textContent.trim() ?? "";
  return below(document, "var").map((one) => {
    const categories = below(one, "catgry").map((each) => [words(each, "catValu"), each.getAttribute("missing")?.toUpperCase() === "Y"]);
    const [range] = below(one, "valrng").flatMap((each) => below(each, "range"));
    const invalid = below(one, "invalrng").flatMap((each) => below(each, "item").map((item) => item.getAttribute("VALUE") ?? item.getAttribute("value") ?? ""));
    const keys = categories.filter(([value, missing]) => value !== "" && !missing).map(([value]) => value);
    const kind = below(one, "varFormat")[0]?.getAttribute("type");
    const whole = one.getAttribute("dcml") === "0" || (keys.length && keys.every((key) => /^[+-]?\d+$/.test(key)));
    return {
      name: one.getAttribute("name") ?? "", label: words(one, "labl"), format: "",
      type: kind === "character" ? "text" : kind === "numeric" ? (whole ? "integer" : "number") : null,
      low: range?.getAttribute("min") ?? "", high: range?.getAttribute("max") ?? "",
      keys: keys.length ? keys : null,
      missing: [...invalid, ...categories.filter(([, missing]) => missing).map(([value]) => value)].filter(Boolean),
    };
  }).filter(({ name }) => name);
}

// VARIABLE LABELS, VALUE LABELS and MISSING VALUES of SPSS syntax, each up to its full stop at the end of a line.
function ofSpss(text) {
  const all = new Map();
  const of = (name) => {
    const key = name.toLowerCase();
    if (!all.has(key)) all.set(key, { name, type: null, label: "", format: "", low: "", high: "", keys: null, missing: [] });
    return all.get(key);
  };
  const TEXT = /'((?:[^']|'')*)'|"((?:[^"]|"")*)"/;
  const clean = (written) => written.replace(/^['"]|['"]$/g, "").replaceAll("''", "'");
  for (const [, command, body] of text.matchAll(/^\s*(variable\s+labels|value\s+labels|missing\s+values)\b([\s\S]*?)\.\s*$/gim)) {
    const parts = body.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[()\/,]|[^\s()\/,'"]+/g) ?? [];
    const kind = command.split(/\s+/).map((word) => word.toLowerCase()).join(" ");
    let names = [];
    let open = false;
    for (let i = 0; i < parts.length; i += 1) {
      const part = parts[i];
      if (part === "/") names = [];
      else if (kind === "variable labels") TEXT.test(part) ? (names.at(-1).label = clean(part)) : names.push(of(part));
      else if (kind === "missing values") {
        if (part === "(") open = true;
        else if (part === ")") [open, names] = [false, []];
        else if (part !== "," && !open) names.push(of(part));
        else if (part !== "," && /^['"]|^[+-]?[\d.]+$/.test(part)) names.forEach((one) => one.missing.push(clean(part)));
      } else if (TEXT.test(parts[i + 1] ?? "") && /^['"]|^[+-]?[\d.]+$/.test(part)) {
        names.forEach((one) => (one.keys = [...(one.keys ?? []), clean(part)]));
        i += 1;
      } else if (part !== ",") names.push(of(part));
    }
  }
  for (const one of all.values()) if (one.keys) one.keys = one.keys.filter((key) => !one.missing.includes(key));
  return [...all.values()];
}

// Fills the columns that it names; answers which, and what was not taken over.
export function fill(columns, variables, formats, joined, fit) {
  const filled = [];
  const refused = [];
  const missing = new Set();
  for (const variable of variables) {
    const column = columns.find((one) => one.name.toLowerCase() === variable.name.toLowerCase());
    if (!column) {
      refused.push(`${variable.name} is not a column of the file`);
      continue;
    }
    filled.push(column.name);
    if (variable.type) column.type = variable.type;
    if (variable.label) column.label = variable.label;
    if (formats.some((one) => one.format === variable.format && one.types.includes(column.type))) column.format = variable.format;
    const days = ["date", "timestamp"].includes(column.type);
    for (const end of ["low", "high"]) {
      if (days && DAY.test(variable[end])) column[end] = column.type === "date" ? variable[end].slice(0, 10) : variable[end].replace(" ", "T");
      else if (!days && variable[end] !== "" && Number.isFinite(Number(variable[end]))) column[end] = String(Number(variable[end]));
    }
    if (variable.unit) column.unit = variable.unit;
    const private_ = variable.keys?.length === 1 && /^private$/i.test(variable.keys[0]);
    if (variable.keys) column.keys = private_ ? "private" : /^-?\d+\s*(to|\.\.)\s*-?\d+$/i.test(variable.keys.join()) ? variable.keys[0] : joined(variable.keys);
    const sums = column.low !== "" && column.high !== "";
    column.use = variable.keys ? (sums && column.type === "integer" ? "both" : "group") : sums ? (days ? "span" : "sum") : column.use;
    fit(column);
  }
  // Missing values hold for every column: a number that another column may have is not one of them.
  for (const variable of variables) {
    for (const code of variable.missing) {
      const clash = columns.find((one) => one.name.toLowerCase() !== variable.name.toLowerCase() && possible(one, code));
      if (clash) refused.push(`${code} means missing in ${variable.name}, but is a possible value of ${clash.name}`);
      else missing.add(code);
    }
  }
  return { filled, refused, missing: [...missing] };
}

function possible({ type, use, low, high, keys }, code) {
  if (use === "unused" || !["integer", "number"].includes(type) || !/^[+-]?\d+(\.\d+)?$/.test(code)) return false;
  const [from, to] = low !== "" && high !== "" ? [low, high] : (/^(-?\d+)\s*(?:to|\.\.)\s*(-?\d+)$/i.exec(keys)?.slice(1) ?? []);
  if (from !== undefined) return Number(from) <= Number(code) && Number(code) <= Number(to);
  return keys === "" || keys.split(/\s*,\s*/).includes(code);
}
