import { Alert, Button, Group, Textarea } from "@mantine/core";
import type { Notepad } from "@/lib/api";

interface NotepadConflictProps {
  theirs: Notepad;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** Both texts, side by side, until the reader chooses. */
export function NotepadConflict({ theirs, onKeepMine, onTakeTheirs }: NotepadConflictProps) {
  return (
    <Alert color="yellow" mt="xs" p="sm" title="Changed somewhere else" role="alert">
      <Textarea
        label="The other version"
        readOnly
        autosize
        minRows={2}
        maxRows={8}
        value={theirs.content}
      />
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={onKeepMine}>
          Keep mine
        </Button>
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Take the other
        </Button>
      </Group>
    </Alert>
  );
}
