import { Code, Text } from "@mantine/core";
import { VerdictBadge } from "@/components/verdict-badge";
import type { Payload } from "@/lib/feed/event";
import { shortSha } from "@/lib/format";
import { VERDICT } from "@/lib/verdict";
import classes from "./activity.module.css";

export function SealRow({ payload }: { payload: Payload }) {
  const verdict = payload.verdict ?? "FLAGGED";
  return (
    <div className={classes.seal} data-tone={VERDICT[verdict].tone}>
      <VerdictBadge verdict={verdict} />
      <Text fz="sm" mt={6}>
        {VERDICT[verdict].meaning}
      </Text>
      <Text fz="xs" c="dimmed" mt={4}>
        Seal commit <Code>{shortSha(payload.seal_commit ?? "")}</Code> · score {payload.score} of
        100
      </Text>
    </div>
  );
}
