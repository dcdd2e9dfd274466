// Two texts side by side with their differences. Loaded on demand.
import { MergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";
import type { ContractFormat } from "@/lib/api";
import classes from "./code-merge.module.css";
import { codeSetup } from "./code-setup";

interface CodeMergeProps {
  format: ContractFormat;
  mine: string;
  theirs: string;
  /** Called with the edited text. */
  onChange: (mine: string) => void;
}

export default function CodeMerge({ format, mine, theirs, onChange }: CodeMergeProps) {
  const host = useRef<HTMLElement>(null);
  const initialText = useEffectEvent(() => mine);
  const onEdit = useEffectEvent(onChange);
  useEffect(() => {
    if (!host.current) return;
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged) onEdit(update.state.doc.toString());
    });
    const view = new MergeView({
      parent: host.current,
      a: {
        doc: theirs,
        extensions: codeSetup({ format, label: "Other version", editable: false }),
      },
      b: {
        doc: initialText(),
        extensions: [codeSetup({ format, label: "Your version", editable: true }), changed],
      },
      collapseUnchanged: {},
    });
    return () => view.destroy();
  }, [format, theirs]);
  return (
    <section className={classes.scroll} aria-label="Both versions" ref={host}>
      <div className={classes.heads} aria-hidden>
        <span>Other version</span>
        <span>Your version</span>
      </div>
    </section>
  );
}
