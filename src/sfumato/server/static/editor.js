// A textarea that becomes an editor, of SQL or of plain text; without it, it stays a textarea.

import { EditorView, HighlightStyle, SQLDialect, autocompletion, basicSetup, keymap, setDiagnostics, sql, syntaxHighlighting, tags } from "./vendor/codemirror.js";
import { literal, name } from "./builder.js";

const SQL = "sql";

const marks = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: tags.number, color: "var(--bad)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", border: "1px solid var(--line)", borderRadius: ".3rem", fontSize: ".875rem" },
  "&.cm-focused": { outline: "3px solid var(--chosen)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" }, // numbers and lines in one typeface, so that they align
  ".cm-content": { caretColor: "var(--ink)", minHeight: "6.5rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { minHeight: "6.5rem", backgroundColor: "var(--sunken)", color: "var(--soft)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--chosen) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--chosen) 30%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--sunken)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--chosen)", color: "var(--on-accent)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--over)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--chosen)" },
  ".cm-lintRange-warning": { backgroundImage: "none", borderBottom: "2px dashed var(--chosen)" },
  ".cm-lintRange-error": { backgroundImage: "none", borderBottom: "2px solid var(--over)", backgroundColor: "color-mix(in srgb, var(--over) 22%, transparent)" },
});

function options({ table, columns, aggregates, functions, clauses }) {
  return [
    ...columns.map((one) => ({ label: one.name, apply: name(one.name), type: "property", detail: one.type, boost: 3 })),
    ...aggregates.map((label) => ({ label, apply: `${label}(`, type: "function", detail: "aggregate", boost: 2 })),
    ...functions.map((label) => ({ label, apply: `${label}(`, type: "function", detail: "function", boost: 1 })),
    { label: table, apply: name(table), type: "class", detail: "table", boost: 1 },
    ...clauses.map((label) => ({ label, type: "keyword" })),
  ];
}

// A category as a literal; a quote that closed itself when one was opened goes.
const constant = (value, column, boost = 0) => ({
  label: literal(value),
  type: "constant",
  detail: column,
  boost,
  apply: (view, { label }, from, to) => {
    const closed = view.state.sliceDoc(from, from + 1) === "'" && view.state.sliceDoc(to, to + 1) === "'";
    view.dispatch({ changes: { from, to: closed ? to + 1 : to, insert: label }, selection: { anchor: from + label.length }, userEvent: "input.complete" });
  },
});

