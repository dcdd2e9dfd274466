import { Alert, Button, Group, Textarea } from "@mantine/core";
import type { Notepad } from "@/lib/api";

interface NotepadConflictProps {
  theirs: Notepad;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

export function NotepadConflict({ theirs, onKeepMine, onTakeTheirs }: NotepadConflictProps) {
  return (
    <Alert color="yellow" mt="xs" p="sm" title="Changed in another window" role="alert">
      <Textarea
        label="Other version"
        readOnly
        autosize
        minRows={2}
        maxRows={8}
        value={theirs.content}
      />
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={onKeepMine}>
          Keep my version
        </Button>
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Use other version
        </Button>
      </Group>
    </Alert>
  );
}
