import { Center, Loader, Modal } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { useBuild } from "@/features/builds/api";
import { useBuildFeed, useFeedState } from "@/lib/feed/use-build-feed";
import { paths } from "@/lib/paths";
import { isStatus } from "@/lib/problem";
import { BuildIde } from "../build-ide/build-ide";
import classes from "../build-ide/build-ide.module.css";
import { IdeProblem } from "../build-ide/ide-problem";

// The tab that opens first is fetched beside the build, not after it.
void import("@/features/activity/activity-panel");

/** The build over its project's page. Escape goes back to the project. */
export default function BuildIdeRoute() {
  const { projectId = "", buildId = "" } = useParams();
  const navigate = useNavigate();
  const close = () => navigate(paths.project(projectId), { preventScrollReset: true });
  return (
    <Modal.Root
      opened
      onClose={close}
      fullScreen
      classNames={{ inner: classes.inner, content: classes.content }}
      transitionProps={{ duration: 100, transition: "fade" }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Build" data-screen>
        <LoadedBuild key={buildId} projectId={projectId} buildId={buildId} onClose={close} />
      </Modal.Content>
    </Modal.Root>
  );
}

interface LoadedBuildProps {
  projectId: string;
  buildId: string;
  onClose: () => void;
}

function LoadedBuild({ projectId, buildId, onClose }: LoadedBuildProps) {
  const query = useBuild(buildId);
  const feed = useBuildFeed(buildId, projectId);
  const gone = useFeedState(feed, (state) => state.phase === "gone");
  const build = query.data;
  const missing =
    gone || isStatus(query.error, 404) || (build !== undefined && build.project_id !== projectId);
  if (missing || (query.isError && !build)) {
    return (
      <IdeProblem
        missing={missing}
        error={query.error}
        onRetry={() => query.refetch()}
        onClose={onClose}
      />
    );
  }
  if (!build) {
    return (
      <Center h="100%">
        <Loader aria-label="Loading the build" />
      </Center>
    );
  }
  return <BuildIde build={build} saidAt={query.dataUpdatedAt} feed={feed} onClose={onClose} />;
}
