// Focuses the question in the address, or the heading, when a step is opened.
import { useEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";

export const questionAnchor = (question: string) => `question-${question}`;

export function useStepFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { hash, key } = useLocation();
  const moved = useNavigationType() !== "POP";
  // The key changes on every navigation, so that the same link works again.
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
