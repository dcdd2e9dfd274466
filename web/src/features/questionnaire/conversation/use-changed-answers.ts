// Answers that have changed since the model started its current reply.
import { useEffect, useRef, useState } from "react";
import { type Answers, sameAnswer } from "../answers/draft";

export function useChangedAnswers(answers: Answers, run: string | null): ReadonlySet<string> {
  // Answers that were there when the page was opened are not changes.
  const [baseline, setBaseline] = useState({ run, answers });
  const [previous, setPrevious] = useState(answers);
  if (baseline.run !== run) setBaseline({ run, answers: previous });
  if (previous !== answers) setPrevious(answers);
  return new Set(
    Object.keys(answers).filter((key) => !sameAnswer(answers[key], baseline.answers[key])),
  );
}

/** Scrolls the list to the first changed answer. */
export function useScrollToChanged(fresh: ReadonlySet<string>) {
  const list = useRef<HTMLDivElement>(null);
  const keys = [...fresh].join(" ");
  useEffect(() => {
    const box = list.current;
    const first = keys && box?.querySelector("[data-fresh]");
    if (!box || !first) return;
    const [inside, around] = [first.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inside.top < around.top || inside.bottom > around.bottom)
      box.scrollTop += inside.top - around.top - around.height / 3;
  }, [keys]);
  return list;
}
