// Two texts side by side, with what differs between them. Loaded only when two people met.
import { MergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { ContractFormat } from "@/lib/api";
import classes from "./code-merge.module.css";
import { codeSetup } from "./code-setup";

interface CodeMergeProps {
  format: ContractFormat;
  mine: string;
  theirs: string;
  /** What `mine` became: it can be edited here. */
  onChange: (mine: string) => void;
}

export default function CodeMerge({ format, mine, theirs, onChange }: CodeMergeProps) {
  const host = useRef<HTMLElement>(null);
  const latest = useRef({ mine, onChange });
  useEffect(() => {
    latest.current = { mine, onChange };
  });
  useEffect(() => {
    if (!host.current) return;
    const changed = EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString());
    });
    const view = new MergeView({
      parent: host.current,
      a: {
        doc: theirs,
        extensions: codeSetup({ format, label: "The other text", editable: false }),
      },
      b: {
        doc: latest.current.mine,
        extensions: [codeSetup({ format, label: "Your text", editable: true }), changed],
      },
      collapseUnchanged: {},
    });
    return () => view.destroy();
  }, [format, theirs]);
  return (
    <section className={classes.scroll} aria-label="Both texts" ref={host}>
      <div className={classes.heads} aria-hidden>
        <span>The other text</span>
        <span>Your text</span>
      </div>
    </section>
  );
}
