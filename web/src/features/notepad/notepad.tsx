import { Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { QueryView } from "@/components/query-view";
import type { Notepad as NotepadRecord } from "@/lib/api";
import { keys } from "@/lib/query-keys";
import { createSaver } from "@/lib/saver";
import { useSaver } from "@/lib/use-saver";
import { fetchNotepad, saveNotepad, useNotepad } from "./api";
import { NotepadConflict } from "./notepad-conflict";
import { NOTEPAD_LIMIT, NotepadFoot } from "./notepad-foot";

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
    createSaver<string, NotepadRecord>(loaded, {
      draftOf: (notepad) => notepad.content,
      same: (one, other) => one === other,
      save: (content, version) => saveNotepad(projectId, content, version),
      fetch: () => fetchNotepad(projectId),
      onSaved: (saved) => client.setQueryData(keys.notepad(projectId), saved),
    }),
  );
  const state = useSaver(saver);
  return (
    <>
      <Textarea
        aria-label="Notepad"
        placeholder="Goals, wishes, limits. Every agent reads this."
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
          onKeepMine={() => void saver.settle(state.draft)}
          onTakeTheirs={saver.takeTheirs}
        />
      )}
      <NotepadFoot state={state} onRetry={() => void saver.flush()} />
    </>
  );
}
