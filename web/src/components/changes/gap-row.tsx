import { IconArrowsVertical, IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { plural } from "@/lib/format";
import { EXPAND_LINE_COUNT, type Gap } from "../code/expand-context";
import { IconTool } from "../icon-tool";
import classes from "./changes.module.css";

interface GapRowProps {
  gap: Gap;
  /** Whether the file is known. */
  canExpand: boolean;
  onExpand: (gap: Gap, direction: "top" | "bottom" | "all") => void;
}

/** Hidden lines between two changes, with buttons that show them. */
export function GapRow({ gap, canExpand, onExpand }: GapRowProps) {
  const { first, last, isFirst, isLast, title } = gap;
  const count = (last ?? first) - first + 1;
  const range = `lines ${first} to ${last}`;
  const isShort = count <= EXPAND_LINE_COUNT;
  return (
    <div className={classes.gap} data-change={!isLast || undefined}>
      {canExpand && isShort && (
        <IconTool label={`Show ${range}`} onClick={() => onExpand(gap, "all")}>
          <IconArrowsVertical size={14} aria-hidden />
        </IconTool>
      )}
      {canExpand && !isShort && !isFirst && (
        <IconTool label={`Show more below line ${first - 1}`} onClick={() => onExpand(gap, "top")}>
          <IconChevronDown size={14} aria-hidden />
        </IconTool>
      )}
      {canExpand && !isShort && !isLast && (
        <IconTool
          label={`Show more above line ${(last ?? first) + 1}`}
          onClick={() => onExpand(gap, "bottom")}
        >
          <IconChevronUp size={14} aria-hidden />
        </IconTool>
      )}
      <span>{title || `${plural(count, "unchanged line")}`}</span>
    </div>
  );
}
