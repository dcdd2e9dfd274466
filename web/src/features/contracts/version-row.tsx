import { Button, Group, Text } from "@mantine/core";
import { TimeAgo } from "@/components/time-ago";
import type { ContractType, ContractVersion } from "@/lib/api";
import { formatCount } from "@/lib/format";
import { notifyDone, notifyFailed } from "@/lib/notify";
import { useRestoreVersion } from "./api";
import classes from "./history.module.css";

interface VersionRowProps {
  projectId: string;
  type: ContractType;
  version: ContractVersion;
  newest: number;
  onCompare: () => void;
}

export function VersionRow({ projectId, type, version, newest, onCompare }: VersionRowProps) {
  const restore = useRestoreVersion(projectId, type);
  const number = version.version;
  return (
    <li className={classes.version}>
      <div className={classes.about}>
        <Text fz="sm" fw={600}>
          Version {number}
          {number === newest && " · current"}
        </Text>
        <Text fz="xs" c="dimmed">
          {version.source}
          {version.author && ` by ${version.author}`}, <TimeAgo at={version.created_at} />,{" "}
          {formatCount(version.length)} characters
        </Text>
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          onClick={onCompare}
          aria-label={`Show what version ${number} changed`}
        >
          Changes
        </Button>
        {number !== newest && (
          <Button
            variant="default"
            size="xs"
            loading={restore.isPending}
            aria-label={`Restore version ${number}`}
            onClick={() =>
              restore.mutate(
                { version: number, over: newest },
                {
                  onSuccess: (saved) =>
                    notifyDone(`Version ${number} is back, as version ${saved.version}.`),
                  onError: (error) => notifyFailed(`Could not restore version ${number}`, error),
                },
              )
            }
          >
            Restore
          </Button>
        )}
      </Group>
    </li>
  );
}
