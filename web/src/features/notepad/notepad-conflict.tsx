import { Alert, Button, Group, Textarea } from "@mantine/core";
import type { Notepad } from "@/lib/api";
import type { NotepadSaver } from "./notepad-saver";

interface NotepadConflictProps {
  theirs: Notepad | null;
  saver: NotepadSaver;
}

/** Both texts, side by side, until the reader chooses. */
export function NotepadConflict({ theirs, saver }: NotepadConflictProps) {
  return (
    <Alert color="yellow" mt="xs" p="sm" title="Changed somewhere else" role="alert">
      <Textarea
        label="The other version"
        readOnly
        autosize
        minRows={2}
        maxRows={8}
        value={theirs?.content ?? "It could not be loaded."}
      />
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => void saver.keepMine()}>
          Keep mine
        </Button>
        <Button size="xs" variant="default" disabled={!theirs} onClick={saver.takeTheirs}>
          Take the other
        </Button>
      </Group>
    </Alert>
  );
}
