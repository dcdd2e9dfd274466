import { Button, Text } from "@mantine/core";
import type { ContractType } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useRestoreVersion } from "../api";
import classes from "./history.module.css";

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
    <div className={classes.restored}>
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
    </div>
  );
}
