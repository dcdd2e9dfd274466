import { Skeleton, Stack, Title } from "@mantine/core";
import { IconCircleCheck, IconFileOff, IconProgress } from "@tabler/icons-react";
import { EmptyState } from "@/components/empty-state";
import { QueryView } from "@/components/query-view";
import { SectionCard } from "@/components/section-card";
import { contractName } from "@/domain/contract-names";
import { useFindings, useIsCheckComplete } from "../api";
import { FindingList } from "./finding-list";
import { findingsByContract } from "./findings-by-contract";

interface FindingsCardProps {
  projectId: string;
  /** How many contracts the project has. */
  written: number;
}

/** Conflicts between the contracts. */
export function FindingsCard({ projectId, written }: FindingsCardProps) {
  const query = useFindings(projectId);
  const isComplete = useIsCheckComplete(projectId);
  return (
    <SectionCard
      title="Findings"
      description="Conflicts between contracts, and gaps. Builds start with conflicts, but not with gaps."
    >
      <QueryView query={query} what="findings" loading={<Skeleton height={160} />}>
        {(findings) =>
          written === 0 ? (
            <EmptyState icon={<IconFileOff size={22} />} title="No contracts to compare" order={3}>
              Findings appear once contracts are written.
            </EmptyState>
          ) : findings.length === 0 && !isComplete ? (
            <EmptyState icon={<IconProgress size={22} />} title="Check incomplete" order={3}>
              Write all contracts and fill in their gaps to check them for conflicts.
            </EmptyState>
          ) : findings.length === 0 ? (
            <EmptyState icon={<IconCircleCheck size={22} />} title="No findings" order={3}>
              No conflicts between the contracts.
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
