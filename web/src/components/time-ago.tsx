import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { formatAgo, formatDate } from "@/lib/format";

export function TimeAgo({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 30_000, { autoInvoke: true });
  return (
    <time dateTime={at} title={formatDate(at)}>
      {formatAgo(at, now)}
    </time>
  );
}
