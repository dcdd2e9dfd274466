import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, useId } from "react";
import classes from "./activity.module.css";
import { useOpenRows } from "./open-rows";

interface DisclosureProps {
  rowKey: string;
  summary: ReactNode;
  children: ReactNode;
  /** Open until the reader closes it. */
  startsOpen?: boolean;
}

/** A line that opens, of plain elements, for a busy build draws dozens at once; what is open stays open while it scrolls out of sight. */
export function Disclosure({ rowKey, summary, children, startsOpen = false }: DisclosureProps) {
  const id = useId();
  const [opened, toggle] = useOpenRows(rowKey, startsOpen);
  return (
    <>
      <button
        type="button"
        className={`mantine-focus-auto ${classes.summary}`}
        aria-expanded={opened}
        aria-controls={id}
        onClick={toggle}
      >
        <span className={classes.summaryText}>{summary}</span>
        <IconChevronDown
          size={14}
          className={classes.chevron}
          data-opened={opened || undefined}
          aria-hidden
        />
      </button>
      <div id={id} hidden={!opened}>
        {opened && children}
      </div>
    </>
  );
}
