// Reordering the items of a list by dragging them. The same is possible with the menu of each item.
import { type DragEvent, useState } from "react";

interface Target {
  id: string;
  side: "before" | "after";
}

/** Props for the elements of a list. `onMove` receives the item before which one was dropped; null is
 * the end. */
export function useReorder(all: string[], onMove: (id: string, before: string | null) => void) {
  const [dragged, setDragged] = useState<string | null>(null);
  const [target, setTarget] = useState<Target | null>(null);
  const end = () => {
    setDragged(null);
    setTarget(null);
  };
  return (id: string) => ({
    draggable: true,
    "data-dragged": dragged === id || undefined,
    "data-target": target?.id === id && dragged !== id ? target.side : undefined,
    onDragStart: (event: DragEvent<HTMLElement>) => {
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", id);
      setDragged(id);
    },
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (dragged === null) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const side = event.clientY < top + height / 2 ? "before" : "after";
      if (target?.id !== id || target.side !== side) setTarget({ id, side });
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      event.preventDefault();
      if (dragged !== null && target !== null && target.id !== dragged) {
        const before = target.side === "before" ? id : (all[all.indexOf(id) + 1] ?? null);
        if (before !== dragged) onMove(dragged, before);
      }
      end();
    },
    onDragEnd: end,
  });
}
