import { useMediaQuery } from "@mantine/hooks";
import { useRef } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { SealSummary } from "@/features/builds/seal-summary";
import { BuildReviews } from "@/features/reviews/build-reviews";
import type { Build } from "@/lib/api";
import { STATUS } from "@/lib/build-status";
import type { Feed } from "@/lib/feed/feed-store";
import { useTitle } from "@/lib/use-title";
import classes from "./build-ide.module.css";
import { IdeAnnouncer } from "./ide-announcer";
import { IdeBlocked } from "./ide-blocked";
import { IdeFoot } from "./ide-foot";
import { IdeHeader } from "./ide-header";
import { IdeSide } from "./ide-side";
import { IdeTabs } from "./ide-tabs";
import { ReconnectBar } from "./reconnect-bar";
import { WatcherFoot } from "./watcher-foot";

interface BuildIdeProps {
  build: Build;
  /** When the server gave `build`, in milliseconds. */
  saidAt: number;
  feed: Feed;
  onClose: () => void;
}

export function BuildIde({ build, saidAt, feed, onClose }: BuildIdeProps) {
  const wide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const input = useRef<HTMLInputElement>(null);
  useTitle(
    build.open_question && "(1) Question",
    build.seal && STATUS.sealed.label,
    build.project_name,
  );
  return (
    <section className={classes.ide}>
      <IdeHeader build={build} saidAt={saidAt} onClose={onClose} />
      <ReconnectBar feed={feed} />
      <IdeAnnouncer build={build} />
      <SealSummary build={build} />
      {build.seal && <BuildReviews buildId={build.id} />}
      <IdeBlocked build={build} />
      <div className={classes.body}>
        <div className={classes.work}>
          <IdeTabs build={build} saidAt={saidAt} feed={feed} wide={wide} />
          <OwnerOnly instead={<WatcherFoot build={build} />}>
            <IdeFoot build={build} inputRef={input} />
          </OwnerOnly>
        </div>
        {wide && (
          <aside className={classes.side} aria-label="Build details">
            <IdeSide build={build} />
          </aside>
        )}
      </div>
    </section>
  );
}
