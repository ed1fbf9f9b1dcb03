// A query without SQL: measures, groups and conditions from the public schema. They are written as SQL into the editor,
// and read back from SQL as far as they go.

import { $, h } from "./sfumato.js";

const RESERVED = new Set("all any as asc by case cast check create cross current_date date default desc distinct else end false for from full group having in inner into is join left like limit natural not null offset on or and order outer primary references right select set some table then to true union unique user using values when where window with".split(" "));

// Words that SQL would not read as a name by itself are quoted; a text is quoted as a text.
export const name = (text) => (/^[a-z_][a-z0-9_]*$/i.test(text) && !RESERVED.has(text.toLowerCase()) ? text : `"${text.replaceAll('"', '""')}"`);
export const literal = (value) => (typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value));

const same = (one, other) => one.toLowerCase() === other.toLowerCase();
const numeric = ({ type }) => ["integer", "number"].includes(type);
export const groups = ({ columns }) => columns.filter((one) => one.keys !== null || one.private_keys);
export const summed = ({ columns }) => columns.filter((one) => numeric(one) && one.bounds);

// Columns that a measure may be of; none where it is of all rows.
function columnsFor(kind, vocabulary) {
  const { of } = vocabulary.measures.find((one) => one.sql === kind);
  if (of === "all rows") return null;
  return of === "the column of people" ? vocabulary.columns.filter((one) => one.name === vocabulary.people) : summed(vocabulary);
}

const offered = (vocabulary) => vocabulary.measures.filter((one) => columnsFor(one.sql, vocabulary)?.length !== 0);

// ------------------------------------------------------------------------------------------------ to SQL

const ALIASES = { COUNT: "n", "COUNT DISTINCT": "people", AVG: "average", STDDEV: "deviation" };

function alias({ kind, column, alias: own }, taken) {
  const short = ALIASES[kind] ?? kind.toLowerCase();
  const wanted = own ?? (column && kind !== "COUNT DISTINCT" ? `${short}_${column}` : short);
  let free = wanted;
  for (let i = 2; taken.has(free.toLowerCase()); i += 1) free = `${wanted}_${i}`;
  taken.add(free.toLowerCase());
  return name(free);
}

const expression = ({ kind, column }) =>
  kind === "COUNT" ? "COUNT(*)" : kind === "COUNT DISTINCT" ? `COUNT(DISTINCT ${name(column)})` : `${kind}(${name(column)})`;

const valueless = (comparison) => comparison.startsWith("IS ");
const complete = (one) => valueless(one.comparison) || (one.value !== "" && one.value !== null);

function condition({ column, comparison, value }, { columns }) {
  if (valueless(comparison)) return `${name(column)} ${comparison}`;
  const { type } = columns.find((one) => same(one.name, column));
  const written = type === "date" ? `DATE ${literal(value)}` : ["integer", "number", "boolean"].includes(type) ? String(value) : literal(value);
  return `${name(column)} ${comparison} ${written}`;
}

export function written({ measures, by, where }, vocabulary) {
  const taken = new Set(by.map((one) => one.toLowerCase()));
  const outputs = measures.map((one) => `${expression(one)} AS ${alias(one, taken)}`);
  const conditions = where.filter(complete).map((one) => condition(one, vocabulary));
  return [
    `SELECT ${[...by.map(name), ...outputs].join(",\n  ")}`,
    `FROM ${name(vocabulary.table)}`,
    conditions.length ? `WHERE ${conditions.join("\n  AND ")}` : null,
    by.length ? `GROUP BY ${by.map(name).join(", ")}` : null,
  ].filter(Boolean).join("\n");
}

// ------------------------------------------------------------------------------------------------ from SQL

const TOKEN = /\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[a-z_]\w*|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|<>|!=|>=|<=|[=<>(),*;])/iy;

function tokens(text) {
  const parts = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const part = TOKEN.exec(text);
    if (!part) return null;
    parts.push(part[1]);
  }
  return parts;
}

