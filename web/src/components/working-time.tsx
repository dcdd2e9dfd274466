import { useInterval } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { formatDuration } from "@/lib/format";

interface WorkingTimeProps {
  /** Milliseconds of work when the server last said. */
  ms: number;
  saidAt: number;
  running: boolean;
}

/** Counts on while agents work, and stands still while the build waits for a person. */
export function WorkingTime({ ms, saidAt, running }: WorkingTimeProps) {
  const [now, setNow] = useState(Date.now);
  const clock = useInterval(() => setNow(Date.now()), 1_000);
  useEffect(() => {
    if (!running) return clock.stop();
    setNow(Date.now());
    clock.start();
    return clock.stop;
  }, [running, clock.start, clock.stop]);
  return <>{formatDuration(ms + (running ? Math.max(0, now - saidAt) : 0))}</>;
}
