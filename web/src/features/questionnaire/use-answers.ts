// The answers of a project while they are edited: saved as they are typed, and never lost.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Answer, Questionnaire } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { createSaver, type Saver, type SaverState } from "@/lib/saver";
import { useSaver } from "@/lib/use-saver";
import { fetchQuestionnaire, saveAnswers } from "./api";
import { type Draft, draftOf, sameDraft } from "./draft";
import { mergeDrafts } from "./merge";
import { createUnsavedAnswers } from "./unsaved";

export type AnswersSaver = Saver<Draft, Questionnaire>;
export type AnswersState = SaverState<Draft, Questionnaire>;

/** What the parts of the form share. */
export interface AnswersForm {
  projectId: string;
  saver: AnswersSaver;
  state: AnswersState;
  setAnswer: (key: string, answer: Answer) => void;
  /** Reads anew what the server holds. */
  refresh: () => Promise<void>;
}

export function useAnswers(projectId: string, loaded: Questionnaire): AnswersForm {
  const client = useQueryClient();
  const [saver] = useState(() => {
    const unsaved = createUnsavedAnswers(projectId);
    return createSaver<Draft, Questionnaire>(
      loaded,
      {
        draftOf,
        same: sameDraft,
        save: (draft, version) => saveAnswers(projectId, draft, version),
        fetch: () => fetchQuestionnaire(projectId),
        onSaved: (saved) => client.setQueryData(keys.questionnaire(projectId), saved),
        merge(base, mine, theirs) {
          const { merged, clashes } = mergeDrafts(base, mine, theirs);
          return clashes.length === 0 ? merged : null;
        },
        keep: unsaved.keep,
      },
      unsaved.read(loaded),
    );
  });
  const state = useSaver(saver);
  // What came while something was being typed is taken in once that is saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => saver.offer(loaded), [saver, loaded, state.status]);
  const setAnswer = useCallback(
    (key: string, answer: Answer) => {
      const { draft } = saver.store.getState();
      saver.type({ ...draft, answers: { ...draft.answers, [key]: answer } });
    },
    [saver],
  );
  return {
    projectId,
    saver,
    state,
    refresh: () => client.invalidateQueries({ queryKey: keys.questionnaire(projectId) }),
    setAnswer,
  };
}
