import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { Reconnecting } from "@/components/reconnecting";
import { useGeneration } from "@/features/generation/api";
import { useProject } from "@/features/projects/api";
import type { ContractType, Project } from "@/lib/api";
import { isContract } from "@/lib/contract-names";
import { isStatus } from "@/lib/problem";
import { ProjectRole } from "@/lib/project-role";
import { AllContracts } from "../contracts/all-contracts";
import { OneContract } from "../contracts/one-contract";
import NotFoundPage from "./not-found";

export default function ContractsPage() {
  const { projectId = "", type } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  if (type !== undefined && !isContract(type)) return <NotFoundPage what="This contract" />;
  return (
    <QueryView query={project} what="the project">
      {(project) => (
        <ProjectRole value={project}>
          <Contracts project={project} type={type} />
        </ProjectRole>
      )}
    </QueryView>
  );
}

function Contracts({ project, type }: { project: Project; type: ContractType | undefined }) {
  const { generation, lost } = useGeneration(project.id);
  return (
    <>
      <Reconnecting lost={lost} />
      {type ? (
        <OneContract key={type} project={project} type={type} generation={generation} />
      ) : (
        <AllContracts project={project} generation={generation} />
      )}
    </>
  );
}
