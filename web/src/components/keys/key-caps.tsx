import { Kbd } from "@mantine/core";
import { keyCaps } from "@/lib/key-sequence";
import classes from "./keys.module.css";

export function KeyCaps({ keys }: { keys: string }) {
  const between = keys.includes(" ") ? "then" : null;
  return (
    <span className={classes.caps}>
      {keyCaps(keys).map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut never move
        <span key={index} className={classes.caps}>
          {index > 0 && between && <span className={classes.then}>{between}</span>}
          <Kbd size="xs">{cap}</Kbd>
        </span>
      ))}
    </span>
  );
}
