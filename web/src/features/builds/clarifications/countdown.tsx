import { Text } from "@mantine/core";
import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { formatDuration } from "@/lib/format";
import { toneText } from "@/lib/tone";

interface CountdownProps {
  until: string;
  /** What happens then. */
  next: string;
}

/** The time until the question expires; not announced to screen readers. */
export function Countdown({ until, next }: CountdownProps) {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1_000, { autoInvoke: true });
  const left = new Date(until).getTime() - now;
  return (
    <Text
      fz="xs"
      c={toneText("waiting")}
      style={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}
      role="timer"
      aria-live="off"
    >
      {left > 0 ? `${next} in ${formatDuration(left)}` : `${next} now`}
    </Text>
  );
}
