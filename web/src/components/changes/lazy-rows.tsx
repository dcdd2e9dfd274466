import { type ReactNode, useEffect, useRef, useState } from "react";

const ESTIMATED_ROW_PX = 20;
const DISTANCE_PX = 500;

interface LazyRowsProps {
  count: number;
  /** Renders the rows also where they are not visible. */
  always: boolean;
  children: () => ReactNode;
}

/** Rows of a long file, rendered while they are near the visible part of the list around them. */
export function LazyRows({ count, always, children }: LazyRowsProps) {
  const [near, setNear] = useState(false);
  const [height, setHeight] = useState(count * ESTIMATED_ROW_PX);
  const box = useRef<HTMLDivElement>(null);
  const shown = near || always;
  // Also while rows are always rendered, so that they stay where they are visible when that ends.
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting ?? false;
        // Keeps the height, so that nothing below moves.
        if (!isNear) setHeight(element.offsetHeight);
        setNear(isNear);
      },
      {
        root: element.closest("[data-virtuoso-scroller]"),
        rootMargin: `${DISTANCE_PX}px 0px`,
      },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} style={shown ? undefined : { height }}>
      {shown && children()}
    </div>
  );
}
