import { Center, Loader, Tabs } from "@mantine/core";
import {
  IconActivity,
  IconAlertCircle,
  IconChartBar,
  IconFileDiff,
  IconListCheck,
  IconListDetails,
  IconRosetteDiscountCheck,
} from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import { useActions } from "@/domain/actions";
import type { Feed } from "@/domain/feed/feed-store";
import type { Build } from "@/lib/api";
import type { BuildTab } from "@/lib/paths";
import { BuildSidebar } from "../sidebar/build-sidebar";
import { SidebarSection } from "../sidebar/sidebar-section";
import { BuildFacts } from "./build-facts";
import classes from "./build-screen.module.css";

const ActivityPanel = lazy(() => import("../activity/activity-panel"));
const ChangesPanel = lazy(() => import("../changes/changes-panel"));
const RequirementsPanel = lazy(() => import("../requirements/requirements-panel"));
const ErrorsPanel = lazy(() => import("../errors/errors-panel"));

const SealPage = lazy(() => import("../seal/seal-page"));
const UsagePanel = lazy(() => import("../usage/usage-panel"));

/** The rest of the height. */
const panel = { flex: 1, mih: 0 };

const TABS: BuildTab[] = ["activity", "changes", "requirements", "errors", "usage", "plan", "seal"];

interface BuildTabsProps {
  build: Build;
  fetchedAt: number;
  feed: Feed;
  /** On wide screens the plan is in the sidebar. */
  wide: boolean;
}

export function BuildTabs({ build, fetchedAt, feed, wide }: BuildTabsProps) {
  const [query, setQuery] = useSearchParams();
  const requested = TABS.find((tab) => tab === query.get("tab")) ?? "activity";
  const sealed = build.seal != null;
  const missing = (wide && requested === "plan") || (!sealed && requested === "seal");
  const tab = missing ? "activity" : requested;
  const show = (value: BuildTab) =>
    setQuery({ tab: value }, { replace: true, preventScrollReset: true });
  useActions([
    { name: "showActivity", run: () => show("activity") },
    { name: "showChanges", run: () => show("changes") },
    { name: "showRequirements", run: () => show("requirements") },
    { name: "showErrors", run: () => show("errors") },
    { name: "showUsage", run: () => show("usage") },
    !wide && { name: "showPlan", run: () => show("plan") },
    sealed && { name: "showSeal", run: () => show("seal") },
  ]);
  const loading = (
    <Center h="100%">
      <Loader aria-label="Loading" />
    </Center>
  );
  return (
    <Tabs
      display="flex"
      flex={1}
      mih={0}
      style={{ flexDirection: "column" }}
      value={tab}
      onChange={(value) => show(TABS.find((tab) => tab === value) ?? "activity")}
      keepMounted={false}
    >
      <Tabs.List className={classes.tabList} aria-label="Build tabs">
        <Tabs.Tab value="activity" leftSection={<IconActivity size={15} aria-hidden />}>
          Activity
        </Tabs.Tab>
        <Tabs.Tab value="changes" leftSection={<IconFileDiff size={15} aria-hidden />}>
          Changes
        </Tabs.Tab>
        <Tabs.Tab value="requirements" leftSection={<IconListDetails size={15} aria-hidden />}>
          Requirements
        </Tabs.Tab>
        <Tabs.Tab value="errors" leftSection={<IconAlertCircle size={15} aria-hidden />}>
          Errors ({build.open_errors})
        </Tabs.Tab>
        <Tabs.Tab value="usage" leftSection={<IconChartBar size={15} aria-hidden />}>
          Usage
        </Tabs.Tab>
        {sealed && (
          <Tabs.Tab value="seal" leftSection={<IconRosetteDiscountCheck size={15} aria-hidden />}>
            Seal
          </Tabs.Tab>
        )}
        {!wide && (
          <Tabs.Tab value="plan" leftSection={<IconListCheck size={15} aria-hidden />}>
            Plan
          </Tabs.Tab>
        )}
      </Tabs.List>
      <Suspense fallback={loading}>
        <Tabs.Panel value="activity" {...panel}>
          <ActivityPanel buildId={build.id} feed={feed} phases={build.phases} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" {...panel}>
          <ChangesPanel buildId={build.id} />
        </Tabs.Panel>
        <Tabs.Panel value="requirements" {...panel}>
          <RequirementsPanel buildId={build.id} />
        </Tabs.Panel>
        <Tabs.Panel value="errors" {...panel}>
          <ErrorsPanel projectId={build.project_id} buildId={build.id} />
        </Tabs.Panel>
        <Tabs.Panel value="usage" {...panel}>
          <UsagePanel buildId={build.id} />
        </Tabs.Panel>
        {sealed && (
          <Tabs.Panel value="seal" {...panel}>
            <SealPage build={build} />
          </Tabs.Panel>
        )}
        {!wide && (
          <Tabs.Panel value="plan" {...panel}>
            <div className="scroll" style={{ height: "100%" }}>
              <SidebarSection title="Details">
                <BuildFacts build={build} fetchedAt={fetchedAt} stacked />
              </SidebarSection>
              <BuildSidebar build={build} />
            </div>
          </Tabs.Panel>
        )}
      </Suspense>
    </Tabs>
  );
}