// After `column =`, `column IN (` and the like its categories stand first.
function completing(vocabulary) {
  const every = options(vocabulary);
  const listed = new Map(vocabulary.columns.filter((one) => one.categories).map((one) => [one.name.toLowerCase(), one.categories]));
  const all = [...listed].flatMap(([column, categories]) => categories.map((value) => constant(value, column)));
  return (context) => {
    const line = context.state.sliceDoc(context.state.doc.lineAt(context.pos).from, context.pos);
    const inText = line.split("'").length % 2 === 0; // a quote is open
    const from = inText ? context.pos - line.length + line.lastIndexOf("'") : context.pos - /[\w"]*$/.exec(line)[0].length;
    const compared = context.matchBefore(/"?(\w+)"?\s*(=|<>|!=|IN\s*\((?:[^()]*,)?)\s*'?[^',()]*/i);
    const column = compared && /"?(\w+)"?/.exec(compared.text)[1].toLowerCase();
    if (listed.has(column)) return { from, options: listed.get(column).map((value, i) => constant(value, column, 50 - Math.min(i, 99))) };
    if (!context.explicit && from === context.pos) return null;
    return { from, options: inText ? all : every };
  };
}

// Literals that a column is compared with and that are not among its categories, which are public.
export function unlisted(text, { columns }) {
  const LITERAL = /'(?:[^']|'')*'|-?\d+(?:\.\d+)?/g;
  const compared = /"?(\w+)"?\s*(?:=|<>|!=|(?:NOT\s+)?IN\s*\()\s*((?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?)(?:\s*,\s*(?:'(?:[^']|'')*'|-?\d+(?:\.\d+)?))*)/gi;
  return [...text.matchAll(compared)].flatMap((found) => {
    const column = columns.find((one) => one.name.toLowerCase() === found[1].toLowerCase());
    if (!column?.categories) return [];
    const listed = column.categories.map(literal);
    const begin = found.index + found[0].length - found[2].length;
    return [...found[2].matchAll(LITERAL)]
      .filter(([value]) => !listed.includes(value))
      .map((one) => ({
        from: begin + one.index,
        to: begin + one.index + one[0].length,
        message: `${one[0]} is not a category of ${column.name}. Categories: ${listed.slice(0, 8).join(", ")}${listed.length > 8 ? " …" : ""}.`,
      }));
  });
}

const dialect = ({ aggregates, functions, clauses }) =>
  SQLDialect.define({
    keywords: clauses.join(" ").toLowerCase(),
    builtin: [...aggregates, ...functions].join(" ").toLowerCase(),
    types: "date",
    doubleQuotedStrings: false,
    caseInsensitiveIdentifiers: true,
  });

// Text that is typed over a selection is put in by us: the browser would keep its look as an inline style.
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (empty || event.isComposing || event.inputType !== "insertText" || !event.data) return false;
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((takes) => takes(view, from, to, event.data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

// In place of a textarea, which keeps what is written.
function mounted(area, extensions, language, changed = () => {}) {
  const host = area.ownerDocument.createElement("div");
  host.className = "editor";
  area.before(host);
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    doc: area.value,
    extensions: [
      extensions,
      typedOver,
      look,
      EditorView.contentAttributes.of({ "aria-label": area.getAttribute("aria-label"), "aria-multiline": "true", "data-language": language }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        area.value = view.state.doc.toString();
        changed();
      }),
    ],
  });
  area.hidden = true;
  area.required = false; // what is not seen cannot be pointed at
  return view;
}

export const writing = (area) => mounted(area, [basicSetup], "python");

export function editing(area, vocabulary, { run, changed }) {
  const extensions = [
    keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]),
    basicSetup,
    sql({ dialect: dialect(vocabulary) }),
    autocompletion({ override: [completing(vocabulary)], maxRenderedOptions: 60 }),
    syntaxHighlighting(marks),
    EditorView.lineWrapping,
  ];
  let wrong = [];
  const marked = () => {
    const odd = unlisted(area.value, vocabulary).map((one) => ({ ...one, severity: "warning" }));
    const there = wrong.filter((one) => one.to <= view.state.doc.length);
    view.dispatch(setDiagnostics(view.state, [...there, ...odd]));
  };
  const view = mounted(area, extensions, SQL, () => {
    queueMicrotask(marked); // not while it is still being changed
    changed();
  });
  marked();
  return {
    focus: () => view.focus(),
    write: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    name: (text) => view.contentDOM.setAttribute("aria-label", text),
    // An error at its place: from a line and column to the end of the word there; without them, the first line.
    mark: (said) => {
      wrong = [];
      if (!said) return marked();
      const { line, column, message } = said;
      const there = view.state.doc.line(Math.min(line ?? 1, view.state.doc.lines));
      const from = Math.min(there.from + (column ? column - 1 : 0), there.to);
      const word = line ? (/^\w+|^\S/.exec(view.state.sliceDoc(from, there.to))?.[0].length ?? 0) : there.length;
      const to = Math.min(Math.max(from + word, from + 1), view.state.doc.length);
      wrong = [{ from: Math.min(from, to), to, severity: "error", message }];
      return marked();
    },
    goTo: ({ line, column }) => {
      const there = view.state.doc.line(Math.min(line ?? 1, view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(there.from + (column ?? 1) - 1, there.to) }, scrollIntoView: true });
      view.focus();
    },
  };
}
