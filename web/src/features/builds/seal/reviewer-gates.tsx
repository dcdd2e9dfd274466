import { Stack, Text, Title } from "@mantine/core";
import { useId } from "react";
import { GateRerunView } from "@/components/evidence/gate-rerun-view";
import { useGateReruns } from "./api";

/** What reviewers found when they ran the gates again. */
export function ReviewerGates({ buildId }: { buildId: string }) {
  const id = useId();
  const items = useGateReruns(buildId).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <Title order={3} id={id}>
        Gates after the seal
      </Title>
      <Text fz="sm" c="dimmed" my={6}>
        Reviewers ran the gates again on the sealed commit. The results do not change the seal.
      </Text>
      <Stack gap="md">
        {items.map((rerun) => (
          <GateRerunView key={rerun.id} rerun={rerun} />
        ))}
      </Stack>
    </section>
  );
}
