import { useParams } from "react-router";
import { useBuildId } from "@/features/builds/api";
import { BuildFiles } from "@/features/builds/files/build-files";
import { BuildLoadError } from "@/features/builds/screen/build-load-error";
import { PageLoading } from "../page-loading";
import { useCurrentProject } from "../project/current-project";

export default function BuildFilesRoute() {
  const { project = "", build = "", commit = "", "*": path = "" } = useParams();
  const { id: projectId } = useCurrentProject();
  const { data: id, error, refetch } = useBuildId(projectId, build);
  if (id) {
    return <BuildFiles project={project} build={build} buildId={id} commit={commit} path={path} />;
  }
  return error ? (
    <BuildLoadError projectId={projectId} error={error} onRetry={refetch} />
  ) : (
    <PageLoading />
  );
}
