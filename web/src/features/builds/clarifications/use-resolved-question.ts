// The build's latest question, once it has been resolved elsewhere or has expired.
import { useSessionStorage } from "@mantine/hooks";
import { useState } from "react";
import { isFinal } from "@/domain/build-status";
import type { Build, Clarification } from "@/lib/api";
import { useQuestions } from "./api";

interface Settled {
  question: Clarification | null;
  /** Marks a question as being answered on this page, so that its result is not shown. */
  here: (id: string | null) => void;
  close: () => void;
}

/** Expired questions are shown on every page; answers by others only where the question was visible. */
export function useResolvedQuestion(build: Build): Settled {
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
