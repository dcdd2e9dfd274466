import { useParams } from "react-router";
import { QueryView } from "@/components/query-view";
import { Reconnecting } from "@/components/reconnecting";
import { isContract } from "@/domain/contract-names";
import { ProjectRole } from "@/domain/project-access";
import { useGeneration } from "@/features/generation/api";
import { useProject } from "@/features/projects/api";
import type { ContractType, Project } from "@/lib/api";
import { isStatus } from "@/lib/api-error";
import { ProjectContract } from "../contracts/project-contract";
import { ProjectContracts } from "../contracts/project-contracts";
import NotFoundPage from "./not-found";

export default function ContractsPage() {
  const { projectId = "", type } = useParams();
  const project = useProject(projectId);
  if (isStatus(project.error, 404)) return <NotFoundPage what="This project" />;
  if (type !== undefined && !isContract(type)) return <NotFoundPage what="This contract" />;
  return (
    <QueryView query={project} what="project">
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
        <ProjectContract key={type} project={project} type={type} generation={generation} />
      ) : (
        <ProjectContracts project={project} generation={generation} />
      )}
    </>
  );
}
