// The build's latest question, once it has been resolved elsewhere or has expired.
import { useSessionStorage } from "@mantine/hooks";
import { useState } from "react";
import { isFinal } from "@/domain/build-status";
import type { Build, Clarification } from "@/lib/api";
import { useQuestions } from "./api";

interface Settled {
  question: Clarification | null;
  /** Marks whether a question is answered on this page, so that its result is not shown. */
  markHere: (id: string, here: boolean) => void;
  close: () => void;
}

/** Expired questions are shown on every page; answers by others only where the question was visible. */
export function useResolvedQuestion(build: Build): Settled {
  const last = useQuestions(build.id).data?.reduce(later, null) ?? null;
  const open = build.open_clarifications.map(({ id }) => id);
  const [seen, setSeen] = useState(open);
  const [here, setHere] = useState<string[]>([]);
  const [closed, setClosed] = useSessionStorage<string | null>({
    key: `forgeguard-question-closed:${build.id}`,
    defaultValue: null,
  });
  const news = open.filter((id) => !seen.includes(id));
  if (news.length > 0) setSeen([...seen, ...news]);
  const isNew =
    last !== null &&
    open.length === 0 &&
    last.id !== closed &&
    !isFinal(build.status) &&
    (last.status === "timed_out" ||
      ((last.status === "answered" || last.status === "skipped") &&
        seen.includes(last.id) &&
        !here.includes(last.id)));
  return {
    question: isNew ? last : null,
    markHere: (id, is) =>
      setHere((before) => [...before.filter((other) => other !== id), ...(is ? [id] : [])]),
    close: () => last && setClosed(last.id),
  };
}

/** The question that was resolved later; an open one has not been resolved. */
function later(last: Clarification | null, question: Clarification): Clarification | null {
  return (question.resolved_seq ?? -1) >= (last?.resolved_seq ?? -1) ? question : last;
}
