import { Box, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { ScrollPanel } from "@/components/scroll-panel";
import type { BuildUsage } from "@/lib/api";
import { useUsage } from "./api";
import { ContractTable } from "./contract-table";
import { Delivery } from "./delivery";
import { ModelBars } from "./model-bars";
import { QuestionsUsage } from "./questions-usage";
import { Totals } from "./totals";

export default function UsagePanel({ buildId }: { buildId: string }) {
  const query = useUsage(buildId);
  return (
    <QueryView query={query} what="usage">
      {(usage) => <UsageView usage={usage} />}
    </QueryView>
  );
}

export function UsageView({ usage }: { usage: BuildUsage }) {
  if (usage.total.turns === 0 && !usage.questions) {
    return (
      <EmptyState icon={<IconChartBar size={22} />} title="No usage yet" order={3}>
        Tokens and cost appear here after the first reply of a model.
      </EmptyState>
    );
  }
  return (
    <ScrollPanel label="Total usage">
      <Stack gap={28} maw="75rem" mx="auto">
        <Totals total={usage.total} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing={28}>
          <Part title="By role and model">
            <ModelBars models={usage.models} />
          </Part>
          <Part title="Contracts: on demand vs. full inclusion">
            <Delivery delivery={usage.delivery} />
          </Part>
        </SimpleGrid>
        {usage.questions && (
          <Part title="Questions about this build">
            <QuestionsUsage usage={usage.questions} />
          </Part>
        )}
        <Part title="Contracts read">
          {usage.contracts.length === 0 ? (
            <Text fz="sm" c="dimmed">
              None yet. Agents read contracts on demand.
            </Text>
          ) : (
            <ContractTable contracts={usage.contracts} />
          )}
        </Part>
      </Stack>
    </ScrollPanel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <Box component="section" miw={0} aria-labelledby={id}>
      <Title order={3} id={id} mb="sm">
        {title}
      </Title>
      {children}
    </Box>
  );
}
