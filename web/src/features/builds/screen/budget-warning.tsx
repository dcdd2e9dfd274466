import { Group } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { isFinal } from "@/domain/build-status";
import { LIMIT_LABELS } from "@/domain/limit-labels";
import type { Build } from "@/lib/api";
import { toneBar } from "@/lib/tone";

/** The limits of which a running build has used 80 % or more. */
export function BudgetWarning({ build }: { build: Build }) {
  const { warned_limits: limits } = build;
  if (limits.length === 0 || isFinal(build.status) || build.status === "blocked") return null;
  return (
    <Group
      {...toneBar("waiting")}
      gap="xs"
      wrap="nowrap"
      px={{ base: "sm", sm: "md" }}
      py={10}
      fz="sm"
      role="status"
    >
      <IconAlertTriangle size={16} aria-hidden />
      <span>
        <b>At least 80 % used:</b> {limits.map((limit) => LIMIT_LABELS[limit]).join(", ")}. The
        build is blocked, or its agents get no further answers, once a limit is reached.
      </span>
    </Group>
  );
}
