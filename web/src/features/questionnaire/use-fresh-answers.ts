// Which answers have changed since a run of the model began, so that a person sees what is new.
import { useRef } from "react";
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
