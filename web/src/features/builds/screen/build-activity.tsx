import { PanelBoundary } from "@/components/panel-boundary";
import type { Feed } from "@/domain/feed/feed-store";
import type { Build } from "@/lib/api";
import ActivityPanel from "../activity/activity-panel";

/** The activity of a build, in its tab or in a pane of its own. */
export function BuildActivity({ build, feed }: { build: Build; feed: Feed }) {
  return (
    <PanelBoundary what="the activity">
      <ActivityPanel buildId={build.id} feed={feed} phases={build.phases} />
    </PanelBoundary>
  );
}
