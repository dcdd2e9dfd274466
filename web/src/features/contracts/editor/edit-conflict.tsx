import { Alert, Button, Group } from "@mantine/core";
import { lazy, Suspense } from "react";
import { CenteredLoader } from "@/components/centered-loader";
import { ConfirmButton } from "@/components/confirm-button";
import type { Contract } from "@/lib/api";

const CodeMerge = lazy(() => import("@/components/code/code-merge"));

interface EditConflictProps {
  mine: string;
  theirs: Contract;
  onType: (mine: string) => void;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

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
        title={`Version ${theirs.version} was saved while you were editing`}
      >
        Copy what you need from the other version, then keep yours. The other version stays in the
        history.
        <Group gap="xs" mt="sm">
          <Button size="xs" onClick={onKeepMine}>
            Keep my version
          </Button>
          <ConfirmButton
            size="xs"
            variant="default"
            title="Use other version?"
            body={`Your unsaved changes will be replaced by version ${theirs.version}.`}
            confirm="Use other version"
            onConfirm={onTakeTheirs}
          >
            Use other version
          </ConfirmButton>
        </Group>
      </Alert>
      <Suspense fallback={<CenteredLoader />}>
        <CodeMerge format={theirs.format} mine={mine} theirs={theirs.content} onChange={onType} />
      </Suspense>
    </>
  );
}
