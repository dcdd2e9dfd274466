import { Button, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { OwnerOnly } from "@/components/owner-only";
import { gatesObstacle } from "@/domain/build-phases";
import { isFinal } from "@/domain/build-status";
import type { Build } from "@/lib/api";
import { notifyFailed } from "@/lib/notify";
import { useBuildCommand } from "../api";

/** Runs the gates of the current phase on the files as they are, between the steps of an agent. */
export function RunGates({ build }: { build: Build }) {
  const command = useBuildCommand(build.id);
  if (isFinal(build.status)) return null;
  const obstacle = gatesObstacle(build);
  return (
    <OwnerOnly>
      <Button
        size="compact-xs"
        variant="default"
        mt="sm"
        leftSection={<IconPlayerPlay size={12} aria-hidden />}
        disabled={obstacle !== null}
        loading={command.isPending}
        onClick={() =>
          command.mutate(
            { name: "run-gates" },
            { onError: (error) => notifyFailed("Could not run the gates", error) },
          )
        }
      >
        Run gates now
      </Button>
      <Text fz="xs" c="dimmed" mt={4}>
        {obstacle ?? "The results appear in the activity and count for no round."}
      </Text>
    </OwnerOnly>
  );
}
