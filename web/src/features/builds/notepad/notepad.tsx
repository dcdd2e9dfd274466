import { Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { QueryView } from "@/components/query-view";
import type { Notepad as NotepadRecord } from "@/lib/api";
import { createAutosave } from "@/lib/autosave";
import { keys } from "@/lib/query-keys";
import { useAutosave } from "@/lib/use-autosave";
import { fetchNotepad, saveNotepad, useNotepad } from "./api";
import { NotepadConflict } from "./notepad-conflict";
import { NOTEPAD_LIMIT, NotepadFooter } from "./notepad-footer";

export function Notepad({ projectId }: { projectId: string }) {
  const query = useNotepad(projectId);
  return (
    <QueryView query={query} what="notepad">
      {(loaded) => <Editor projectId={projectId} loaded={loaded} />}
    </QueryView>
  );
}

function Editor({ projectId, loaded }: { projectId: string; loaded: NotepadRecord }) {
  const client = useQueryClient();
  const [saver] = useState(() =>
    createAutosave<string, NotepadRecord>(loaded, {
      draftOf: (notepad) => notepad.content,
      same: (one, other) => one === other,
      save: (content, version) => saveNotepad(projectId, content, version),
      fetch: () => fetchNotepad(projectId),
      onSaved: (saved) => client.setQueryData(keys.notepad(projectId), saved),
    }),
  );
  const state = useAutosave(saver);
  return (
    <>
      <Textarea
        aria-label="Notepad"
        placeholder="Goals and constraints. All agents read this."
        value={state.draft}
        maxLength={NOTEPAD_LIMIT}
        autosize
        minRows={5}
        maxRows={14}
        onChange={(event) => saver.type(event.currentTarget.value)}
        onBlur={() => void saver.flush()}
      />
      {state.theirs && (
        <NotepadConflict
          theirs={state.theirs}
          onKeepMine={() => void saver.resolve(state.draft)}
          onTakeTheirs={saver.discard}
        />
      )}
      <NotepadFooter state={state} onRetry={() => void saver.flush()} />
    </>
  );
}
