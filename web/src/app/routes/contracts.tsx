import { useParams } from "react-router";
import { Reconnecting } from "@/components/reconnecting";
import { isContract } from "@/domain/contract-names";
import { useGeneration } from "@/features/generation/api";
import { paths } from "@/lib/paths";
import { ProjectContract } from "../contracts/project-contract";
import { ProjectContracts } from "../contracts/project-contracts";
import { PageLoading } from "../page-loading";
import { useCurrentProject } from "../project/current-project";
import NotFoundPage from "./not-found";

export default function ContractsPage() {
  const { type } = useParams();
  const project = useCurrentProject();
  const { generation, loading, lost } = useGeneration(project.id);
  if (type !== undefined && !isContract(type)) {
    return (
      <NotFoundPage
        what="This contract"
        list={{ to: paths.contracts(project.id), name: "All contracts" }}
      />
    );
  }
  return (
    <>
      <Reconnecting lost={lost} />
      {type ? (
        <ProjectContract key={type} project={project} type={type} generation={generation} />
      ) : loading ? (
        <PageLoading />
      ) : (
        <ProjectContracts project={project} generation={generation} />
      )}
    </>
  );
}
