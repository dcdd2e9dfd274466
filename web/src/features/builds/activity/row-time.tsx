import { IconLink } from "@tabler/icons-react";
import { createContext, type MouseEvent, useContext } from "react";
import { formatAgoShort, formatClock, formatDate } from "@/lib/format";
import { useMinute } from "@/lib/use-minute";
import classes from "./activity.module.css";

/** The first event of a row, and the function that copies its link. */
export const RowLink = createContext<{ seq: number; onLink: (seq: number) => void }>({
  seq: 0,
  onLink: () => {},
});

/** How long ago the row was, as a link to the row. While the row is hovered or focused, its exact time. */
export function RowTime({ at }: { at: string }) {
  const { seq, onLink } = useContext(RowLink);
  const now = useMinute();
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onLink(seq);
  }
  return (
    <a
      href={`#${seq}`}
      className={classes.time}
      title={`${formatDate(at)}. Copy link to event ${seq}`}
      tabIndex={-1}
      onClick={follow}
    >
      <IconLink
        size={13}
        className={classes.timeLink}
        role="img"
        aria-label={`Link to event ${seq}`}
      />
      <time dateTime={at} data-exact={formatClock(at)}>
        {formatAgoShort(at, now)}
      </time>
    </a>
  );
}
