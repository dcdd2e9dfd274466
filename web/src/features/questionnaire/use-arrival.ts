// Where the focus goes when a step is arrived at: the question in the address, or the heading.
import { useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

export const questionAnchor = (question: string) => `question-${question}`;

export function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { hash, key } = useLocation();
  const moved = useNavigationType() !== "POP";
  // The key is new each time, so that the same link leads to its question again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const block = hash && document.getElementById(questionAnchor(decodeURI(hash.slice(1))));
    if (block) {
      block.scrollIntoView({ block: "center" });
      const chosen = block.querySelector<HTMLElement>("input:checked");
      (chosen ?? block.querySelector<HTMLElement>("input, textarea"))?.focus();
    } else if (moved) {
      window.scrollTo({ top: 0 });
      heading.current?.focus({ preventScroll: true });
    }
  }, [key, hash]);
  return heading;
}
