import { Stack } from "@mantine/core";
import { useLocalStorage, useMediaQuery } from "@mantine/hooks";
import {
  IconLayoutSidebar,
  IconLayoutSidebarFilled,
  IconLayoutSidebarRight,
  IconLayoutSidebarRightFilled,
} from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { OwnerOnly } from "@/components/owner-only";
import { PanelBoundary } from "@/components/panel-boundary";
import { buildName } from "@/domain/build-name";
import { buildState } from "@/domain/build-status";
import type { Feed } from "@/domain/feed/feed-store";
import { usePageTitle } from "@/domain/use-page-title";
import type { Build } from "@/lib/api";
import { Composer } from "../composer/composer";
import { SealSummary } from "../seal/seal-summary";
import { BuildSidebar } from "../sidebar/build-sidebar";
import { BlockedBanner } from "./blocked-banner";
import { BudgetWarning } from "./budget-warning";
import { BuildActivity } from "./build-activity";
import { BuildAnnouncer } from "./build-announcer";
import { BuildHeader } from "./build-header";
import { BuildPanes } from "./build-panes";
import { BuildTabs } from "./build-tabs";
import { PaneButton } from "./pane-button";
import { ReconnectBar } from "./reconnect-bar";
import { ViewerFooter } from "./viewer-footer";

interface BuildScreenProps {
  build: Build;
  /** When `build` was fetched, in milliseconds. */
  fetchedAt: number;
  feed: Feed;
  /** Shown below the header of a demo build. */
  demoBar?: ReactNode;
  /** Shown below the verdict of a sealed build. */
  reviews: ReactNode;
  /** Shown below an open question. */
  notificationOffer: ReactNode;
}

export function BuildScreen(props: BuildScreenProps) {
  const { build, fetchedAt, feed, demoBar, reviews, notificationOffer } = props;
  const wide = useMediaQuery("(min-width: 62em)", true, { getInitialValueInEffect: false });
  const veryWide = useMediaQuery("(min-width: 100em)", false, { getInitialValueInEffect: false });
  const [sidebarShown, setSidebarShown] = useLocalStorage({
    key: "forgeguard-build-sidebar",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const [activityShown, setActivityShown] = useLocalStorage({
    key: "forgeguard-build-activity-pane",
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const hasActivityPane = veryWide && activityShown;
  const input = useRef<HTMLInputElement>(null);
  const asked = build.open_clarifications.length;
  usePageTitle(
    asked > 0 && `(${asked}) ${asked === 1 ? "Question" : "Questions"}`,
    build.seal && buildState(build).label,
    buildName(build),
    build.project_name,
  );
  return (
    <Stack component="section" aria-label="Build" gap={0} flex={1} mih={0}>
      <BuildHeader
        build={build}
        fetchedAt={fetchedAt}
        paneButtons={
          <>
            {veryWide && (
              <PaneButton
                label={activityShown ? "Hide activity pane" : "Show activity pane"}
                icon={activityShown ? IconLayoutSidebarFilled : IconLayoutSidebar}
                shown={activityShown}
                onToggle={setActivityShown}
              />
            )}
            {wide && (
              <PaneButton
                label={sidebarShown ? "Hide sidebar" : "Show sidebar"}
                icon={sidebarShown ? IconLayoutSidebarRightFilled : IconLayoutSidebarRight}
                shown={sidebarShown}
                onToggle={setSidebarShown}
              />
            )}
          </>
        }
      />
      {demoBar}
      <ReconnectBar feed={feed} />
      <BuildAnnouncer build={build} />
      <PanelBoundary what="the summary">
        <SealSummary build={build} />
        {build.seal && reviews}
        <BlockedBanner build={build} />
        <BudgetWarning build={build} />
      </PanelBoundary>
      <BuildPanes
        activity={hasActivityPane && <BuildActivity build={build} feed={feed} />}
        sidebar={
          wide &&
          sidebarShown && (
            <PanelBoundary what="the details">
              <BuildSidebar build={build} />
            </PanelBoundary>
          )
        }
      >
        <BuildTabs
          build={build}
          fetchedAt={fetchedAt}
          feed={feed}
          wide={wide}
          hasActivityPane={hasActivityPane}
        />
        <OwnerOnly instead={<ViewerFooter build={build} />}>
          <PanelBoundary what="the command line">
            <Composer build={build} inputRef={input} notificationOffer={notificationOffer} />
          </PanelBoundary>
        </OwnerOnly>
      </BuildPanes>
    </Stack>
  );
}
