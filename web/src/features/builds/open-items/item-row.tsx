import { Box, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { InlineCode } from "@/components/inline-code";

interface ItemRowProps {
  /** Where it is from. */
  source: string;
  text: string;
  /** What is known about it. */
  detail?: ReactNode;
  /** Buttons. */
  children?: ReactNode;
}

/** An open item with its actions. */
export function ItemRow({ source, text, detail, children }: ItemRowProps) {
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="xs" py={8}>
      <Box flex="1 1 14rem" miw={0} style={{ overflowWrap: "anywhere" }}>
        <Text fz="xs" c="dimmed">
          {source}
        </Text>
        <Text fz="sm" component="div">
          <InlineCode text={text} />
        </Text>
        {detail && (
          <Text fz="sm" c="dimmed" component="div">
            {detail}
          </Text>
        )}
      </Box>
      <Group gap={6}>{children}</Group>
    </Group>
  );
}
