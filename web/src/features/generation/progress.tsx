import { Alert, Progress as Bar, Button, Group, Loader, Title } from "@mantine/core";
import { IconClockPause } from "@tabler/icons-react";
import { Facts } from "@/components/facts";
import { WorkingTime } from "@/components/working-time";
import { contractName } from "@/domain/contract-names";
import { useCancelGeneration } from "@/domain/feed/generation-commands";
import { generatedContracts } from "@/domain/generation";
import type { Generation } from "@/lib/api";
import { capitalized, formatCompact, formatMinute, formatUsd } from "@/lib/format";
import { notifyFailed } from "@/lib/notify";
import { activityLabel, currentOf, modelLabel, percentOf, spentOf } from "./generation-labels";
import { Rejections } from "./rejections";

interface ProgressProps {
  generation: Generation;
  onCancelled: () => void;
}

export function Progress({ generation, onCancelled }: ProgressProps) {
  const { contracts, status, failure, retry_at, started_at } = generation;
  const cancel = useCancelGeneration(generation);
  const written = generatedContracts(generation).length;
  const percent = percentOf(generation);
  const current = currentOf(generation);
  const isWriting = status === "running" && current?.status === "writing";
  const { tokensIn, tokensOut, cost } = spentOf(generation);
  return (
    <>
      <Group gap="0.5rem 1rem" wrap="nowrap" align="flex-start" justify="space-between">
        <Title order={2} flex={1} miw={0}>
          {isWriting
            ? `Generating ${contractName(current.type)}, ${contracts.indexOf(current) + 1} of ${contracts.length}`
            : "Generating contracts"}
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={cancel.isPending}
          onClick={() =>
            cancel.mutate(undefined, {
              onSuccess: onCancelled,
              onError: (error) => notifyFailed("Could not cancel", error),
            })
          }
        >
          Cancel
        </Button>
      </Group>
      <Bar.Root size="sm" mt="sm">
        <Bar.Section
          value={percent}
          withAria={false}
          role="progressbar"
          aria-valuemin={0}
          aria-valuemax={contracts.length}
          aria-valuenow={written}
          aria-label="Contracts generated"
          aria-valuetext={`${written} of ${contracts.length}`}
        />
      </Bar.Root>
      {retry_at ? (
        <Alert
          color="yellow"
          role="note"
          mt="sm"
          p="sm"
          icon={<IconClockPause aria-hidden />}
          title={`Waiting for the provider until ${formatMinute(retry_at)}`}
        >
          {failure ?? "The provider is unavailable. The request is retried automatically."}
        </Alert>
      ) : (
        <Group gap="xs" wrap="nowrap" mt={10} fz="sm" c="dimmed">
          <Loader size={12} color="currentColor" aria-hidden />
          {isWriting ? doingNow(current) : "Waiting to start."}
        </Group>
      )}
      <Facts
        mt={14}
        facts={[
          isWriting && current.turn > 0
            ? ["Turn", `${current.turn} of max. ${current.turn_limit}`]
            : null,
          started_at
            ? ["Time", <WorkingTime key="time" ms={0} fetchedAt={Date.parse(started_at)} running />]
            : null,
          tokensIn > 0 ? ["Tokens sent", formatCompact(tokensIn)] : null,
          tokensOut > 0 ? ["Tokens received", formatCompact(tokensOut)] : null,
          tokensIn > 0 && cost !== null ? ["Cost", formatUsd(cost)] : null,
          modelLabel(generation) ? ["Model", modelLabel(generation)] : null,
        ]}
      />
      <Rejections contracts={contracts} />
    </>
  );
}

const doingNow = (current: Parameters<typeof activityLabel>[0]): string =>
  `${capitalized(activityLabel(current))}…`;