// Measures, groups and conditions of a text; null where it goes beyond them.
export function read(text, vocabulary) {
  const rest = tokens(text);
  if (!rest) return null;
  const is = (word) => rest[0] !== undefined && rest[0].toUpperCase() === word;
  const take = (...words) => {
    if (!words.every((word, i) => rest[i]?.toUpperCase() === word)) throw new SyntaxError(words.join(" "));
    rest.splice(0, words.length);
  };
  const named = () => {
    const part = rest.shift() ?? "";
    if (/^"/.test(part)) return part.slice(1, -1).replaceAll('""', '"');
    if (!/^[a-z_]/i.test(part)) throw new SyntaxError(part);
    return part;
  };
  const column = (among = vocabulary.columns) => {
    const part = named();
    const one = among.find((each) => same(each.name, part));
    if (!one) throw new SyntaxError(part);
    return one.name;
  };
  const output = () => {
    if (rest[1] !== "(") return { group: column(groups(vocabulary)) };
    let kind = rest.shift().toUpperCase();
    take("(");
    if (is("DISTINCT")) kind = (take("DISTINCT"), `${kind} DISTINCT`);
    if (!offered(vocabulary).some((one) => one.sql === kind)) throw new SyntaxError(kind);
    const among = columnsFor(kind, vocabulary);
    const of = among ? column(among) : (take("*"), null);
    take(")");
    return { kind, column: of, ...(is("AS") ? (take("AS"), { alias: named() }) : {}) };
  };
  const list = (one, between) => {
    const all = [one()];
    while (is(between)) take(between), all.push(one());
    return all;
  };
  const compared = () => {
    const of = column();
    if (is("IS")) {
      take("IS");
      if (is("NOT")) return take("NOT", "NULL"), { column: of, comparison: "IS NOT NULL", value: "" };
      return take("NULL"), { column: of, comparison: "IS NULL", value: "" };
    }
    const comparison = rest[0] === "!=" ? "<>" : rest[0];
    if (!vocabulary.comparisons.some(([sign]) => sign === comparison)) throw new SyntaxError(comparison);
    rest.shift();
    const { type, categories } = vocabulary.columns.find((one) => one.name === of);
    if (type === "date") take("DATE");
    const part = rest.shift() ?? "";
    const value = /^'/.test(part) ? part.slice(1, -1).replaceAll("''", "'") : part.toLowerCase();
    const fits = { text: /^'/, date: /^'\d{4}-\d\d-\d\d'$/, boolean: /^(true|false)$/i, integer: /^-?\d+$/, number: /^-?\d/ }[type];
    if (!fits.test(part) || (categories && !categories.map(String).includes(value))) throw new SyntaxError(part);
    return { column: of, comparison, value };
  };
  try {
    take("SELECT");
    const outputs = list(output, ",");
    take("FROM");
    if (!same(named(), vocabulary.table)) return null;
    const where = is("WHERE") ? (take("WHERE"), list(compared, "AND")) : [];
    const by = is("GROUP") ? (take("GROUP", "BY"), list(() => column(groups(vocabulary)), ",")) : [];
    if (is(";")) take(";");
    const chosen = outputs.filter((one) => one.group).map((one) => one.group);
    const measures = outputs.filter((one) => !one.group);
    const first = outputs.findIndex((one) => !one.group);
    if (rest.length || !measures.length || first !== chosen.length || chosen.join("\n") !== by.join("\n")) return null;
    return { measures, by, where };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}

// Queries to start from, all made from the schema: [heading, [name, SQL]…].
export function templates(vocabulary) {
  const counts = offered(vocabulary).some((one) => one.sql === "COUNT");
  const averages = offered(vocabulary).some((one) => one.sql === "AVG");
  const sql = (parts) => written({ measures: [{ kind: "COUNT", column: null }], by: [], where: [], ...parts }, vocabulary);
  return [
    ["Counts", counts ? [["Count of all rows", sql({})], ...groups(vocabulary).filter((one) => one.categories).map(({ name: by }) => [`Count by ${by}`, sql({ by: [by] })])] : []],
    ["Averages", averages ? summed(vocabulary).map(({ name: column }) => [`Average of ${column}`, sql({ measures: [{ kind: "AVG", column }] })]) : []],
  ].filter(([, all]) => all.length);
}

// ------------------------------------------------------------------------------------------------ the builder

// In `place`; `write` puts SQL into the editor. `follow` reads what the editor has now.
export function building(place, vocabulary, write) {
  let state = null;
  let own = null; // the SQL that it wrote last
  const parts = $(".builder", place);
  const beyond = $(".beyond", place);
  const step = $(".in-step", place);

  const changed = (redraw = false, focus = "") => {
    own = written(state, vocabulary);
    write(own);
    if (redraw) draw(focus);
  };
  const select = (label, options, value, act) => {
    const list = h("select", { class: "select", "aria-label": label }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
    list.addEventListener("change", () => act(list.value));
    return list;
  };
  const removal = (label, act) => h("button", { type: "button", class: "btn small quiet", "aria-label": `Remove ${label}`, onclick: act }, "×");
  const adding = (text, act) => h("button", { type: "button", class: "btn small quiet add", onclick: act }, `+ ${text}`);
  const without = (list, i) => list.filter((_, each) => each !== i);
  const named = (all) => all.map((one) => [one.name, one.name]);

  function measure(one, i, all) {
    const among = columnsFor(one.kind, vocabulary);
    const kind = select(`Measure ${i + 1}`, offered(vocabulary).map((each) => [each.sql, each.words]), one.kind, (value) => {
      const fits = columnsFor(value, vocabulary);
      const column = fits && (fits.find((each) => each.name === one.column) ?? fits[0]).name;
      state.measures[i] = { kind: value, column };
      changed(true, `Measure ${i + 1}`);
    });
    const of = among && select(`Column ${i + 1}`, named(among), one.column, (column) => ((state.measures[i] = { kind: one.kind, column }), changed(true, `Column ${i + 1}`)));
    const gone = all.length > 1 && removal(`measure ${i + 1}`, () => ((state.measures = without(state.measures, i)), changed(true, `Measure ${Math.max(1, i)}`)));
    return h("div", { class: "brow" }, kind, of && h("span", { class: "sm" }, "of"), of, gone);
  }

  function group(one, i) {
    return h("span", { class: "chip" }, one, removal(one, () => ((state.by = without(state.by, i)), changed(true, "Add a group"))));
  }

  function filter(one, i) {
    const column = vocabulary.columns.find((each) => each.name === one.column);
    const ordered = numeric(column) || column.type === "date";
    const comparisons = vocabulary.comparisons.filter(([sign]) => ordered || ["=", "<>"].includes(sign) || valueless(sign));
    const of = select(`Filter column ${i + 1}`, named(vocabulary.columns), one.column, (value) => {
      state.where[i] = { ...fresh(value), comparison: "=" };
      changed(true, `Filter column ${i + 1}`);
    });
    const how = select(`Comparison ${i + 1}`, comparisons, one.comparison, (comparison) => ((state.where[i] = { ...one, comparison }), changed(true, `Comparison ${i + 1}`)));
    const gone = removal(`condition ${i + 1}`, () => ((state.where = without(state.where, i)), changed(true, "Add a condition")));
    return h("div", { class: "brow" }, of, how, valueless(one.comparison) ? null : value(one, column, i), gone);
  }

  function value(one, column, i) {
    const label = `Value ${i + 1}`;
    if (column.categories) return select(label, column.categories.map((each) => [String(each), String(each)]), one.value, (each) => ((one.value = each), changed()));
    const type = numeric(column) ? "number" : column.type === "date" ? "date" : "text";
    const range = column.bounds ? `${column.bounds[0]} to ${column.bounds[1]}` : null;
    const input = h("input", { class: "input auto", "aria-label": label, type, step: type === "number" ? (column.type === "integer" ? "1" : "any") : null, value: one.value, placeholder: range, autocomplete: "off" });
    input.addEventListener("input", () => {
      one.value = input.validity.valid ? input.value : "";
      changed();
    });
    return input;
  }

  const some = () => {
    const kind = offered(vocabulary)[0].sql;
    return { kind, column: columnsFor(kind, vocabulary)?.[0].name ?? null };
  };
  const initial = () => ({ measures: [some()], by: [], where: [] });
  const fresh = (column) => ({ column, comparison: "=", value: String(vocabulary.columns.find((each) => each.name === column).categories?.[0] ?? "") });

  const hint = (one) => {
    const { keys, private_keys } = vocabulary.columns.find((each) => each.name === one);
    return private_keys ? `${one}: private group keys, found with noise; they need a delta.` : `${one}: ${keys.toLocaleString("en")} groups, listed in the schema.`;
  };

  function draw(focus = "") {
    const free = groups(vocabulary).filter((one) => !state.by.includes(one.name));
    const more = free.length && select("Add a group", [["", "Add a group …"], ...named(free)], "", (by) => by && ((state.by = [...state.by, by]), changed(true, "Add a group")));
    const part = (text, ...children) => h("div", { role: "group", "aria-label": text }, h("span", { class: "label", "aria-hidden": "true" }, text), ...children);
    parts.replaceChildren(
      part("Measure", state.measures.map(measure), adding("Add a measure", () => {
        state.measures.push(some());
        changed(true, `Measure ${state.measures.length}`);
      })),
      part("By", h("div", { class: "brow" }, state.by.map(group), more || null), state.by.map((one) => h("p", { class: "hint" }, hint(one)))),
      part("Where", state.where.map(filter), vocabulary.columns.length ? adding("Add a condition", () => {
        state.where.push(fresh(vocabulary.columns[0].name));
        changed(true, `Filter column ${state.where.length}`);
      }) : null),
    );
    if (focus) ([...parts.querySelectorAll("[aria-label], .add")].find((one) => (one.getAttribute("aria-label") ?? one.textContent.slice(2)) === focus) ?? parts.querySelector("select"))?.focus();
  }

  function follow(text) {
    if (text === own) return;
    own = null;
    state = text.trim() ? read(text, vocabulary) : initial();
    parts.hidden = step.hidden = state === null;
    beyond.hidden = state !== null;
    if (state) draw();
  }

  $(".over-again", place).addEventListener("click", () => {
    state = initial();
    parts.hidden = step.hidden = false;
    beyond.hidden = true;
    changed(true, "Measure 1");
  });
  place.hidden = !offered(vocabulary).length;
  return place.hidden ? null : { follow };
}
