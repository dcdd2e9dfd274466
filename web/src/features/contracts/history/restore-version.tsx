import { Button, Group, Text } from "@mantine/core";
import type { ContractType } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { toneFrame } from "@/lib/tone";
import { useRestoreVersion } from "../api";

/** A restored version. */
export interface Restoring {
  version: number;
  /** The version before; null if it was undone. */
  before: number | null;
  /** The new version. */
  now: number;
}

interface RestoredProps {
  projectId: string;
  type: ContractType;
  restoring: Restoring;
  onUndone: (restoring: Restoring) => void;
}

/** Shows what was restored, with an undo button. */
export function RestoreVersion({ projectId, type, restoring, onUndone }: RestoredProps) {
  const restore = useRestoreVersion(projectId, type);
  const { version, before, now } = restoring;
  return (
    <Group {...toneFrame("good")} gap="0.25rem 0.75rem" px="sm" py="xs" mb="sm">
      <Text fz="sm" flex="1 1 14rem" miw={0}>
        Version {version} was restored as version {now}.
      </Text>
      {before !== null && (
        <Button
          variant="default"
          size="xs"
          loading={restore.isPending}
          onClick={() =>
            restore.mutate(
              { version: before, over: now },
              {
                onSuccess: (saved) =>
                  onUndone({ version: before, before: null, now: saved.version }),
                onError: (error) => notifyFailed("Could not undo", error),
              },
            )
          }
        >
          Undo
        </Button>
      )}
    </Group>
  );
}
