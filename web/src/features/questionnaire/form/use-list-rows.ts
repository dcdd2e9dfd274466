// Actions on the rows of a list answer. They are stable, so that a row rerenders only when its text
// changes.
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { insert, move, paste, type Rows, remove, split } from "./list-items";

type Selection = [number, number];

export interface RowActions {
  type: (row: number, text: string) => void;
  split: (row: number, selection: Selection) => void;
  /** Returns false for a single line, which the browser pastes. */
  paste: (row: number, selection: Selection, text: string) => boolean;
  move: (row: number, by: -1 | 1, caret: number) => void;
  remove: (row: number) => void;
  add: () => void;
  putBack: () => void;
}

export function useListRows(value: string[], onChange: (items: string[]) => void) {
  const items = value.length > 0 ? value : [""];
  const list = useRef<HTMLDivElement>(null);
  const caret = useRef<Pick<Rows, "row" | "caret"> | null>(null);
  const [announcement, setTold] = useState("");
  const [removed, setRemoved] = useState<{ item: string; row: number } | null>(null);
  const latest = useRef({ items, removed, onChange });

  useLayoutEffect(() => {
    latest.current = { items, removed, onChange };
    if (!caret.current) return;
    const field = list.current?.querySelectorAll("textarea")[caret.current.row];
    field?.focus();
    field?.setSelectionRange(caret.current.caret, caret.current.caret);
    caret.current = null;
  });

  const actions = useMemo<RowActions>(() => {
    const take = (rows: Rows | null, told = "") => {
      if (!rows) return false;
      caret.current = { row: rows.row, caret: rows.caret };
      setTold(told);
      latest.current.onChange(rows.items);
      return true;
    };
    const now = () => latest.current.items;
    return {
      type: (row, text) => latest.current.onChange(now().with(row, text)),
      split: (row, selection) => take(split(now(), row, selection)),
      paste: (row, selection, text) => take(paste(now(), row, selection, text)),
      move: (row, by, caret) =>
        take(move(now(), row, by, caret), `Moved to position ${row + by + 1} of ${now().length}`),
      remove(row) {
        const item = now()[row] ?? "";
        if (item.trim()) setRemoved({ item, row });
        take(remove(now(), row), `Item ${row + 1} removed`);
      },
      add: () => take({ items: [...now(), ""], row: now().length, caret: 0 }),
      putBack() {
        const { removed } = latest.current;
        if (!removed) return;
        setRemoved(null);
        const filled = now().filter((item, row) => item !== "" || row > 0);
        take(insert(filled, removed.row, removed.item), `Item ${removed.row + 1} restored`);
      },
    };
  }, []);
  return { items, list, announcement, hasRemoved: removed !== null, actions };
}
