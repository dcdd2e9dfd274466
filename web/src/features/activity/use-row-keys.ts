import { type RefObject, useRef } from "react";
import type { VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/lib/actions";
import type { Row } from "./row";

interface RowKeys {
  rows: Row[];
  /** The row that the address points to: there the keys begin. */
  marked: string | undefined;
  list: RefObject<VirtuosoHandle | null>;
  scroller: HTMLElement | null;
  onMove: () => void;
  onLink: (seq: number) => void;
}

/** Moves the focus from row to row with j and k: what opens has it where there is something to open. */
export function useRowKeys({ rows, marked, list, scroller, onMove, onLink }: RowKeys) {
  const current = useRef<string | null>(null);

  const rowOf = (key: string) =>
    scroller?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`) ?? null;

  function focus(key: string) {
    const row = rowOf(key);
    (row?.querySelector<HTMLElement>("[aria-expanded]") ?? row)?.focus({ preventScroll: true });
  }

  /** The row in the middle of what is seen. */
  function inSight(): number {
    if (!scroller) return 0;
    const { top, height } = scroller.getBoundingClientRect();
    const seen = [...scroller.querySelectorAll<HTMLElement>("[data-row]")].find(
      (row) => row.getBoundingClientRect().bottom > top + height / 2,
    );
    return rows.findIndex(({ key }) => key === seen?.dataset.row);
  }

  function move(step: 1 | -1) {
    const from = current.current ?? marked;
    const at = rows.findIndex(({ key }) => key === from);
    const index = at < 0 ? inSight() : at + step;
    const row = rows[index];
    if (!row) return;
    current.current = row.key;
    onMove();
    list.current?.scrollIntoView({ index, done: () => focus(row.key) });
  }

  function link() {
    const row = rows.find(({ key }) => key === current.current);
    if (row) onLink(row.seq);
  }

  useActions([
    { name: "nextRow", run: () => move(1) },
    { name: "previousRow", run: () => move(-1) },
    { name: "linkRow", run: link },
  ]);

  /** Whatever has the focus is where the keys go on. */
  return (target: Element) => {
    const key = target.closest<HTMLElement>("[data-row]")?.dataset.row;
    if (key) current.current = key;
  };
}
