// Measures the boxes of the diagram, again whenever one is resized.
import { type RefObject, useLayoutEffect, useState } from "react";
import type { PlacedEntity } from "./entity-lines";

interface Placed {
  width: number;
  height: number;
  entities: PlacedEntity[];
}

/** Boxes have `data-entity` with their name; fields `data-field`, headers `data-head`. */
export function useEntityPositions(root: RefObject<HTMLElement | null>): Placed | null {
  const [placed, setPlaced] = useState<Placed | null>(null);
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return;
    const look = () => setPlaced(measure(element));
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const box of element.querySelectorAll("[data-entity]")) observer.observe(box);
    look();
    return () => observer.disconnect();
  }, [root]);
  return placed;
}

function measure(root: HTMLElement): Placed {
  const origin = root.getBoundingClientRect();
  const middle = (element: Element | null) => {
    const { top, height } = element?.getBoundingClientRect() ?? origin;
    return top + height / 2 - origin.top;
  };
  const entities = [...root.querySelectorAll<HTMLElement>("[data-entity]")].map((box) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    return {
      name: box.dataset.entity ?? "",
      left: left - origin.left,
      right: right - origin.left,
      top: top - origin.top,
      bottom: bottom - origin.top,
      headY: middle(box.querySelector("[data-head]")),
      fieldYs: [...box.querySelectorAll("[data-field]")].map(middle),
    };
  });
  return { width: origin.width, height: origin.height, entities };
}
