import { Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConflictAlert, VersionActions } from "@/components/conflict-alert";
import { QueryView } from "@/components/query-view";
import type { Notepad as NotepadRecord } from "@/lib/api";
import { createDraftSaver } from "@/lib/draft-saver";
import { keys } from "@/lib/query-keys";
import { storeResponse } from "@/lib/store-response";
import { useAutosave } from "@/lib/use-autosave";
import { fetchNotepad, saveNotepad, useNotepad } from "./api";
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
    createDraftSaver<string, NotepadRecord>(loaded, {
      draftOf: (notepad) => notepad.content,
      same: (one, other) => one === other,
      save: (content, version) => saveNotepad(projectId, content, version),
      fetch: () => fetchNotepad(projectId),
      onSaved: (saved) => storeResponse(client, keys.notepad(projectId), saved),
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
        <ConflictAlert
          mt="xs"
          title="Changed in another window"
          hint="Copy what you need from the other version, then keep yours."
          actions={
            <VersionActions
              other="the other version"
              onKeepMine={() => void saver.resolve(state.draft)}
              onUseOther={saver.discard}
            />
          }
        >
          <Textarea
            label="Other version"
            readOnly
            autosize
            minRows={2}
            maxRows={8}
            mt="xs"
            value={state.theirs.content}
          />
        </ConflictAlert>
      )}
      <NotepadFooter state={state} onRetry={() => void saver.flush()} />
    </>
  );
}
