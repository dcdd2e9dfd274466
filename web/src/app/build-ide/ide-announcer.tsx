import type { Build } from "@/lib/api";
import { STATUS } from "@/lib/build-status";
import { VERDICT } from "@/lib/verdict";

/** Tells screen readers of a new question and of every change of status, politely. */
export function IdeAnnouncer({ build }: { build: Build }) {
  const { open_question: question, verdict, status } = build;
  const text = question
    ? `The builder asks: ${question.question}`
    : verdict
      ? `Sealed. ${VERDICT[verdict].label}. ${VERDICT[verdict].meaning}`
      : STATUS[status].label;
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {text}
    </div>
  );
}
