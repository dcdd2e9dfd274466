import { IconLink } from "@tabler/icons-react";
import { createContext, type MouseEvent, useContext } from "react";
import { formatClock } from "@/lib/format";
import classes from "./activity.module.css";

/** The first event of a row, and the function that copies its link. */
export const RowLink = createContext<{ seq: number; onLink: (seq: number) => void }>({
  seq: 0,
  onLink: () => {},
});

/** The row's time, as a link to the row. */
export function RowTime({ at }: { at: string }) {
  const { seq, onLink } = useContext(RowLink);
  function follow(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onLink(seq);
  }
  return (
    <a
      href={`#${seq}`}
      className={classes.time}
      title={`Copy link to event ${seq}`}
      tabIndex={-1}
      onClick={follow}
    >
      <IconLink
        size={13}
        className={classes.timeLink}
        role="img"
        aria-label={`Link to event ${seq}`}
      />
      <time dateTime={at}>{formatClock(at)}</time>
    </a>
  );
}
