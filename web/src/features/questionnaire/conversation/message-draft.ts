// An unsent message, kept in the browser per project.
import { useState } from "react";
import { createDraftStore } from "@/lib/draft-store";

export const createMessageDraft = (project: string) =>
  createDraftStore<string>(`message:${project}`, (value) =>
    typeof value === "string" ? value : null,
  );

export function useMessageDraft(project: string) {
  const [store] = useState(() => createMessageDraft(project));
  const [text, setText] = useState(() => store.read() ?? "");
  return {
    text,
    type(text: string) {
      setText(text);
      if (text) store.write(text);
      else store.clear();
    },
  };
}
