import { Code, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { OutputText } from "@/components/output-text";
import { ToneBadge } from "@/components/tone-badge";
import type { Payload } from "@/domain/feed/event";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";

export function ErrorRow({ at, payload }: { at: string; payload: Payload }) {
  const [summary, ...rest] = (payload.message ?? "").split("\n");
  return (
    <Line
      icon={<IconAlertCircle size={16} color={toneText("bad")} aria-label="Error" role="img" />}
      at={at}
      strong
    >
      <Text span fz="sm">
        {summary}
      </Text>{" "}
      {payload.file_path && <Code className={classes.subject}>{payload.file_path}</Code>}{" "}
      {(payload.occurrence_count ?? 1) > 1 && (
        <ToneBadge tone="bad">×{payload.occurrence_count}</ToneBadge>
      )}
      {payload.regression && <ToneBadge tone="waiting">Regression</ToneBadge>}
      {rest.length > 0 && <OutputText text={rest.join("\n")} />}
    </Line>
  );
}
