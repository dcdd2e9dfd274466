import { Center, Loader, Modal } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { useBuildFeed, useFeedState } from "@/domain/feed/use-build-feed";
import { useBuild } from "@/features/builds/api";
import { BuildLoadError } from "@/features/builds/screen/build-load-error";
import { BuildScreen } from "@/features/builds/screen/build-screen";
import classes from "@/features/builds/screen/build-screen.module.css";
import { NotificationOffer } from "@/features/notifications/notification-offer";
import { BuildReviews } from "@/features/reviews/build-reviews";
import { isStatus } from "@/lib/api-error";
import { paths } from "@/lib/paths";
import { isTyping } from "../keyboard/key-target";

// Loads the default tab in parallel with the build.
void import("@/features/builds/activity/activity-panel");

/** The build screen, over its project's page. Escape returns to the project. */
export default function BuildRoute() {
  const { projectId = "", buildId = "" } = useParams();
  const navigate = useNavigate();
  const close = () => navigate(paths.project(projectId), { preventScrollReset: true });
  /** The first Escape leaves a focused field and keeps its text; the next one closes the build. */
  function onEscape() {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && isTyping(focused)) focused.blur();
    else close();
  }
  return (
    <Modal.Root
      opened
      onClose={onEscape}
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
      <BuildLoadError
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
  return (
    <BuildScreen
      build={build}
      fetchedAt={query.dataUpdatedAt}
      feed={feed}
      reviews={<BuildReviews buildId={build.id} />}
      notificationOffer={<NotificationOffer />}
      onClose={onClose}
    />
  );
}
