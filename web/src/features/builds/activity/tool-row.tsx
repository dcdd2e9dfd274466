import { Loader } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { ChangeCounts } from "@/components/change-counts";
import { formatSpan } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import { OutputBlock } from "./output-block";
import type { Row } from "./row";
import { RowDisclosure } from "./row-disclosure";
import { editionOf, pretty, SLOW_CALL_MS, toolLabel } from "./tool-labels";

export function ToolRow({ row }: { row: Row & { kind: "tool" } }) {
  const { started, finished, change, read } = row;
  const took = finished?.duration_ms ?? 0;
  const { verb, subject, mono } = toolLabel(
    started?.tool ?? finished?.tool ?? "a tool",
    started?.input,
  );
  const icon = !finished ? (
    <Loader size={12} aria-label="Running" />
  ) : finished.ok ? (
    <IconCheck size={14} color={toneText("good")} aria-label="Succeeded" />
  ) : (
    <IconX size={14} color={toneText("bad")} aria-label="Failed" />
  );
  return (
    <Line icon={icon} at={row.at}>
      <RowDisclosure
        rowKey={row.key}
        summary={
          <>
            <span className={classes.quiet}>{verb}</span>{" "}
            {mono && subject ? (
              <code className={classes.subject}>{subject}</code>
            ) : (
              <span className={classes.words}>{subject}</span>
            )}
            {change && (
              <span className={classes.faint}>
                <ChangeCounts insertions={change.insertions} deletions={change.deletions} />
              </span>
            )}
            {read && <span className={classes.faint}>{editionOf(read, subject)}</span>}
            {took >= SLOW_CALL_MS && <span className={classes.faint}>{formatSpan(took)}</span>}
          </>
        }
      >
        {started && <OutputBlock label="Input" text={pretty(started.input)} />}
        {finished && (
          <OutputBlock label={finished.ok ? "Result" : "Error"} text={finished.output ?? ""} />
        )}
      </RowDisclosure>
    </Line>
  );
}
