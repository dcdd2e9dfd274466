// Calls back when a question is resolved, here or elsewhere.

import { actorName } from "@/domain/feed/event";
import { feedSocket } from "@/domain/feed/feed-socket";
import type { Clarification } from "@/lib/api";

/** Returns the unsubscribe function. Does nothing for old questions without a seq. */
export function watchQuestion(
  build: string,
  question: Clarification,
  onSettled: (settled: Clarification) => void,
): () => void {
  let cursor = question.asked_seq;
  if (cursor === null) return () => {};
  return feedSocket.subscribe(build, {
    cursor: () => cursor ?? 0,
    onEvent({ seq, at, type, payload }) {
      cursor = seq;
      if (type !== "build_clarification_resolved" || payload.question_id !== question.id) return;
      onSettled({
        ...question,
        status: payload.how ?? "answered",
        answer: payload.answer ?? null,
        answered_by_name: payload.by?.kind === "user" ? actorName(payload.by) : null,
        resolved_at: at,
        resolved_seq: seq,
      });
    },
    onPreview() {},
    onLink() {},
    onReset() {},
    onGone() {},
  });
}
