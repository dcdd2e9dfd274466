import { isRunning } from "@/domain/generation";
import { AnswersCard } from "@/features/builds/clarifications/answers-card";
import { useContracts } from "@/features/contracts/api";
import { ContractPage } from "@/features/contracts/contract-page";
import { CurrentContract } from "@/features/generation/current-contract";
import { RegenerateContract } from "@/features/generation/regenerate-contract";
import type { ContractType, Generation, Project } from "@/lib/api";

interface OneContractProps {
  project: Project;
  type: ContractType;
  /** The latest contract generation. */
  generation: Generation | null;
}

/** A contract, with its regeneration. */
export function ProjectContract({ project, type, generation }: OneContractProps) {
  const contract = useContracts(project.id).data?.find((each) => each.type === type);
  const isWritten = contract !== undefined && contract.source !== "template";
  return (
    <ContractPage
      project={project}
      type={type}
      actions={
        isWritten && (
          <RegenerateContract
            projectId={project.id}
            type={type}
            busy={generation !== null && isRunning(generation)}
          />
        )
      }
      suggestions={(editing) => (
        <AnswersCard projectId={project.id} type={type} editing={editing} />
      )}
      notice={<CurrentContract generation={generation} type={type} />}
    />
  );
}
