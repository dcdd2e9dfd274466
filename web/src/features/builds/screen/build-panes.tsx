import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import classes from "./build-panes.module.css";

interface BuildPanesProps {
  /** Beside the tabs on wide screens; false while it is not shown. */
  activity: ReactNode;
  children: ReactNode;
  /** False while it is not shown. */
  sidebar: ReactNode;
}

/** The panes of the build page, separated by handles that resize them. The sizes are kept. */
export function BuildPanes({ activity, children, sidebar }: BuildPanesProps) {
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: "forgeguard-build-panes",
    panelIds: [...(activity ? ["activity"] : []), "tabs", ...(sidebar ? ["sidebar"] : [])],
    storage: localStorage,
  });
  return (
    <Group
      className={classes.panes}
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
    >
      {activity && (
        <>
          <Panel id="activity" minSize={400}>
            <section className={classes.activity} aria-label="Activity" data-screen="Activity">
              {activity}
            </section>
          </Panel>
          <Separator className={classes.separator} aria-label="Resize activity" />
        </>
      )}
      <Panel id="tabs" minSize={400}>
        <Stack gap={0} h="100%" miw={0}>
          {children}
        </Stack>
      </Panel>
      {sidebar && (
        <>
          <Separator className={classes.separator} aria-label="Resize sidebar" />
          <Panel id="sidebar" defaultSize={340} minSize={240} maxSize="50%">
            <aside className={`scroll ${classes.sidebar}`} aria-label="Build details">
              {sidebar}
            </aside>
          </Panel>
        </>
      )}
    </Group>
  );
}
