// What an editor page needs of CodeMirror, and no more: the bundle is as large as this list.
export { autocompletion } from "@codemirror/autocomplete";
export { PostgreSQL, SQLDialect, StandardSQL, sql } from "@codemirror/lang-sql";
export { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
export { linter, setDiagnostics } from "@codemirror/lint";
export { Compartment, EditorState } from "@codemirror/state";
export { EditorView, keymap, placeholder } from "@codemirror/view";
export { tags } from "@lezer/highlight";
export { basicSetup } from "codemirror";
