import type { ReactNode } from "react";
import { ControlledDisclosure } from "@/components/disclosure";
import classes from "./activity.module.css";
import { useExpandedRow } from "./expanded-rows";

interface RowDisclosureProps {
  rowKey: string;
  summary: ReactNode;
  children: ReactNode;
  openByDefault?: boolean;
}

/** A row that expands. Its state outlives scrolling. */
export function RowDisclosure(props: RowDisclosureProps) {
  const { rowKey, summary, children, openByDefault = false } = props;
  const [opened, toggle] = useExpandedRow(rowKey, openByDefault);
  return (
    <ControlledDisclosure
      className={classes.summary}
      summary={<span className={classes.summaryText}>{summary}</span>}
      opened={opened}
      onToggle={toggle}
    >
      {children}
    </ControlledDisclosure>
  );
}
