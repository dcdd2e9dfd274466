import { Center, Loader } from "@mantine/core";
import { useParams } from "react-router";
import { useBuildFeed, useFeedState } from "@/domain/feed/use-build-feed";
import { useBuild, useBuildId } from "@/features/builds/api";
import { DemoBar } from "@/features/builds/demo/demo-bar";
import { BuildLoadError } from "@/features/builds/screen/build-load-error";
import { BuildScreen } from "@/features/builds/screen/build-screen";
import { NotificationOffer } from "@/features/notifications/notification-offer";
import { BuildReviews } from "@/features/reviews/build-reviews";
import { isStatus } from "@/lib/api-error";
import { useCurrentProject } from "../project/current-project";

export default function BuildRoute() {
  const { build: ref = "" } = useParams();
  const { id: project, origin } = useCurrentProject();
  const { data: id, error, refetch } = useBuildId(project, ref);
  if (id) return <LoadedBuild key={id} projectId={project} buildId={id} demo={origin === "demo"} />;
  return error ? (
    <BuildLoadError projectId={project} error={error} onRetry={refetch} />
  ) : (
    <Loading />
  );
}

interface LoadedBuildProps {
  projectId: string;
  buildId: string;
  demo: boolean;
}

function LoadedBuild({ projectId, buildId, demo }: LoadedBuildProps) {
  const query = useBuild(buildId);
  const feed = useBuildFeed(buildId, projectId);
  const gone = useFeedState(feed, (state) => state.phase === "gone");
  const { data: build, error, refetch } = query;
  if (gone || isStatus(error, 404) || (error && !build)) {
    return <BuildLoadError projectId={projectId} gone={gone} error={error} onRetry={refetch} />;
  }
  if (!build) return <Loading />;
  return (
    <BuildScreen
      build={build}
      fetchedAt={query.dataUpdatedAt}
      feed={feed}
      demoBar={demo && <DemoBar build={build} />}
      reviews={<BuildReviews buildId={build.id} />}
      notificationOffer={<NotificationOffer />}
    />
  );
}

function Loading() {
  return (
    <Center h="100%">
      <Loader aria-label="Loading the build" />
    </Center>
  );
}
