import { Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { QueryView } from "@/components/query-view";
import type { Notepad as NotepadRecord } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { fetchNotepad, saveNotepad, useNotepad } from "./api";
import { NotepadConflict } from "./notepad-conflict";
import { NotepadFoot } from "./notepad-foot";
import { createNotepadSaver, NOTEPAD_LIMIT } from "./notepad-saver";

export function Notepad({ projectId }: { projectId: string }) {
  const query = useNotepad(projectId);
  return (
    <QueryView query={query} what="the notepad">
      {(loaded) => <Editor projectId={projectId} loaded={loaded} />}
    </QueryView>
  );
}

function Editor({ projectId, loaded }: { projectId: string; loaded: NotepadRecord }) {
  const client = useQueryClient();
  const [saver] = useState(() =>
    createNotepadSaver(loaded, {
      save: (content, version) => saveNotepad(projectId, content, version),
      fetch: () => fetchNotepad(projectId),
      onSaved: (saved) => client.setQueryData(keys.notepad(projectId), saved),
    }),
  );
  const state = useStore(saver.store);
  useEffect(() => () => void saver.flush(), [saver]);
  return (
    <>
      <Textarea
        aria-label="Notepad"
        placeholder="Goals, wishes, limits. Every agent reads this."
        value={state.text}
        maxLength={NOTEPAD_LIMIT}
        autosize
        minRows={5}
        maxRows={14}
        onChange={(event) => saver.type(event.currentTarget.value)}
        onBlur={() => void saver.flush()}
      />
      {state.status === "conflict" && <NotepadConflict saver={saver} theirs={state.theirs} />}
      <NotepadFoot state={state} onRetry={() => void saver.flush()} />
    </>
  );
}
