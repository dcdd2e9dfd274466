import { Alert, Button, Group } from "@mantine/core";
import { lazy, Suspense } from "react";
import { ConfirmButton } from "@/components/confirm-button";
import type { Contract } from "@/lib/api";
import { Waiting } from "./waiting";

const CodeMerge = lazy(() => import("@/components/code/code-merge"));

interface EditConflictProps {
  mine: string;
  theirs: Contract;
  onType: (mine: string) => void;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

/** Both texts side by side, until somebody has chosen. */
export function EditConflict({
  mine,
  theirs,
  onType,
  onKeepMine,
  onTakeTheirs,
}: EditConflictProps) {
  return (
    <>
      <Alert
        color="yellow"
        role="alert"
        mb="md"
        p="sm"
        title={`Version ${theirs.version} was saved while you wrote`}
      >
        Nothing is lost: take over by hand what you need from the other text, then keep yours. The
        other stays in the history.
        <Group gap="xs" mt="sm">
          <Button size="xs" onClick={onKeepMine}>
            Keep mine
          </Button>
          <ConfirmButton
            size="xs"
            variant="default"
            title="Take the other text?"
            body={`You go on with version ${theirs.version}. What you typed is given up.`}
            confirm="Take theirs"
            onConfirm={onTakeTheirs}
          >
            Take theirs
          </ConfirmButton>
        </Group>
      </Alert>
      <Suspense fallback={<Waiting />}>
        <CodeMerge format={theirs.format} mine={mine} theirs={theirs.content} onChange={onType} />
      </Suspense>
    </>
  );
}
