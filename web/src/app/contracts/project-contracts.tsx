import { generatedContracts, isRunning } from "@/domain/generation";
import { useContracts } from "@/features/contracts/api";
import { ContractsOverview } from "@/features/contracts/contracts-overview";
import { contractBadges } from "@/features/generation/contract-badges";
import { GenerationPanel } from "@/features/generation/generation-panel";
import { TokenCard } from "@/features/generation/token-card";
import { useQuestionnaire } from "@/features/questionnaire/api";
import type { Generation, Project } from "@/lib/api";
import { isFirstRead } from "@/lib/is-first-read";
import { PageLoading } from "../page-loading";
import { useUnansweredQuestions } from "./use-unanswered-questions";

interface AllContractsProps {
  project: Project;
  /** The latest contract generation. */
  generation: Generation | null;
}

/** All contracts, with their generation. */
export function ProjectContracts({ project, generation }: AllContractsProps) {
  const contractList = useContracts(project.id);
  const contracts = contractList.data;
  const questionnaire = useQuestionnaire(project.id);
  const unanswered = useUnansweredQuestions(project.id) ?? [];
  const doing =
    generation && isRunning(generation)
      ? `${generatedContracts(generation).length} of ${generation.contracts.length} written`
      : null;
  if (isFirstRead([contractList, questionnaire])) return <PageLoading />;
  return (
    <ContractsOverview
      project={project}
      doing={doing}
      marks={contractBadges(generation)}
      top={
        contracts && (
          <GenerationPanel
            projectId={project.id}
            contracts={contracts}
            generation={generation}
            unanswered={unanswered}
          />
        )
      }
      bottom={generation && <TokenCard projectId={project.id} />}
    />
  );
}
