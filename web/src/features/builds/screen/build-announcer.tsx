import { VisuallyHidden } from "@mantine/core";
import { buildState } from "@/domain/build-status";
import { VERDICT } from "@/domain/verdict";
import type { Build } from "@/lib/api";
import { questionsLabel, questionsText } from "../clarifications/questions-label";

/** Announces questions and status changes to screen readers. */
export function BuildAnnouncer({ build }: { build: Build }) {
  const { open_clarifications: questions, verdict } = build;
  const { label, hint } = buildState(build);
  const text = questions.length
    ? `${questionsLabel(questions)}: ${questionsText(questions)}`
    : verdict
      ? `Sealed. ${VERDICT[verdict].label}. ${VERDICT[verdict].meaning}`
      : build.status === "blocked"
        ? `${label}. ${hint}`
        : label;
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
