import { type RefObject, useEffect, useRef } from "react";
import type { VirtuosoHandle } from "react-virtuoso";
import { useActions } from "@/domain/actions";
import type { Item } from "./rollups";

interface RowKeys {
  items: Item[];
  /** The row in the address. Keyboard navigation starts there after each visit. */
  marked: string | undefined;
  visit: number;
  list: RefObject<VirtuosoHandle | null>;
  scroller: HTMLElement | null;
  onMove: () => void;
  onLink: (seq: number) => void;
}

/** Two seconds at 60 frames per second. */
const MAX_FRAMES = 120;

/** Focuses the row's disclosure, or the row; returns false if it cannot be focused yet. */
function focus(row: HTMLElement): boolean {
  (row.querySelector<HTMLElement>("[aria-expanded]") ?? row).focus({ preventScroll: true });
  return row.contains(document.activeElement);
}

/** Moves the focus between rows with j and k. */
export function useRowKeys({ items, marked, visit, list, scroller, onMove, onLink }: RowKeys) {
  const current = useRef<string | null>(null);
  /** The row to focus as soon as it is rendered. */
  const awaited = useRef<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: forgotten with each visit
  useEffect(() => {
    current.current = null;
  }, [visit]);

  /** The index of the row in the middle of the viewport. */
  function inSight(): number {
    if (!scroller) return 0;
    const { top, height } = scroller.getBoundingClientRect();
    const seen = [...scroller.querySelectorAll<HTMLElement>("[data-row]")].find(
      (row) => row.getBoundingClientRect().bottom > top + height / 2,
    );
    return items.findIndex(({ key }) => key === seen?.dataset.row);
  }

  function move(step: 1 | -1) {
    const from = current.current ?? marked;
    const at = items.findIndex(({ key }) => key === from);
    const index = at < 0 ? inSight() : at + step;
    const row = items[index];
    if (!row) return;
    current.current = row.key;
    onMove();
    list.current?.scrollIntoView({ index });
    awaited.current = row.key;
    takeFocus(row.key, MAX_FRAMES);
  }

  /** While the list is laid out it is hidden and cannot be focused. */
  function takeFocus(key: string, frames: number) {
    if (awaited.current !== key) return;
    const row = scroller?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    if (row && focus(row)) awaited.current = null;
    else if (frames > 0) requestAnimationFrame(() => takeFocus(key, frames - 1));
  }

  function link() {
    const row = items.find(({ key }) => key === current.current);
    if (row) onLink(row.seq);
  }

  useActions([
    { name: "nextRow", run: () => move(1) },
    { name: "previousRow", run: () => move(-1) },
    { name: "linkRow", run: link },
  ]);

  /** Navigation continues from the focused row. */
  return (target: Element) => {
    const key = target.closest<HTMLElement>("[data-row]")?.dataset.row;
    if (key) current.current = key;
  };
}
