import { Group, Kbd, Text } from "@mantine/core";
import { keyCaps } from "@/lib/key-sequence";

export function KeyCaps({ keys }: { keys: string }) {
  const between = keys.includes(" ") ? "then" : null;
  return (
    <Group component="span" gap={4} wrap="nowrap" display="inline-flex" flex="none">
      {keyCaps(keys).map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut never move
        <Group component="span" key={index} gap={4} wrap="nowrap">
          {index > 0 && between && (
            <Text span inherit c="dimmed" fz="xs">
              {between}
            </Text>
          )}
          <Kbd size="xs">{cap}</Kbd>
        </Group>
      ))}
    </Group>
  );
}
