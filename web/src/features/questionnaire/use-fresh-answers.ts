// Which answers have changed since a run of the model began, so that a person sees what is new.
import { useEffect, useRef } from "react";
import { type Answers, sameAnswer } from "./draft";

export function useFreshAnswers(answers: Answers, run: string | null): ReadonlySet<string> {
  // What stood there when the page was opened counts as known, whichever run it came from.
  const before = useRef({ run, answers });
  const last = useRef(answers);
  if (before.current.run !== run) before.current = { run, answers: last.current };
  last.current = answers;
  const known = before.current.answers;
  return new Set(Object.keys(answers).filter((key) => !sameAnswer(answers[key], known[key])));
}

/** For a list that scrolls by itself: shows the first of them whenever there are others. */
export function useFreshInView(fresh: ReadonlySet<string>) {
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
