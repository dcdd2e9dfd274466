import { Box, Flex } from "@mantine/core";
import { CopyIcon } from "./copy-icon";

/** A command with a button that copies it. */
export function CommandLineBlock({
  command,
  what = "command",
}: {
  command: string;
  what?: string;
}) {
  return (
    <Flex
      align="center"
      gap="xs"
      py={6}
      pl="sm"
      pr="xs"
      bg="var(--surface-sunken)"
      bd="1px solid var(--line)"
      bdrs="md"
    >
      <Box component="code" flex={1} miw={0} ff="monospace" fz="xs">
        {command}
      </Box>
      <CopyIcon value={command} what={what} />
    </Flex>
  );
}
