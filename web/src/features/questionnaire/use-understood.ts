// What a model writes into the form while somebody looks at it.
import { useEffect } from "react";
import type { Interview } from "@/lib/api";
import type { AnswersForm } from "./use-answers";

/** Reads the answers anew whenever a run has written some that are not here yet. */
export function useUnderstood(form: AnswersForm, interview: Interview | undefined) {
  const written = interview?.generation?.answers?.version ?? 0;
  const isBehind = form.state.saved.version < written;
  // Each version once: what is being typed here is joined with it when it is saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (isBehind) void form.refresh();
  }, [isBehind, written]);
}
