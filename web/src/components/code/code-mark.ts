// Marks a line of the editor and shows a problem below it.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

export interface CodeMark {
  /** 1-based; a number beyond the last line means the last line. */
  line: number;
  /** Shown below the line. */
  problem?: string;
}

class Problem extends WidgetType {
  constructor(private readonly text: string) {
    super();
  }
  override eq(other: Problem) {
    return other.text === this.text;
  }
  override toDOM() {
    const box = document.createElement("div");
    box.className = "cm-problem";
    box.textContent = this.text;
    return box;
  }
}

const setMark = StateEffect.define<CodeMark | null>();

export const codeMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setMark));
    if (!set) return marks.map(transaction.changes);
    const mark: CodeMark | null = set.value;
    if (!mark) return Decoration.none;
    const { doc } = transaction.state;
    const line = doc.line(Math.min(Math.max(mark.line, 1), doc.lines));
    const { problem } = mark;
    const marked = Decoration.line({ class: problem ? "cm-marked cm-wrong" : "cm-marked" });
    if (!problem) return Decoration.set([marked.range(line.from)]);
    const below = Decoration.widget({ widget: new Problem(problem), block: true, side: 1 });
    return Decoration.set([marked.range(line.from), below.range(line.to)]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks a line and moves the cursor to it; null removes the mark. */
export function showMark(view: EditorView, mark: CodeMark | null) {
  if (!mark) return view.dispatch({ effects: setMark.of(null) });
  const { doc } = view.state;
  const { from } = doc.line(Math.min(Math.max(mark.line, 1), doc.lines));
  view.dispatch({
    effects: [setMark.of(mark), EditorView.scrollIntoView(from, { y: "center" })],
    selection: { anchor: from },
  });
  view.focus();
}
