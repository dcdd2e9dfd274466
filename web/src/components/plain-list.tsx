import { Group } from "@mantine/core";
import type { ReactNode } from "react";

/** A list of rows separated by lines, in a card. */
export function PlainList({ children }: { children: ReactNode }) {
  return (
    <ul
      style={{
        listStyle: "none",
        margin: "0 0 calc(-1 * var(--mantine-spacing-sm))",
        padding: 0,
      }}
    >
      {children}
    </ul>
  );
}

export function PlainListItem({ children }: { children: ReactNode }) {
  return (
    <Group
      component="li"
      justify="space-between"
      gap="sm"
      py="sm"
      style={{ borderTop: "1px solid var(--line)" }}
    >
      {children}
    </Group>
  );
}
