import { Box, Group, Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { TimeAgo } from "@/components/time-ago";
import { contractName } from "@/domain/contract-names";
import type { Generation } from "@/lib/api";
import { formatDuration, plural } from "@/lib/format";
import { isOffline, usageLabel } from "./generation-labels";
import { Rejections } from "./rejections";
import { ResultIcon } from "./result-icon";

/** The result of the latest generation. */
export function Finished({ generation }: { generation: Generation }) {
  const { contracts, started_at, finished_at, model } = generation;
  const offline = isOffline(generation);
  const took =
    started_at && finished_at
      ? formatDuration(Date.parse(finished_at) - Date.parse(started_at))
      : null;
  const facts = [offline ? "Offline draft" : model, took, usageLabel(generation)].filter(Boolean);
  const [only] = contracts;
  const title =
    contracts.length === 1 && only
      ? `${contractName(only.type)} generated`
      : `${plural(contracts.length, "contract")} generated`;
  return (
    <Group gap="1rem 1.25rem" align="flex-start">
      <ResultIcon tone="good">
        <IconCircleCheck size={22} />
      </ResultIcon>
      <Box flex="1 1 16rem" miw={0}>
        <Title order={2}>{title}</Title>
        <Text fz="sm" c="dimmed" mt={2}>
          {facts.join(" · ")}
          {finished_at && (
            <>
              {" · "}
              <TimeAgo at={finished_at} />
            </>
          )}
        </Text>
        {offline && (
          <Text fz="sm" mt={4}>
            Without a model, contracts are drafts based on your answers. Review and edit them before
            you build.
          </Text>
        )}
        <Rejections contracts={contracts} />
      </Box>
    </Group>
  );
}
