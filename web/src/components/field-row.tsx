import { Flex, Group } from "@mantine/core";
import type { ReactNode } from "react";

interface FieldRowProps {
  /** Fields with labels. */
  children: ReactNode;
  /** Buttons and checkboxes at the height of the inputs. */
  tools: ReactNode;
}

/** An item of a list that is edited in place. */
export function FieldRow({ children, tools }: FieldRowProps) {
  return (
    <Flex component="li" wrap="wrap" align="flex-start" gap="sm" py="md">
      {children}
      <Group gap="md" wrap="nowrap" h={{ md: 36 }} mt={{ md: "1.4rem" }} ml="auto">
        {tools}
      </Group>
    </Flex>
  );
}

export const MONOSPACE_INPUT = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };
