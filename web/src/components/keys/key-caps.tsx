import { Kbd, Text } from "@mantine/core";
import { keyCaps } from "@/lib/key-sequence";
import classes from "./keys.module.css";

export function KeyCaps({ keys }: { keys: string }) {
  const between = keys.includes(" ") ? "then" : null;
  return (
    <span className={classes.caps}>
      {keyCaps(keys).map((cap, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the keys of a shortcut never move
        <span key={index} className={classes.caps}>
          {index > 0 && between && (
            <Text span inherit c="dimmed" fz="xs">
              {between}
            </Text>
          )}
          <Kbd size="xs">{cap}</Kbd>
        </span>
      ))}
    </span>
  );
}
