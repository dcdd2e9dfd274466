// The answers of a project while they are edited, with autosave.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { Answer, Questionnaire } from "@/lib/api";
import { createDraftSaver, type DraftSaver, type DraftState } from "@/lib/draft-saver";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";
import { useAutosave } from "@/lib/use-autosave";
import { fetchQuestionnaire, saveAnswers } from "../api";
import { type Draft, draftOf, sameDraft } from "./draft";
import { mergeDrafts } from "./merge";
import { createUnsavedAnswers } from "./unsaved-answers";

export type AnswersSaver = DraftSaver<Draft, Questionnaire>;
export type AnswersState = DraftState<Draft, Questionnaire>;

/** Shared by the parts of the form. */
export interface AnswersForm {
  projectId: string;
  saver: AnswersSaver;
  state: AnswersState;
  setAnswer: (key: string, answer: Answer) => void;
  /** Refetches the answers. */
  refresh: () => Promise<void>;
}

export function useAnswers(projectId: string, loaded: Questionnaire): AnswersForm {
  const client = useQueryClient();
  const [saver] = useState(() => {
    const unsaved = createUnsavedAnswers(projectId);
    return createDraftSaver<Draft, Questionnaire>(
      loaded,
      {
        draftOf,
        same: sameDraft,
        save: (draft, version) => saveAnswers(projectId, draft, version),
        fetch: () => fetchQuestionnaire(projectId),
        onSaved: (saved) => storeResponse(client, keys.questionnaire(projectId), saved),
        merge(base, mine, theirs) {
          const { merged, clashes } = mergeDrafts(base, mine, theirs);
          return clashes.length === 0 ? merged : null;
        },
        keep: unsaved.keep,
      },
      unsaved.read(loaded),
    );
  });
  const state = useAutosave(saver);
  // A newer server version is used once unsaved changes have been saved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => saver.receive(loaded), [saver, loaded, state.status]);
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
