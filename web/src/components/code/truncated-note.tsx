// Says that a list of changed files is incomplete.
import { Text } from "@mantine/core";

export function TruncatedNote() {
  return (
    <Text size="xs" c="dimmed" px="xs" py={4}>
      There are too many changes to compare. Some files or line counts are missing.
    </Text>
  );
}
