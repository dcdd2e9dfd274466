// What all editors share: highlighting, folding, search, and an accessible name.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { ContractFormat } from "@/lib/api";
import { codeMarks } from "./code-mark";
import { codeTheme } from "./code-theme";
import { highlighter } from "./highlighter";

export interface CodeSetup {
  format: ContractFormat;
  label: string;
  editable: boolean;
}

export function codeSetup({ format, label, editable }: CodeSetup): Extension[] {
  return [
    lineNumbers(),
    format === "markdown" ? [] : foldGutter({ openText: "▾", closedText: "▸" }),
    highlightSpecialChars(),
    syntaxHighlighting(highlighter),
    search({ top: true }),
    codeMarks,
    codeTheme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    editable ? EDITABLE : READ_ONLY,
    keymap.of([...searchKeymap, ...foldKeymap]),
  ];
}

// Tab leaves the editor, as it leaves every other field.
const EDITABLE: Extension = [
  history(),
  indentUnit.of("  "),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLineGutter(),
  EditorView.contentAttributes.of({ spellcheck: "true" }),
  keymap.of([...defaultKeymap, ...historyKeymap]),
];

const READ_ONLY: Extension = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ tabindex: "0", "aria-readonly": "true" }),
];
