import { VisuallyHidden } from "@mantine/core";
import { STATUS } from "@/domain/build-status";
import { VERDICT } from "@/domain/verdict";
import type { Build } from "@/lib/api";

/** Announces questions and status changes to screen readers. */
export function BuildAnnouncer({ build }: { build: Build }) {
  const { open_question: question, verdict, status } = build;
  const text = question
    ? `Question: ${question.question}`
    : verdict
      ? `Sealed. ${VERDICT[verdict].label}. ${VERDICT[verdict].meaning}`
      : STATUS[status].label;
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
