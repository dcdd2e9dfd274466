import { Box, Button, Group, Text } from "@mantine/core";
import { OwnerOnly } from "@/components/owner-only";
import { TimeAgo } from "@/components/time-ago";
import type { ContractType, ContractVersion } from "@/lib/api";
import { formatCount } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { useRestoreVersion } from "../api";
import { originLabel } from "../version-labels";
import type { Restoring } from "./restore-version";

interface VersionRowProps {
  projectId: string;
  type: ContractType;
  version: ContractVersion;
  newest: number;
  onCompare: () => void;
  onRestored: (restoring: Restoring) => void;
}

export function VersionRow(props: VersionRowProps) {
  const { projectId, type, version, newest, onCompare, onRestored } = props;
  const restore = useRestoreVersion(projectId, type);
  const number = version.version;
  return (
    <Group component="li" gap="0.25rem 0.75rem" px={4} py="xs">
      <Box flex="1 1 14rem" miw={0}>
        <Text fz="sm" fw={600}>
          Version {number}
          {number === newest && " · current"}
        </Text>
        <Text fz="xs" c="dimmed">
          {originLabel(version.source)}
          {version.author && ` by ${version.author}`}, <TimeAgo at={version.created_at} />,{" "}
          {formatCount(version.length)} characters
        </Text>
      </Box>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          onClick={onCompare}
          aria-label={`Show changes of version ${number}`}
        >
          Changes
        </Button>
        {number !== newest && (
          <OwnerOnly>
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
                      onRestored({ version: number, before: newest, now: saved.version }),
                    onError: (error) => notifyFailed(`Could not restore version ${number}`, error),
                  },
                )
              }
            >
              Restore
            </Button>
          </OwnerOnly>
        )}
      </Group>
    </Group>
  );
}
