import { Button, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { isUnfinished } from "@/components/evidence/gate-rerun-labels";
import { GateRerunView } from "@/components/evidence/gate-rerun-view";
import { messageOf } from "@/lib/api-error";
import { useRerunGates, useReviewGateReruns } from "./api";

/** Runs the gates of the sealed commit again, and shows the results beside those of the seal. */
export function GateReruns({ buildId }: { buildId: string }) {
  const reruns = useReviewGateReruns(buildId);
  const rerun = useRerunGates(buildId);
  const items = reruns.data?.items ?? [];
  return (
    <Stack gap={10} align="flex-start" mt="xs">
      <Text fz="sm" c="dimmed">
        Runs the gates on a clean checkout of the sealed commit, with the recorded commands. The
        results do not change the seal.
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={rerun.isPending}
        disabled={isUnfinished(items[0])}
        onClick={() => rerun.mutate()}
      >
        Re-run gates
      </Button>
      <Stack gap="md" w="100%" role="status">
        {rerun.isError && <Text fz="sm">Could not start the gates: {messageOf(rerun.error)}</Text>}
        {reruns.isError && (
          <Text fz="sm">Could not load the results: {messageOf(reruns.error)}</Text>
        )}
        {items.map((item) => (
          <GateRerunView key={item.id} rerun={item} />
        ))}
      </Stack>
    </Stack>
  );
}
