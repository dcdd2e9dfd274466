import { Center, Loader, Tabs } from "@mantine/core";
import {
  IconActivity,
  IconAlertCircle,
  IconChartBar,
  IconFileDiff,
  IconListCheck,
  IconListDetails,
  IconMessageQuestion,
  IconMessages,
  IconRosetteDiscountCheck,
} from "@tabler/icons-react";
import { lazy, type ReactNode, Suspense } from "react";
import { useSearchParams } from "react-router";
import { PanelBoundary } from "@/components/panel-boundary";
import { useActions } from "@/domain/actions";
import type { Feed } from "@/domain/feed/feed-store";
import type { Build } from "@/lib/api";
import type { BuildTab } from "@/lib/paths";
import { BuildSidebar } from "../sidebar/build-sidebar";
import { SidebarSection } from "../sidebar/sidebar-section";
import { BuildActivity } from "./build-activity";
import { BuildFacts } from "./build-facts";
import classes from "./build-screen.module.css";

const ChangesPanel = lazy(() => import("../changes/changes-panel"));
const RequirementsPanel = lazy(() => import("../requirements/requirements-panel"));
const AskPanel = lazy(() => import("../build-questions/ask-panel"));
const ErrorsPanel = lazy(() => import("../errors/errors-panel"));

const SealPage = lazy(() => import("../seal/seal-page"));
const UsagePanel = lazy(() => import("../usage/usage-panel"));
const TranscriptsPanel = lazy(() => import("../transcripts/transcripts-panel"));

/** The rest of the height. */
const panel = { flex: 1, mih: 0 };

interface TabPanelProps {
  tab: BuildTab;
  what: string;
  children: ReactNode;
}

function TabPanel({ tab, what, children }: TabPanelProps) {
  return (
    <Tabs.Panel value={tab} {...panel}>
      <PanelBoundary what={what}>{children}</PanelBoundary>
    </Tabs.Panel>
  );
}

const focusActivity = () => document.querySelector<HTMLElement>("[role=log]")?.focus();

const TABS: BuildTab[] = [
  "activity",
  "changes",
  "requirements",
  "errors",
  "ask",
  "usage",
  "transcripts",
  "plan",
  "seal",
];

interface BuildTabsProps {
  build: Build;
  fetchedAt: number;
  feed: Feed;
  /** On wide screens the plan is in the sidebar. */
  wide: boolean;
  /** Whether the activity is beside the tabs. */
  hasActivityPane: boolean;
}

/** Open errors; if there are none, how many were resolved. */
function errorCount({ open_errors, resolved_errors }: Build): string {
  return open_errors === 0 && resolved_errors > 0
    ? `${resolved_errors} resolved`
    : String(open_errors);
}

export function BuildTabs(props: BuildTabsProps) {
  const { build, fetchedAt, feed, wide, hasActivityPane } = props;
  const [query, setQuery] = useSearchParams();
  const initial = hasActivityPane ? "changes" : "activity";
  const requested = TABS.find((tab) => tab === query.get("tab")) ?? initial;
  const sealed = build.seal != null;
  const missing =
    (wide && requested === "plan") ||
    (!sealed && requested === "seal") ||
    (hasActivityPane && requested === "activity");
  const tab = missing ? initial : requested;
  // What other tabs keep in the address stays there.
  const show = (value: BuildTab) =>
    setQuery(
      (query) => {
        query.set("tab", value);
        return query;
      },
      { replace: true, preventScrollReset: true },
    );
  useActions([
    { name: "showActivity", run: () => (hasActivityPane ? focusActivity() : show("activity")) },
    { name: "showChanges", run: () => show("changes") },
    { name: "showRequirements", run: () => show("requirements") },
    { name: "showErrors", run: () => show("errors") },
    { name: "showAsk", run: () => show("ask") },
    { name: "showUsage", run: () => show("usage") },
    { name: "showTranscripts", run: () => show("transcripts") },
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
      className={classes.tabs}
      value={tab}
      onChange={(value) => show(TABS.find((tab) => tab === value) ?? "activity")}
      keepMounted={false}
    >
      <Tabs.List className={classes.tabList} aria-label="Build tabs">
        {!hasActivityPane && (
          <Tabs.Tab value="activity" leftSection={<IconActivity size={15} aria-hidden />}>
            Activity
          </Tabs.Tab>
        )}
        <Tabs.Tab value="changes" leftSection={<IconFileDiff size={15} aria-hidden />}>
          Changes
        </Tabs.Tab>
        <Tabs.Tab value="requirements" leftSection={<IconListDetails size={15} aria-hidden />}>
          Requirements
        </Tabs.Tab>
        <Tabs.Tab value="errors" leftSection={<IconAlertCircle size={15} aria-hidden />}>
          Errors ({errorCount(build)})
        </Tabs.Tab>
        <Tabs.Tab value="ask" leftSection={<IconMessageQuestion size={15} aria-hidden />}>
          Ask
        </Tabs.Tab>
        <Tabs.Tab value="usage" leftSection={<IconChartBar size={15} aria-hidden />}>
          Usage
        </Tabs.Tab>
        <Tabs.Tab value="transcripts" leftSection={<IconMessages size={15} aria-hidden />}>
          Transcripts
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
        {!hasActivityPane && (
          <Tabs.Panel value="activity" {...panel}>
            <BuildActivity build={build} feed={feed} />
          </Tabs.Panel>
        )}
        <TabPanel tab="changes" what="the changes">
          <ChangesPanel buildId={build.id} />
        </TabPanel>
        <TabPanel tab="requirements" what="the requirements">
          <RequirementsPanel buildId={build.id} />
        </TabPanel>
        <TabPanel tab="errors" what="the errors">
          <ErrorsPanel projectId={build.project_id} buildId={build.id} />
        </TabPanel>
        <TabPanel tab="ask" what="the questions">
          <AskPanel build={build} />
        </TabPanel>
        <TabPanel tab="usage" what="the usage">
          <UsagePanel buildId={build.id} />
        </TabPanel>
        <TabPanel tab="transcripts" what="the transcripts">
          <TranscriptsPanel buildId={build.id} />
        </TabPanel>
        {sealed && (
          <TabPanel tab="seal" what="the seal">
            <SealPage build={build} />
          </TabPanel>
        )}
        {!wide && (
          <TabPanel tab="plan" what="the plan">
            <div className="scroll" style={{ height: "100%" }}>
              <SidebarSection title="Details">
                <BuildFacts build={build} fetchedAt={fetchedAt} stacked />
              </SidebarSection>
              <BuildSidebar build={build} />
            </div>
          </TabPanel>
        )}
      </Suspense>
    </Tabs>
  );
}
