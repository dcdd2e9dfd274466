import { Loader } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { ChangeCounts } from "@/components/change-counts";
import { formatSpan } from "@/lib/format";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Disclosure } from "./disclosure";
import { Line } from "./line";
import { OutputBlock } from "./output-block";
import type { Row } from "./row";
import { editionOf, pretty, toolWords } from "./tool-words";

/** What took less was over at once. */
const WORTH_TELLING_MS = 100;

export function ToolRow({ row }: { row: Row & { kind: "tool" } }) {
  const { started, finished, change, read } = row;
  const took = finished?.duration_ms ?? 0;
  const { verb, subject, mono } = toolWords(
    started?.tool ?? finished?.tool ?? "a tool",
    started?.input,
  );
  const icon = !finished ? (
    <Loader size={12} aria-label="Under way" />
  ) : finished.ok ? (
    <IconCheck size={14} color={toneText("good")} aria-label="Worked" />
  ) : (
    <IconX size={14} color={toneText("bad")} aria-label="Failed" />
  );
  return (
    <Line icon={icon} at={row.at}>
      <Disclosure
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
            {took >= WORTH_TELLING_MS && <span className={classes.faint}>{formatSpan(took)}</span>}
          </>
        }
      >
        {started && <OutputBlock label="Input" text={pretty(started.input)} />}
        {finished && (
          <OutputBlock
            label={finished.ok ? "Result" : "What went wrong"}
            text={finished.output ?? ""}
          />
        )}
      </Disclosure>
    </Line>
  );
}
