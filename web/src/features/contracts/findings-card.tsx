import { Skeleton, Stack, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { contractName } from "@/lib/contract-names";
import { useFindings } from "./api";
import { FindingList } from "./finding-list";
import { findingsByContract } from "./findings-by-contract";

/** In what the nine disagree. */
export function FindingsCard({ projectId }: { projectId: string }) {
  const query = useFindings(projectId);
  return (
    <SectionCard
      title="Findings"
      description="Where two contracts disagree, or one leaves something open. None of this stops a build."
    >
      <QueryView query={query} what="the findings" loading={<Skeleton height={160} />}>
        {(findings) =>
          findings.length === 0 ? (
            <EmptyState icon={<IconCircleCheck size={22} />} title="The nine agree." order={3}>
              What one of them names, the others know.
            </EmptyState>
          ) : (
            <Stack gap="lg">
              {findingsByContract(findings).map(({ type, findings }) => (
                <div key={type}>
                  <Title order={3} mb="xs">
                    {contractName(type)}
                  </Title>
                  <FindingList projectId={projectId} findings={findings} />
                </div>
              ))}
            </Stack>
          )
        }
      </QueryView>
    </SectionCard>
  );
}
