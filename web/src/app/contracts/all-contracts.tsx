import { useContracts } from "@/features/contracts/api";
import { ContractsOverview } from "@/features/contracts/contracts-overview";
import { contractMarks } from "@/features/generation/contract-marks";
import { GenerationPanel } from "@/features/generation/generation-panel";
import { TokenCard } from "@/features/generation/token-card";
import type { Generation, Project } from "@/lib/api";
import { isUnderWay, writtenOf } from "@/lib/generation";
import { useUnanswered } from "./use-unanswered";

interface AllContractsProps {
  project: Project;
  /** The newest run that writes contracts. */
  generation: Generation | null;
}

/** The nine, and how they are written. */
export function AllContracts({ project, generation }: AllContractsProps) {
  const contracts = useContracts(project.id).data;
  const unanswered = useUnanswered(project.id);
  const doing =
    generation && isUnderWay(generation)
      ? `${writtenOf(generation).length} of ${generation.contracts.length} written`
      : null;
  return (
    <ContractsOverview
      project={project}
      doing={doing}
      marks={contractMarks(generation)}
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
