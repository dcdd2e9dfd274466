import { Group } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { OwnerOnly } from "@/components/owner-only";
import type { Build } from "@/lib/api";
import { toneBar } from "@/lib/tone";

export function BlockedBanner({ build }: { build: Build }) {
  if (build.status !== "blocked") return null;
  return (
    <Group
      {...toneBar("bad")}
      gap="xs"
      wrap="nowrap"
      px={{ base: "sm", sm: "md" }}
      py={10}
      fz="sm"
      role="status"
    >
      <IconHandStop size={16} aria-hidden />
      <span>
        <b>Blocked.</b> {build.blocked_reason ?? "It cannot continue without your help."}{" "}
        <OwnerOnly instead="The owner can resume or cancel it.">
          Resume it, with a larger budget if it reached a limit, or cancel it.
        </OwnerOnly>
      </span>
    </Group>
  );
}
