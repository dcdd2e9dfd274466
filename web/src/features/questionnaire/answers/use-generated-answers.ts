// Updates the form with answers that a model writes.
import { useEffect } from "react";
import type { Interview } from "@/lib/api";
import type { AnswersForm } from "./use-answers";

/** Refetches the answers when a reply has written newer ones. */
export function useGeneratedAnswers(form: AnswersForm, interview: Interview | undefined) {
  const written = interview?.generation?.answers?.version ?? 0;
  const isBehind = form.state.saved.version < written;
  // Once per version: unsaved changes are merged when they are saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isBehind) void form.refresh();
  }, [isBehind, written]);
}
