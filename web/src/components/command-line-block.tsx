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
      <code className={classes.text}>{command}</code>
      <CopyIcon value={command} what={what} />
    </div>
  );
}
