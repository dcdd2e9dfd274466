import { Button, Text } from "@mantine/core";
import type { ContractType } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useRestoreVersion } from "./api";
import classes from "./history.module.css";

/** That the text of a version is the current one again. */
export interface Restoring {
  version: number;
  /** What was current before; null where that is back already. */
  before: number | null;
  /** What its text is called now. */
  now: number;
}

interface RestoredProps {
  projectId: string;
  type: ContractType;
  restoring: Restoring;
  onUndone: (restoring: Restoring) => void;
}

/** Says what was restored, and takes it back. */
export function Restored({ projectId, type, restoring, onUndone }: RestoredProps) {
  const restore = useRestoreVersion(projectId, type);
  const { version, before, now } = restoring;
  return (
    <div className={classes.restored}>
      <Text fz="sm" className={classes.about}>
        Version {version} is back, as version {now}.
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
                onError: (error) => notifyFailed("Could not undo this", error),
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
