import { useInterval } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { formatDuration } from "@/lib/format";

interface WorkingTimeProps {
  /** Working time in milliseconds at `saidAt`. */
  ms: number;
  fetchedAt: number;
  running: boolean;
}

/** Answers are delayed by up to this long; the clock does not go back for less. */
const MAX_LATENCY_MS = 2_000;

/** Counts up while `running`. */
export function WorkingTime({ ms, fetchedAt, running }: WorkingTimeProps) {
  const [now, setNow] = useState(Date.now);
  const [shown, setShown] = useState(0);
  const clock = useInterval(() => setNow(Date.now()), 1_000);
  useEffect(() => {
    if (!running) return clock.stop();
    setNow(Date.now());
    clock.start();
    return clock.stop;
  }, [running, clock.start, clock.stop]);
  const measured = ms + (running ? Math.max(0, now - fetchedAt) : 0);
  if (measured > shown || measured < shown - MAX_LATENCY_MS) setShown(measured);
  return <>{formatDuration(shown)}</>;
}
