import { UnstyledButton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { ACTIONS, runAction } from "@/lib/actions";
import { KeyCaps } from "./key-caps";
import classes from "./keyboard.module.css";

/** Looks like the search field that it opens, and says its key. */
export function FindButton({ small }: { small?: boolean }) {
  return (
    <UnstyledButton
      className={classes.hint}
      data-small={small || undefined}
      aria-label={ACTIONS.find.label}
      aria-keyshortcuts="Control+K"
      onClick={() => runAction("find")}
    >
      <IconSearch size={15} aria-hidden />
      <span className={classes.hintText} aria-hidden>
        Find anything
      </span>
      <span aria-hidden>
        <KeyCaps keys={ACTIONS.find.keys ?? ""} />
      </span>
    </UnstyledButton>
  );
}
