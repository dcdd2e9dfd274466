import { Skeleton } from "@mantine/core";
import { useContracts } from "@/features/contracts/api";
import { useGeneration } from "@/features/generation/api";
import { NextStep } from "@/features/generation/next-step";

interface AfterAnswersProps {
  projectId: string;
  /** Whether all that is needed is answered, and saved. */
  ready: boolean;
}

/** What comes after the questions: the contracts. */
export function AfterAnswers({ projectId, ready }: AfterAnswersProps) {
  const contracts = useContracts(projectId).data;
  const { generation, known } = useGeneration(projectId);
  if (!contracts || !known) return <Skeleton height={36} />;
  return (
    <NextStep projectId={projectId} contracts={contracts} generation={generation} ready={ready} />
  );
}
