import { Box } from "@mantine/core";
import classes from "./command-line-block.module.css";
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
    <div className={classes.block}>
      <Box component="code" flex={1} miw={0} ff="monospace" fz="xs">
        {command}
      </Box>
      <CopyIcon value={command} what={what} />
    </div>
  );
}
