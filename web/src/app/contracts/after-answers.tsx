import { Skeleton } from "@mantine/core";
import { useContracts } from "@/features/contracts/api";
import { useGeneration } from "@/features/generation/api";
import { GenerateStep } from "@/features/generation/generate-step";

interface AfterAnswersProps {
  projectId: string;
  /** Whether all required questions are answered and saved. */
  ready: boolean;
}

/** The step after the questionnaire: generating the contracts. */
export function AfterAnswers({ projectId, ready }: AfterAnswersProps) {
  const contracts = useContracts(projectId).data;
  const { generation, loading } = useGeneration(projectId);
  if (!contracts || loading) return <Skeleton height={36} />;
  return (
    <GenerateStep
      projectId={projectId}
      contracts={contracts}
      generation={generation}
      ready={ready}
    />
  );
}
