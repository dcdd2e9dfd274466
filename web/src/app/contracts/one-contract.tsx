import { AnswersCard } from "@/features/clarifications/answers-card";
import { useContracts } from "@/features/contracts/api";
import { ContractPage } from "@/features/contracts/contract-page";
import { WriteAgain } from "@/features/generation/write-again";
import { WritingNow } from "@/features/generation/writing-now";
import type { ContractType, Generation, Project } from "@/lib/api";
import { isUnderWay } from "@/lib/generation";

interface OneContractProps {
  project: Project;
  type: ContractType;
  /** The newest run that writes contracts. */
  generation: Generation | null;
}

/** One of the nine, and how it is written again. */
export function OneContract({ project, type, generation }: OneContractProps) {
  const contract = useContracts(project.id).data?.find((each) => each.type === type);
  const isWritten = contract !== undefined && contract.source !== "template";
  return (
    <ContractPage
      project={project}
      type={type}
      actions={
        isWritten && (
          <WriteAgain
            projectId={project.id}
            type={type}
            busy={generation !== null && isUnderWay(generation)}
          />
        )
      }
      suggestions={(editing) => (
        <AnswersCard projectId={project.id} type={type} editing={editing} />
      )}
      notice={<WritingNow generation={generation} type={type} />}
    />
  );
}
