import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A line of text in place of the command line. */
export function FooterText({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <Group
      gap="xs"
      wrap="nowrap"
      flex="none"
      px="md"
      py="sm"
      style={{ borderTop: "1px solid var(--line)" }}
    >
      {icon}
      <Text fz="sm" c="dimmed">
        {children}
      </Text>
    </Group>
  );
}
