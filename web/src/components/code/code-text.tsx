// A text with line numbers, read-only or editable. Loaded on demand.
import { Compartment } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from "react";
import type { ContractFormat } from "@/lib/api";
import { codeLanguage } from "./code-language";
import { type CodeMark, showMark } from "./code-mark";
import { codeSetup } from "./code-setup";
import classes from "./code-text.module.css";

export interface CodeHandle {
  /** Inserts text at the cursor as an undoable change; text that ends in a newline gets its own lines. */
  insert: (piece: string) => void;
}

interface CodeTextProps {
  handle?: Ref<CodeHandle>;
  text: string;
  format: ContractFormat;
  /** The accessible name of the text. */
  label: string;
  mark?: CodeMark | null;
  /** Makes the text editable; a `text` that changes from outside is an undoable change. */
  onChange?: (text: string) => void;
  onSave?: () => void;
}

export default function CodeText({
  handle,
  text,
  format,
  label,
  mark = null,
  onChange,
  onSave,
}: CodeTextProps) {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView | null>(null);
  const editable = onChange !== undefined;
  /** Whether the user has placed the cursor. */
  const placed = useRef(false);
  const initialText = useEffectEvent(() => text);
  const onEdit = useEffectEvent((edited: string) => onChange?.(edited));
  const save = useEffectEvent(() => {
    onSave?.();
    return onSave !== undefined;
  });

  useEffect(() => {
    if (!host.current) return;
    const language = new Compartment();
    const view = new EditorView({
      parent: host.current,
      doc: initialText(),
      extensions: [
        keymap.of([{ key: "Mod-s", run: () => save() }]),
        codeSetup({ format, label, editable }),
        language.of([]),
        EditorView.updateListener.of((update) => {
          if (update.focusChanged && update.view.hasFocus) placed.current = true;
          if (update.docChanged) onEdit(update.state.doc.toString());
        }),
      ],
    });
    setView(view);
    // The text is shown without highlighting if the network fails.
    codeLanguage(format)
      .then((found) => view.dispatch({ effects: language.reconfigure(found.extension) }))
      .catch(() => {});
    return () => {
      setView(null);
      view.destroy();
    };
  }, [format, label, editable]);

  useEffect(() => {
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [view, text]);

  useImperativeHandle(
    handle,
    () => ({ insert: (piece) => view && insert(view, piece, placed.current) }),
    [view],
  );

  useEffect(() => {
    if (view) showMark(view, mark);
  }, [view, mark]);

  return <div ref={host} className={classes.text} data-editable={editable || undefined} />;
}

function insert(view: EditorView, piece: string, atCursor: boolean) {
  const { doc, selection } = view.state;
  const ownLines = piece.endsWith("\n");
  const head = atCursor ? selection.main.head : doc.length;
  const line = doc.lineAt(head);
  // Whole lines are inserted after the line of the cursor.
  const from = ownLines ? line.to : head;
  const text = ownLines ? `${line.length > 0 ? "\n\n" : ""}${piece}` : piece;
  view.dispatch({
    changes: { from, insert: text },
    selection: { anchor: from + text.length },
    scrollIntoView: true,
  });
  view.focus();
}
