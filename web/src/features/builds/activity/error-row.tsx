import { Code } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { FailureText } from "@/components/failure-text";
import { OutputText } from "@/components/output-text";
import { ToneBadge } from "@/components/tone-badge";
import { failureOf } from "@/domain/failing-test";
import { toneText } from "@/lib/tone";
import classes from "./activity.module.css";
import { Line } from "./line";
import type { Row } from "./row";
import { RowDisclosure } from "./row-disclosure";

export function ErrorRow({ row }: { row: Row & { kind: "error" } }) {
  const { message, file_path, occurrence_count = 1, regression } = row.payload;
  const failure = failureOf(message ?? "");
  return (
    <Line
      icon={<IconAlertCircle size={16} color={toneText("bad")} aria-label="Error" role="img" />}
      at={row.at}
      strong
    >
      <FailureText failure={failure}>
        {file_path && <Code className={classes.subject}>{file_path}</Code>}{" "}
        {occurrence_count > 1 && <ToneBadge tone="bad">×{occurrence_count}</ToneBadge>}
        {regression && <ToneBadge tone="waiting">Regression</ToneBadge>}
      </FailureText>
      {failure.output.trim() !== "" && (
        <RowDisclosure rowKey={row.key} summary={<span className={classes.quiet}>Output</span>}>
          <OutputText text={failure.output} />
        </RowDisclosure>
      )}
    </Line>
  );
}
