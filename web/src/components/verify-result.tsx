import { Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { Verification } from "@/lib/api";
import { formatCount, plural } from "@/lib/format";
import { toneText } from "@/lib/tone";
import { CopyIcon } from "./copy-icon";
import classes from "./verify-result.module.css";

export function VerifyResult({ found }: { found: Verification }) {
  const [first, ...others] = found.problems;
  if (found.ok || !first) {
    return (
      <div className={classes.finding}>
        <IconCircleCheck size={16} color={toneText("good")} aria-hidden />
        <div>
          <Text fz="sm">The chain of {plural(found.events, "event")} is intact.</Text>
          <Text fz="xs" c="dimmed" className={classes.hash}>
            <span>Head</span> <code>{found.head_hash}</code>
            <CopyIcon value={found.head_hash} what="head hash" />
          </Text>
        </div>
      </div>
    );
  }
  return (
    <div className={classes.finding}>
      <IconCircleX size={16} color={toneText("bad")} aria-hidden />
      <div>
        <Text fz="sm" fw={600} c={toneText("bad")}>
          {first.seq == null
            ? "Something does not fit:"
            : `Event ${formatCount(first.seq)} is the first that does not fit:`}
        </Text>
        <Text fz="sm">{first.what}</Text>
        {others.length > 0 && (
          <Text fz="xs" c="dimmed">
            And {plural(others.length, "more finding")}.
          </Text>
        )}
      </div>
    </div>
  );
}
