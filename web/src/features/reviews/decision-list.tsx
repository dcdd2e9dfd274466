import { Group, Stack, Text } from "@mantine/core";
import { TimeAgo } from "@/components/time-ago";
import type { ReviewDecided } from "@/lib/api";
import { DecisionBadge } from "./decision-badge";

/** Newest first. The newest counts, and all approvals since changes were last requested. */
export function DecisionList({ decisions }: { decisions: ReviewDecided[] }) {
  const requested = decisions.findIndex(({ decision }) => decision === "changes_requested");
  const current = requested > 0 ? requested : requested === 0 ? 1 : decisions.length;
  return (
    <Stack component="ol" gap="sm" className="plain-list" aria-label="Decisions, newest first">
      {decisions.map(({ id, decision, reviewer, reason, created_at }, index) => (
        <li key={id}>
          <Group gap="0.25rem 0.5rem">
            <DecisionBadge decision={decision} />
            <Text span fz="xs" c="dimmed">
              {reviewer.name} · <TimeAgo at={created_at} />
              {index >= current && " · outdated"}
            </Text>
          </Group>
          {reason !== "" && (
            <Text fz="sm" mt={4} c={index >= current ? "dimmed" : undefined} className="pre-wrap">
              {reason}
            </Text>
          )}
        </li>
      ))}
    </Stack>
  );
}
