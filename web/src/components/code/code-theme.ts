// The editor's theme, for both color schemes.
import { EditorView } from "@codemirror/view";

const TOKENS = ["comment", "keyword", "string", "constant", "function", "type", "name"];

export const codeTheme = EditorView.theme({
  "&": { color: "var(--mantine-color-text)", fontSize: "var(--mantine-font-size-sm)" },
  "&.cm-focused": {
    outline: "2px solid var(--mantine-primary-color-filled)",
    outlineOffset: "-2px",
  },
  ".cm-scroller": {
    fontFamily: "var(--mantine-font-family-monospace)",
    lineHeight: "1.65",
    overflow: "visible",
  },
  ".cm-content": { padding: "0.625rem 0", caretColor: "var(--mantine-color-text)", minWidth: 0 },
  ".cm-line": { padding: "0 0.75rem 0 0.375rem" },
  ".cm-gutters": {
    background: "transparent",
    color: "var(--mantine-color-dimmed)",
    border: "none",
  },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25rem", padding: "0 0.375rem 0 0.5rem" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", width: "1rem", textAlign: "center" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "transparent" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--mantine-color-text)" },
  ".cm-selectionMatch": { background: "var(--tone-info-ground)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    background: "var(--tone-accent-ground)",
    outline: "1px solid var(--tone-accent-line)",
  },
  ".cm-foldPlaceholder": {
    margin: "0 0.25rem",
    padding: "0 0.375rem",
    background: "var(--tone-neutral-ground)",
    border: "1px solid var(--tone-neutral-line)",
    color: "var(--tone-neutral-text)",
  },
  ".cm-marked": {
    background: "var(--tone-waiting-ground)",
    boxShadow: "inset 3px 0 var(--tone-waiting-text)",
  },
  ".cm-marked.cm-wrong": {
    background: "var(--tone-bad-ground)",
    boxShadow: "inset 3px 0 var(--tone-bad-text)",
  },
  ".cm-problem": {
    padding: "0.25rem 0.75rem 0.375rem",
    background: "var(--tone-bad-ground)",
    boxShadow: "inset 3px 0 var(--tone-bad-text)",
    color: "var(--tone-bad-text)",
    fontFamily: "var(--mantine-font-family)",
    fontWeight: "550",
  },
  ".cm-panels": {
    background: "var(--surface-raised)",
    color: "var(--mantine-color-text)",
    fontFamily: "var(--mantine-font-family)",
  },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "0.5rem 2rem 0.5rem 0.75rem" },
  ".cm-textfield, .cm-button": {
    background: "var(--surface)",
    backgroundImage: "none",
    border: "1px solid var(--line)",
    borderRadius: "var(--mantine-radius-sm)",
    color: "var(--mantine-color-text)",
    padding: "0.25rem 0.5rem",
  },
  ".cm-searchMatch": { background: "var(--tone-waiting-ground)", outline: "1px solid" },
  ...Object.fromEntries(TOKENS.map((kind) => [`.${kind}`, { color: `var(--code-${kind})` }])),
});
