// A build's newest question, once it is settled by somebody else or by time.
import { useSessionStorage } from "@mantine/hooks";
import { useState } from "react";
import type { Build, Clarification } from "@/lib/api";
import { isFinal } from "@/lib/build-status";
import { useQuestions } from "./api";

interface Settled {
  question: Clarification | null;
  /** Says which question is being answered on this page: no news about that. */
  here: (id: string | null) => void;
  close: () => void;
}

/** Whoever comes after the time is told too; what others answered only to those who saw the question. */
export function useSettledQuestion(build: Build): Settled {
  const last = useQuestions(build.id).data?.at(-1);
  const open = build.open_question?.id ?? null;
  const [seen, setSeen] = useState(open);
  const [here, setHere] = useState<string | null>(null);
  const [closed, setClosed] = useSessionStorage<string | null>({
    key: `forgeguard-question-closed:${build.id}`,
    defaultValue: null,
  });
  if (open !== null && open !== seen) setSeen(open);
  const news =
    last !== undefined &&
    open === null &&
    last.id !== closed &&
    !isFinal(build.status) &&
    (last.status === "timed_out" ||
      ((last.status === "answered" || last.status === "skipped") &&
        last.id === seen &&
        last.id !== here));
  return {
    question: news ? last : null,
    here: setHere,
    close: () => last && setClosed(last.id),
  };
}
